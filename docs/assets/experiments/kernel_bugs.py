"""Run every planted bug of kernel_bugs.cu bare and under the four tools of Compute Sanitizer, and print what each says.

python kernel_bugs.py [FOLDER [SECONDS]]: FOLDER is where the programs are built (default: a temporary one).
"""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
LIMIT = 20  # seconds a run
DEADLINE = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 600)  # no run starts later

MEMORY = ["write_past_end", "write_neighbour", "write_far", "misaligned", "shared_past_end", "shared_far", "local_past_end",
          "use_after_free", "host_pointer", "stream_order"]
RACES = ["race_shared", "race_warp", "race_global"]
UNWRITTEN = ["uninitialized", "uninitialized_shared"]
BARRIERS = ["divergent_barrier", "shuffle_mask", "syncwarp_mask"]
STOPS = ["assert", "trap", "brkpt", "endless_recursion"]
LAUNCHES = ["too_many_threads", "no_blocks", "grid_y", "too_many_registers", "too_much_shared", "shared_allowed", "too_large"]
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
BUGS = MEMORY + RACES + UNWRITTEN + BARRIERS
EXTRA = {  # options that find what the default does not
    "write_neighbour": ["memcheck", "--padding", "4096"],
    "stream_order": ["memcheck", "--track-stream-ordered-races", "all"],
    "race_global": ["racecheck", "--racecheck-report", "all"],
    "uninitialized_shared": ["initcheck", "--initcheck-address-space", "shared"],  # from Compute Sanitizer 2025.4 (CUDA 13.1) on
}


