"""Test the alert rules of the page on dcgm-exporter with promtool: each Xid alone, a later Xid, a lost GPU, a dead exporter.

python gpu_alerts.py PAGE.md [PROMTOOL]     # needs promtool (Debian: prometheus) and PyYAML; no GPU, no exporter
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

CRITICAL = [46, 48, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, *range(143, 152), 155, 156, 158]
SILENT = [13, 31, 43, 154, 171, 172]
"""The classes of the page's table; every other number is a warning."""
LABELS = {"UUID": "GPU-a", "instance": "n1"}


def blocks(page: str) -> dict[str, str]:
    """Return the YAML blocks of the page by title."""
    return dict(re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```', page, re.M | re.S))


def alert(name: str, when: str, *expected: dict) -> dict:
    """Return the check of one alert at one time: the labels that it has, or none."""
    return {"eval_time": when, "alertname": name, "exp_alerts": [{"exp_labels": labels, "exp_annotations": note} for labels, note in expected]}


def of_xid(number: int) -> dict:
    """Return the test of one Xid, seen by the gauge and by the counter."""
    note = {"summary": f"Xid {number} on GPU-a at n1"}
    is_critical = number in CRITICAL
    reset = [({"severity": "critical", **LABELS}, note)] if is_critical else []
    other = [] if is_critical or number in SILENT else [({"severity": "warning", **LABELS}, note)]
    counted = [({"severity": "critical", "xid": str(number), **LABELS}, note)] if is_critical else []
    series = [
        {"series": 'DCGM_FI_DEV_XID_ERRORS{UUID="GPU-a",instance="n1"}', "values": f"0 {number} {number}"},
        {"series": f'DCGM_EXP_XID_ERRORS_COUNT{{UUID="GPU-a",instance="n1",xid="{number}"}}', "values": "0 1 1"},
    ]
    checks = [alert("GpuXidReset", "2m", *reset), alert("GpuXid", "2m", *other), alert("GpuXidCounted", "2m", *counted)]
    return {"name": f"Xid {number}", "interval": "1m", "input_series": series, "alert_rule_test": checks}


def gone(name: str, first: str, *, up: str, fewer: int) -> dict:
    """Return the test of a machine whose second GPU has no series after 70 minutes."""
    series = {
        'DCGM_FI_DEV_GPU_TEMP{UUID="GPU-a",instance="n1"}': first,
        'DCGM_FI_DEV_GPU_TEMP{UUID="GPU-b",instance="n1"}': "40x70 stale",
        'up{job="dcgm-exporter",instance="n1"}': up,
    }
    note = {"summary": f"n1 shows {fewer} GPUs fewer than an hour ago"}
    fires = [({"severity": "critical", "instance": "n1"}, note)] if fewer else []
    return {
        "name": name,
        "interval": "1m",
        "input_series": [{"series": key, "values": values} for key, values in series.items()],
        "alert_rule_test": [alert("GpuGone", "70m"), alert("GpuGone", "80m", *fires)],
    }


def others() -> list[dict]:
    """Return the tests of the other rules."""
    gauge = 'DCGM_FI_DEV_XID_ERRORS{UUID="GPU-a",instance="n1"}'
    reset = ({"severity": "critical", **LABELS}, {"summary": "Xid 79 on GPU-a at n1"})
    heat = ({"severity": "warning", **LABELS}, {"summary": "GPU-a at n1 is throttled by heat for more than a tenth of the time"})
    return [
        {
            "name": "a later 13 clears the alert of a 79",
            "interval": "1m",
            "input_series": [{"series": gauge, "values": "0 79 79 13 13"}],
            "alert_rule_test": [alert("GpuXidReset", "2m", reset), alert("GpuXidReset", "4m")],
        },
        {
            "name": "a row remapping that failed",
            "interval": "1m",
            "input_series": [{"series": 'DCGM_FI_DEV_ROW_REMAP_FAILURE{UUID="GPU-a",instance="n1"}', "values": "0 1"}],
            "alert_rule_test": [alert("GpuRowRemapFailure", "1m", ({"severity": "critical", **LABELS}, {"summary": "row remapping failed on GPU-a at n1"}))],
        },
        {
            "name": "a fifth of the time throttled by heat: 0.2 s in a second are 12e9 ns in a minute",
            "interval": "1m",
            "input_series": [{"series": 'DCGM_FI_DEV_THERMAL_VIOLATION{UUID="GPU-a",instance="n1"}', "values": "0+12000000000x30"}],
            "alert_rule_test": [alert("GpuThermalThrottling", "5m"), alert("GpuThermalThrottling", "20m", heat)],
        },
        gone("one of two GPUs is gone", "40x120", up="1x120", fewer=1),
        gone("both GPUs are gone, and the exporter answers", "40x70 stale", up="1x120", fewer=2),
        gone("the node was taken away", "40x70 stale", up="1x70 stale", fewer=0),
        {
            "name": "the exporter does not answer",
            "interval": "1m",
            "input_series": [{"series": 'up{job="dcgm-exporter",instance="n1"}', "values": "1 0x20"}],
            "alert_rule_test": [
                alert("GpuExporterDown", "3m"),
                alert("GpuExporterDown", "10m", ({"severity": "warning", "instance": "n1", "job": "dcgm-exporter"}, {"summary": "no GPU metrics from n1"})),
            ],
        },
    ]


def main() -> None:
    """Check rules and configuration, then run the tests."""
    page, promtool = Path(sys.argv[1]).read_text(), sys.argv[2] if len(sys.argv) > 2 else "promtool"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, text in blocks(page).items():
            (folder / title).write_text(text)
        tests = [of_xid(number) for number in range(1, 201)] + others()
        text = yaml.safe_dump({"rule_files": ["gpu-rules.yml"], "evaluation_interval": "1m", "tests": tests}, sort_keys=False)
        (folder / "tests.yml").write_text(text)
        for command in (["--version"], ["check", "rules", "gpu-rules.yml"], ["check", "config", "prometheus.yml"], ["test", "rules", "tests.yml"]):
            done = subprocess.run([promtool, *command], cwd=folder, capture_output=True, text=True, check=False)
            said = (done.stdout + done.stderr).strip()
            print(f"promtool {' '.join(command)}: status {done.returncode}\n{said.splitlines()[0] if command == ['--version'] else said}\n")
        print(f"{len(tests)} tests: Xids 1 to 200, each by gauge and by counter, and {len(others())} others")


if __name__ == "__main__":
    main()
