"""Test the alert rules of the page on dcgm-exporter with promtool: each Xid alone, a later Xid, a lost GPU, a dead exporter; and its list of fields.

python gpu_alerts.py PAGE.md [PROMTOOL]     # needs promtool (Debian: prometheus) and PyYAML; no GPU, no exporter
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

CRITICAL = [46, 48, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, *range(149, 152), 155, 156, 158]
SILENT = [13, 31, 43, 154, 171, 172]
"""The classes of the page's table; every other number is a warning."""
LABELS = {"UUID": "GPU-a", "gpu": "0", "instance": "n1"}
CATALOGUE = "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html"
CARD = 'UUID="GPU-a",gpu="0",instance="n1"'
JOBS = ["dcgm-exporter", "nvidia-dcgm-exporter", "dcgm-exporter-1764444444"]
"""The job's name in the static configuration, with the GPU Operator, and with the chart after --generate-name."""


def blocks(page: str) -> dict[str, str]:
    """Return the page's blocks that have a title, by title, and the rules beside this script."""
    rules = Path(__file__).with_name("gpu-rules.yml").read_text()
    return {**dict(re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', page, re.M | re.S)), "gpu-rules.yml": rules}


def alert(name: str, when: str, *expected: tuple[dict, dict]) -> dict:
    """Return the check of one alert at one time: labels and annotations of each that must fire."""
    return {"eval_time": when, "alertname": name, "exp_alerts": [{"exp_labels": labels, "exp_annotations": note} for labels, note in expected]}


def fired(number: int, severity: str) -> tuple[dict, dict]:
    """Return labels and annotations of an alert by the gauge."""
    note = {
        "summary": f"n1, GPU 0: Xid {number} text ({LABELS['UUID']})",
        "action": "no new jobs on n1; run nvidia-bug-report.sh there; then do what the catalog says for this Xid",
        "runbook_url": CATALOGUE,
    }
    return {"severity": severity, "err_code": str(number), "err_msg": "text", **LABELS}, note


def gauge(number: int) -> str:
    """Return the gauge's series for one Xid, as the exporter writes it."""
    return f'DCGM_FI_DEV_XID_ERRORS{{{CARD},err_code="{number}",err_msg="text",pod="p"}}'


def case(name: str, series: dict[str, str], *checks: dict) -> dict:
    """Return one test of promtool."""
    return {
        "name": name,
        "interval": "1m",
        "input_series": [{"series": key, "values": values} for key, values in series.items()],
        "alert_rule_test": list(checks),
    }


def of_xid(number: int) -> dict:
    """Return the test of one Xid, seen by the gauge and by the counter."""
    is_critical = number in CRITICAL
    reset = [fired(number, "critical")] if is_critical else []
    other = [] if is_critical or number in SILENT else [fired(number, "warning")]
    note = {"summary": f"n1, GPU 0: Xid {number}, 1 times (GPU-a)", "runbook_url": CATALOGUE}
    counted = [({"severity": "critical", "xid": str(number), **LABELS}, note)] if is_critical else []
    series = {
        gauge(0): "0 stale",
        gauge(number): f"_ {number} {number}",
        f'DCGM_EXP_XID_ERRORS_COUNT{{{CARD},xid="{number}"}}': "0 1 1",
    }
    return case(f"Xid {number}", series, alert("GpuXidCritical", "2m", *reset), alert("GpuXid", "2m", *other), alert("GpuXidCounted", "2m", *counted))


def gone(name: str, first: str, up: dict[str, str], fewer: int) -> dict:
    """Return the test of a machine whose second GPU has no series after 70 minutes."""
    series = {
        'DCGM_FI_DEV_GPU_TEMP{UUID="GPU-a",gpu="0",instance="n1"}': first,
        'DCGM_FI_DEV_GPU_TEMP{UUID="GPU-b",gpu="1",instance="n1"}': "40x70 stale",
        'DCGM_FI_DEV_GPU_TEMP{UUID="GPU-b",gpu="1",instance="n1",GPU_I_ID="7"}': "40x70 stale",
        **up,
    }
    note = {
        "summary": f"n1 shows {fewer} GPUs fewer than within the last day",
        "action": "drain n1; there: nvidia-smi -L, lspci -d 10de:, dmesg | grep -i xid",
    }
    fires = [({"severity": "critical", "instance": "n1"}, note)] if fewer else []
    return case(name, series, alert("GpuGone", "70m"), alert("GpuGone", "85m", *fires), alert("GpuGone", "30h"))


def of_job(job: str) -> list[dict]:
    """Return the tests of the rules that ask for the exporter's job, by one of its names."""
    up = f'up{{job="{job}",instance="n1",pod="p1"}}'
    again = f'up{{job="{job}",instance="n1",pod="p2"}}'
    capacity = 'kube_node_status_capacity{node="n1",resource="nvidia_com_gpu"}'
    down = {"summary": "no GPU metrics from n1", "action": "the exporter's log there; does nvidia-smi answer?"}
    unwatched = ({"severity": "warning", "node": "n1"}, down)
    return [
        gone(f"{job}: one of two GPUs is gone", "40x2000", {up: "1x2000"}, fewer=1),
        gone(f"{job}: both GPUs are gone, and the exporter answers", "40x70 stale", {up: "1x2000"}, fewer=2),
        gone(f"{job}: the exporter's pod restarts without the card", "40x2000", {up: "1x70 stale", again: "_x72 1x1900"}, fewer=1),
        gone(f"{job}: the node was taken away", "40x70 stale", {up: "1x70 stale"}, fewer=0),
        case(
            f"{job}: the exporter does not answer",
            {up: "1 0x40", capacity: "8x40"},
            alert("GpuExporterDown", "3m"),
            alert("GpuExporterDown", "10m", ({"severity": "warning", "instance": "n1", "job": job, "pod": "p1"}, down)),
            alert("GpuNodeWithoutMetrics", "20m", unwatched),
        ),
        case(
            f"{job}: the exporter's pod is missing on one node of two",
            {up: "1x5 stale", f'up{{job="{job}",instance="n2"}}': "1x40", capacity: "8x40", capacity.replace("n1", "n2"): "8x40"},
            alert("GpuExporterDown", "30m"),
            alert("GpuNodeWithoutMetrics", "30m", unwatched),
        ),
    ]


def others() -> list[dict]:
    """Return the tests of the other rules."""
    heat = {"summary": "n1, GPU 0: throttled by heat for 20% of the time", "action": "compare the cards of the node; then fans, filters, air at the inlet"}
    rows = {"summary": "n1, GPU 0: row remapping failed (GPU-a)", "action": "drain n1, run NVIDIA's field diagnostic, return the card"}
    absent = {"summary": "no GPU metrics from ", "action": "the exporter's log there; does nvidia-smi answer?"}
    return [
        case(
            "a later 13 does not end the alert of a 79 for six hours",
            {gauge(79): "_ 79 79 stale", gauge(13): "_ _ _ 13x600"},
            alert("GpuXidCritical", "2m", fired(79, "critical")),
            alert("GpuXidCritical", "350m", fired(79, "critical")),
            alert("GpuXidCritical", "370m"),
        ),
        case(
            "a row remapping that failed",
            {f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{CARD}}}": "0 1"},
            alert("GpuRowRemapFailure", "1m", ({"severity": "critical", **LABELS}, rows)),
        ),
        case(
            "a fifth of the time throttled by heat: 0.2 s in a second are 12e9 ns in a minute",
            {f"DCGM_FI_DEV_THERMAL_VIOLATION{{{CARD}}}": "0+12000000000x30"},
            alert("GpuThermalThrottling", "5m"),
            alert("GpuThermalThrottling", "20m", ({"severity": "warning", **LABELS}, heat)),
        ),
        case("no exporter at all", {"up{job='other'}": "1x20"}, alert("GpuExporterDown", "10m", ({"severity": "warning"}, absent))),
        *(test for job in JOBS for test in of_job(job)),
    ]


def check_fields(files: dict[str, str]) -> int:
    """Return how many fields the list has; each line has three values, and the rules' fields are among them."""
    lines = [line.split(",") for line in files["dcgm-metrics.csv"].splitlines() if not line.startswith("#")]
    assert all(len(line) == 3 for line in lines)
    assert set(re.findall(r"DCGM_\w+", files["gpu-rules.yml"])) <= {line[0] for line in lines}
    return len(lines)


def check_wrapper(page: str, files: dict[str, str]) -> None:
    """Run the page's shell lines for the PrometheusRule with `cat` in place of kubectl: it must hold the same groups."""
    shell = next(block for block in re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S) if "PrometheusRule" in block)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "gpu-rules.yml").write_text(files["gpu-rules.yml"])
        done = subprocess.run(["sh", "-c", shell.replace("kubectl apply -f -", "cat")], cwd=folder, capture_output=True, text=True, check=True)
    assert yaml.safe_load(done.stdout)["spec"] == yaml.safe_load(files["gpu-rules.yml"])


