"""Compare GPU utilization with NVML's counters of the same load (GPM: activity of SMs, of Tensor Cores, of memory).

Usage: python gpm_metrics.py      # Hopper or newer; needs torch and nvidia-ml-py, no DCGM

Each load runs for 3 seconds in this process; the sample covers the last 2.
"""

import threading
import time

import pynvml as nvml
import torch

SECONDS, WARM_UP = 2.0, 1.0
METRICS = {
    "SM": nvml.NVML_GPM_METRIC_SM_UTIL,
    "occupancy": nvml.NVML_GPM_METRIC_SM_OCCUPANCY,
    "Tensor": nvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL,
    "FP32": nvml.NVML_GPM_METRIC_FP32_UTIL,
    "DRAM": nvml.NVML_GPM_METRIC_DRAM_BW_UTIL,
    "graphics": nvml.NVML_GPM_METRIC_GRAPHICS_UTIL,
}


def measure(device):
    """Return utilization, power and the GPM metrics over SECONDS."""
    first, second = nvml.nvmlGpmSampleAlloc(), nvml.nvmlGpmSampleAlloc()
    nvml.nvmlGpmSampleGet(device, first)
    rates, power, clock = [], [], []
    end = time.time() + SECONDS
    while time.time() < end:
        rates.append(nvml.nvmlDeviceGetUtilizationRates(device))
        power.append(nvml.nvmlDeviceGetPowerUsage(device) / 1000)
        clock.append(nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_SM))
        time.sleep(0.1)
    nvml.nvmlGpmSampleGet(device, second)
    query = nvml.c_nvmlGpmMetricsGet_t()
    query.version = nvml.NVML_GPM_METRICS_GET_VERSION
    query.numMetrics = len(METRICS)
    query.sample1, query.sample2 = first, second
    for index, identifier in enumerate(METRICS.values()):
        query.metrics[index].metricId = identifier
    nvml.nvmlGpmMetricsGet(query)
    values = {name: query.metrics[index].value for index, name in enumerate(METRICS)}
    middle = len(rates) // 2
    return (
        {"GPU": sorted(rate.gpu for rate in rates)[middle], "memory": sorted(rate.memory for rate in rates)[middle], "W": sorted(power)[middle], "MHz": sorted(clock)[middle]} | values
    )


def loads():
    """Yield a name and a function that is called again and again."""
    big = torch.randn(8192, 8192, device="cuda")
    half = big.bfloat16()
    small = torch.randn(256, 256, device="cuda", dtype=torch.bfloat16)
    vector = torch.randn(8192, 1, device="cuda", dtype=torch.bfloat16)
    weights = torch.randn(65536, 8192, device="cuda", dtype=torch.bfloat16)
    table = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(table)

    def matmul(left, right, precision="ieee"):
        def run():
            torch.backends.cuda.matmul.fp32_precision = precision
            left @ right
            torch.cuda.synchronize()

        return run

    def starved():
        half @ half
        torch.cuda.synchronize()
        time.sleep(0.05)

    yield "idle", lambda: time.sleep(0.1)
    yield "one thread that spins (torch.cuda._sleep)", lambda: (torch.cuda._sleep(20_000_000), torch.cuda.synchronize())
    yield "256 x 256 products, one after the other", lambda: [small @ small for _ in range(1000)] and torch.cuda.synchronize()
    yield "8192 product, then 50 ms of waiting", starved
    yield "copy of 1 GiB", lambda: (target.copy_(table), torch.cuda.synchronize())
    yield "65536 x 8192 matrix by a vector", lambda: (weights @ vector, torch.cuda.synchronize())
    yield "8192 product, float32 (ieee)", matmul(big, big)
    yield "8192 product, TF32", matmul(big, big, "tf32")
    yield "8192 product, bfloat16", matmul(half, half)


def main():
    nvml.nvmlInit()
    device = nvml.nvmlDeviceGetHandleByIndex(0)
    print(nvml.nvmlDeviceGetName(device), nvml.nvmlSystemGetDriverVersion(), "torch", torch.__version__)
    print("GPM supported:", nvml.nvmlGpmQueryDeviceSupport(device).isSupportedDevice)
    print("GPU, memory: nvmlDeviceGetUtilizationRates, %; SM, occupancy, Tensor, FP32, DRAM, graphics: GPM, %")
    for name, call in loads():
        stop = threading.Event()
        call()

        def work(call=call, stop=stop):
            while not stop.is_set():
                call()

        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(WARM_UP)
        values = measure(device)
        stop.set()
        worker.join()
        print(f"{name:42}", "  ".join(f"{key} {value:.1f}" for key, value in values.items()), flush=True)


if __name__ == "__main__":
    main()
