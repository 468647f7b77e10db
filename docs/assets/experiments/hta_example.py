"""Read traces of torch.profiler with Holistic Trace Analysis: where the GPU's time went, and why it was idle.

    python hta_example.py TRACE...      # one file a rank; needs HolisticTraceAnalysis, no GPU

Run it once as it is and once with HTA_DISABLE_NS_ROUNDING=1: by default HTA rounds times down to whole microseconds.
LAST_STEP=1 includes the last ProfilerStep, which HTA leaves out by default.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import logging
import os
import sys
from importlib.metadata import version

import pandas as pd
from hta.trace_analysis import TraceAnalysis


def main() -> None:
    """Print three tables."""
    logging.disable(logging.WARNING)
    pd.set_option("display.width", 160, "display.max_columns", 20, "display.max_colwidth", 48)
    print("HolisticTraceAnalysis", version("HolisticTraceAnalysis"), "pandas", pd.__version__)
    last = os.environ.get("LAST_STEP") == "1"
    with contextlib.redirect_stdout(io.StringIO()):
        analyzer = TraceAnalysis(trace_files=dict(enumerate(sys.argv[1:])), include_last_profiler_step=last)
    print("include_last_profiler_step", last)
    print("HTA_DISABLE_NS_ROUNDING", os.environ.get("HTA_DISABLE_NS_ROUNDING", "not set"))
    with gzip.open(sys.argv[1]) as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "kernel"]
    print(f"in the trace itself: {len(events)} kernels, {sum(event['dur'] for event in events):.1f} us in all")
    print("\nget_temporal_breakdown()")
    print(analyzer.get_temporal_breakdown(visualize=False).T.to_string(header=False))
    print("\nget_gpu_kernel_breakdown(): kernel types")
    types, kernels = analyzer.get_gpu_kernel_breakdown(visualize=False, num_kernels=4)
    print(types.to_string(index=False))
    print("kernels")
    print(kernels.drop(columns=["rank"], errors="ignore").to_string(index=False, max_colwidth=48))
    print("\nget_idle_time_breakdown()")
    idle = analyzer.get_idle_time_breakdown(ranks=[0], visualize=False)
    print((idle[0] if isinstance(idle, tuple) else idle).to_string(index=False))
    print("\nget_cuda_kernel_launch_stats()")
    stats = analyzer.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)[0]
    columns = stats[["cpu_duration", "gpu_duration", "launch_delay"]].describe()
    print(columns.loc[["count", "50%", "min", "max"]].to_string())


if __name__ == "__main__":
    main()