def run(command, limit=LIMIT):
    """Return (status, output) of `command`; status is "timeout" if it ran longer than `limit` seconds."""
    if time.monotonic() > DEADLINE:
        return "not run: out of time", ""
    try:
        done = subprocess.run(command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        return "timeout", (expired.stdout or b"").decode(errors="replace") if isinstance(expired.stdout, bytes) else expired.stdout or ""
    except OSError as error:
        return "not run", str(error)


def first_report(output):
    """Return the first report of a sanitizer's output: its title and the lines of the place, without host frames."""
    lines = [line.removeprefix("=========").rstrip() for line in output.splitlines() if line.startswith("=========")]
    start = next((i for i, line in enumerate(lines) if re.search(r"Invalid |Race |Error: |Uninitialized |Barrier |Program hit |Warning: |Stack overflow|Exception|Hazard|Use[- ]|Potential|race", line)), None)
    if start is None:
        return []
    return [line for line in lines[start:start + 7] if "Host Frame" not in line and "Saved host" not in line and line.strip()]


def verdict(status, output):
    """Return one word for a table: found (with the number of reports), nothing, or what else happened."""
    summary = re.search(r"(ERROR|RACECHECK) SUMMARY: (.*)", output)
    if not summary:
        return f"no summary (status {status})"
    text = summary.group(2)
    number = re.search(r"(\d+) (?:error|hazard)", text)
    if number and int(number.group(1)) == 0:
        return "nothing"
    kinds = {"api": "Program hit" in output, "place": "    at " in output or " at " in "".join(first_report(output))}
    return ("API error only: " if kinds["api"] and not kinds["place"] else "found: ") + text


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("kernel_bugs.cu",):
        if (HERE / name).resolve() != (FOLDER / name).resolve():
            shutil.copy(HERE / name, FOLDER / name)
    nvcc = ["nvcc", "-std=c++17", "-O3", "kernel_bugs.cu"]
    builds = {"kernel_bugs": ["-lineinfo", "-arch=sm_90"], "kernel_bugs_G": ["-G", "-g", "-arch=sm_90"], "kernel_bugs_sm80": ["-gencode", "arch=compute_80,code=sm_80"]}
    with concurrent.futures.ThreadPoolExecutor(14) as pool:
        print(run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])[1].strip())
        print([line for line in run(["nvcc", "--version"])[1].splitlines() if "release" in line][0])
        print("\n".join(line for line in run(["compute-sanitizer", "--version"])[1].splitlines() if "ersion" in line))
        for name, (status, output) in zip(builds, pool.map(run, [[*nvcc, *options, "-o", name] for name, options in builds.items()])):
            print(f"built {name} with {' '.join(builds[name])}: status {status}", output.strip()[-300:])

        print("\n== bare: nvcc -O3 -lineinfo -arch=sm_90", flush=True)
        names = BUGS + STOPS + LAUNCHES
        for name, (status, output) in zip(names, pool.map(run, [["./kernel_bugs", name] for name in names])):
            print(f"{output.rstrip()}\n  status {status}", flush=True)
        print("\n== bare: the same program built for sm_80 only, without PTX")
        print(run(["./kernel_bugs_sm80", "no_image"])[1].rstrip())
        print("\n== with CUDA_LOG_FILE=stderr: the driver's own log, before the lines of the program")
        logged = [["./kernel_bugs", name] for name in [*LAUNCHES, "write_far", "assert"]] + [["./kernel_bugs_sm80", "no_image"]]
        for _, output in pool.map(run, [["env", "CUDA_LOG_FILE=stderr", *command] for command in logged]):
            print(output.rstrip())
        print("\n== write_far, twenty runs")
        texts = [(re.findall(r"after synchronizing +(.*)", output) or [str(status)])[0] for status, output in pool.map(run, [["./kernel_bugs", "write_far"]] * 20)]
        print("\n".join(f"{texts.count(text)} x {text}" for text in sorted(set(texts))))
        print("\n== races, five runs each")
        for name in RACES:
            print("\n".join(output.splitlines()[0] for _, output in pool.map(run, [["./kernel_bugs", name]] * 5)))

        likely = [(name, tool) for names, tool in zip((MEMORY, RACES, UNWRITTEN, BARRIERS), TOOLS) for name in names]
        pairs = likely + [(name, tool) for name in ["none"] + BUGS for tool in TOOLS if (name, tool) not in likely]
        jobs = {(name, tool): ["compute-sanitizer", "--tool", tool, "./kernel_bugs", name] for name, tool in pairs}
        jobs |= {(name, "memcheck"): ["compute-sanitizer", "./kernel_bugs", name] for name in STOPS}
        jobs |= {(name, " ".join(options)): ["compute-sanitizer", "--tool", *options, "./kernel_bugs", name] for name, options in EXTRA.items()}
        jobs |= {(name, "memcheck"): ["compute-sanitizer", "./kernel_bugs", name] for name in ("too_many_threads", "too_many_registers")}
        results = dict(zip(jobs, pool.map(run, jobs.values())))
        print("\n== what each tool says (compute-sanitizer --tool TOOL ./kernel_bugs NAME)")
        for name in ["none"] + BUGS + STOPS:
            print(name)
            for tool in TOOLS:
                if (name, tool) in results:
                    print(f"  {tool:10} {verdict(*results[name, tool])}")
        for (name, tool), result in results.items():
            if tool not in TOOLS:
                print(f"{name}, {tool}: {verdict(*result)}")
        print("\n== the first report of each tool that found something")
        for (name, tool), (status, output) in results.items():
            if report := first_report(output):
                print(f"-- {name}, {tool}")
                print("\n".join(report))
        print("\n== null_function, five seconds bare and ten under memcheck")
        for limit, command in ((5, ["./kernel_bugs", "null_function"]), (10, ["compute-sanitizer", "./kernel_bugs", "null_function"])):
            print(*run(command, limit), sep="\n", flush=True)
        print("\n== whole outputs")
        for key in [("write_past_end", "memcheck"), ("race_shared", "racecheck"), ("uninitialized", "initcheck"), ("divergent_barrier", "synccheck"), ("shuffle_mask", "synccheck"), ("stream_order", "memcheck --track-stream-ordered-races all"), ("use_after_free", "memcheck")]:
            lines = [line for line in results[key][1].splitlines() if "Host Frame" not in line]
            print(f"-- {key[0]}, {key[1]}: status {results[key][0]}, {len(lines)} lines without host frames; the first 40")
            print("\n".join(lines[:40]))
            print("   ...\n" + lines[-1] if len(lines) > 40 else "")


main()