def main() -> None:
    """Check rules and configuration, then run the tests."""
    page, promtool = Path(sys.argv[1]).read_text(), sys.argv[2] if len(sys.argv) > 2 else "promtool"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = blocks(page)
        for title, text in files.items():
            (folder / title).write_text(text)
        tests = [of_xid(number) for number in range(1, 201)] + others()
        text = yaml.safe_dump({"rule_files": ["gpu-rules.yml"], "evaluation_interval": "1m", "tests": tests}, sort_keys=False)
        (folder / "tests.yml").write_text(text)
        for command in (["--version"], ["check", "rules", "gpu-rules.yml"], ["check", "config", "prometheus.yml"], ["test", "rules", "tests.yml"]):
            done = subprocess.run([promtool, *command], cwd=folder, capture_output=True, text=True, check=False)
            said = (done.stdout + done.stderr).strip()
            print(f"promtool {' '.join(command)}: status {done.returncode}\n{said.splitlines()[0] if command == ['--version'] else said}\n")
        print(f"{len(tests)} tests: Xids 1 to 200, each by gauge and by counter, and {len(others())} others")
        print(f"dcgm-metrics.csv: {check_fields(files)} fields, those of the rules among them")
        check_wrapper(page, files)
        print("the PrometheusRule has the same groups")


if __name__ == "__main__":
    main()
