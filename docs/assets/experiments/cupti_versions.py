# ruff: noqa: B905, E501, RUF007, S603, S607
# An experiment, kept as it ran.
"""Which functions and activity kinds does each release of CUPTI have?

Reads wheels of nvidia-cuda-cupti (and -cu11, -cu12), oldest first: file sizes, SONAME, exported functions, headers and
the activity kinds in cupti_activity.h, then what each release added and removed. Needs readelf. No GPU.

Run: python cupti_versions.py WHEEL ...
"""

import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MIB = 1024 * 1024


def exported(library: Path) -> set[str]:
    """Return the names of the functions that a library exports and that begin with cupti."""
    lines = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", str(library)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    fields = [line.split() for line in lines]
    return {
        row[7].split("@")[0]
        for row in fields
        if len(row) == 8 and row[3] == "FUNC" and row[6] != "UND" and row[7].startswith("cupti")
    }


def dynamic(library: Path, tag: str) -> list[str]:
    """Return the values of one tag of a library's dynamic section."""
    text = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    return re.findall(rf"\({tag}\).*\[(.*)\]", text)


def read(wheel: Path) -> dict:
    """Return what one wheel holds."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        library = next(path for path in files if path.name.startswith("libcupti.so"))
        headers = {path.name: path.read_text(errors="replace") for path in files if path.suffix == ".h"}
        activity, version = headers["cupti_activity.h"], headers["cupti_version.h"]
        kinds = dict(re.findall(r"^\s*(CUPTI_ACTIVITY_KIND_[A-Z0-9_]+)\s*=\s*(\d+)", activity, re.MULTILINE))
        kinds.pop("CUPTI_ACTIVITY_KIND_INVALID", None)
        define = re.search(r"#define CUPTI_API_VERSION (\d+)", version)
        return {
            "name": wheel.name.split("-py3")[0],
            "api": define.group(1) if define else "?",
            "soname": dynamic(library, "SONAME")[0],
            "needed": dynamic(library, "NEEDED"),
            "sizes": {path.name: path.stat().st_size for path in files if ".so" in path.name},
            "functions": exported(library),
            "kinds": set(kinds),
            "headers": set(headers),
            "records": set(re.findall(r"\}\s*(CUpti_Activity[A-Za-z0-9_]+);", activity)),
        }


def difference(title: str, old: set[str], new: set[str]) -> None:
    """Print what was added and removed."""
    for sign, names in (("+", new - old), ("-", old - new)):
        if names:
            print(f"  {title} {sign}{len(names)}: {' '.join(sorted(names))}")


def main() -> None:
    """Print a table of the releases, then the differences."""
    print(f"Python {platform.python_version()}, {platform.platform()}")
    releases = sorted((read(Path(name)) for name in sys.argv[1:]), key=lambda release: int(release["api"]))
    print("\nwheel | CUPTI_API_VERSION | SONAME | libcupti MiB | functions | activity kinds | records | headers")
    for release in releases:
        library = next(size for name, size in release["sizes"].items() if name.startswith("libcupti"))
        print(
            f"{release['name']} | {release['api']} | {release['soname']} | {library / MIB:.1f} | "
            f"{len(release['functions'])} | {len(release['kinds'])} | {len(release['records'])} | {len(release['headers'])}"
        )
    print("\nother shared libraries, MiB")
    for release in releases:
        sizes = (
            f"{name} {size / MIB:.1f}" for name, size in sorted(release["sizes"].items()) if "libcupti" not in name
        )
        print(f"{release['name']}: {', '.join(sizes)}; NEEDED of libcupti: {' '.join(release['needed'])}")
    for old, new in zip(releases, releases[1:]):
        print(f"\n{old['name']} -> {new['name']}")
        difference("functions", old["functions"], new["functions"])
        difference("activity kinds", old["kinds"], new["kinds"])
        difference("headers", old["headers"], new["headers"])
    last = releases[-1]
    print(f"\nfunctions of {last['name']} by API")
    prefixes = [
        "cuptiActivity", "cuptiProfilerHost", "cuptiProfiler", "cuptiRangeProfiler", "cuptiPmSampling", "cuptiPCSampling",
        "cuptiSassMetrics", "cuptiEvent", "cuptiMetric", "cuptiNvtx", "cuptiOpenACC", "cuptiSubscribe", "cuptiEnable",
        "cuptiDevice", "cuptiGet", "cupti",
    ]  # fmt: skip
    left = set(last["functions"])
    for prefix in prefixes:
        names = {name for name in left if name.startswith(prefix)}
        left -= names
        print(f"  {prefix}*: {len(names)}")


main()
