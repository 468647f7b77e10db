# ruff: noqa: E501, S603
# An experiment, kept as it ran.
"""What does loading CUPTI cost, and what does it answer, on a machine without a GPU?

Loads libcupti of each wheel in a new process, five times: time of dlopen and growth of the resident set. Then three calls,
each in a process of its own: the result as a number and in CUPTI's own words, or the signal that ended the process.

Run: python cupti_idle.py WHEEL ...
"""

import ctypes
import ctypes.util
import json
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path


def resident() -> int:
    """Return the resident set of this process, in KiB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


def child(library: str, call: str) -> None:
    """Load one library, make one call, and print what happened, as JSON."""
    before = resident()
    start = time.perf_counter()
    cupti = ctypes.CDLL(library)
    result = {"load_ms": (time.perf_counter() - start) * 1000, "load_kib": resident() - before}
    version, subscriber, text = ctypes.c_uint32(), ctypes.c_void_p(), ctypes.c_char_p()
    handler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)(lambda *_: None)
    if call == "none":
        print(json.dumps(result))
        return
    code = {
        "cuptiGetVersion": lambda: cupti.cuptiGetVersion(ctypes.byref(version)),
        "cuptiSubscribe": lambda: cupti.cuptiSubscribe(ctypes.byref(subscriber), handler, None),
        "cuptiActivityEnable": lambda: cupti.cuptiActivityEnable(10),
        "cuptiActivityFlushAll": lambda: cupti.cuptiActivityFlushAll(0),
    }[call]()
    answer = f"{code} (version {version.value})" if call == "cuptiGetVersion" else str(code)
    cupti.cuptiGetResultString(code, ctypes.byref(text))
    print(json.dumps(result | {"answer": f"{answer} {(text.value or b'no text').decode()}"}))


def run(library: str, call: str) -> dict:
    """Return what one call answered in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--child", library, call], capture_output=True, check=False)
    return (
        json.loads(done.stdout)
        if done.returncode == 0
        else {"answer": f"killed: {signal.Signals(-done.returncode).name}"}
    )


def main() -> None:
    """Print medians and ranges for each wheel."""
    if sys.argv[1] == "--child":
        child(*sys.argv[2:])
        return
    driver = ctypes.util.find_library("cuda") or "none"
    print(f"Python {platform.python_version()}, {platform.platform()}, driver library: {driver}; 5 processes each")
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(name) as archive:
                archive.extractall(folder)
            library = next(str(path) for path in Path(folder).rglob("libcupti.so.*") if path.is_file())
            run(library, "none")  # fills the page cache
            runs = [run(library, "none") for _ in range(5)]
            calls = ("cuptiGetVersion", "cuptiSubscribe", "cuptiActivityEnable", "cuptiActivityFlushAll")
            answers = {call: {run(library, call)["answer"] for _ in range(3)} for call in calls}
        print(f"\n{Path(name).name.split('-py3')[0]}")
        for key, unit in (("load_ms", "ms to load"), ("load_kib", "KiB resident after it")):
            values = [result[key] for result in runs]
            print(f"  {statistics.median(values):.1f} {unit} ({min(values):.1f} to {max(values):.1f})")
        for call, answer in answers.items():
            print(f"  {call}, three processes: {', '.join(sorted(answer))}")


main()
