"""Programs that stand for coding agents."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.conftest import lacks
from tests.files import put

AGENT = """\
import datetime, os, pathlib, re, sys, yaml
brief = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
print("reading", sys.argv[1].rpartition("/")[2], os.environ.get("AGENT_KEY"), os.environ.get("TAVILY_API_KEY"))
path = re.search("Write the file `([^`]+)`", brief)[1]
day = datetime.date.fromisoformat(re.search("created: ([0-9-]+)", brief)[1])
work = re.search(r"^- `([\\w-]+)`: ", brief, re.MULTILINE)[1]
meta = {
    "title": "Brewing", "description": "Which water keeps the leaves.", "plan": "tea", "part": 1,
    "created": day, "generated": {"writer": "command", "date": day}, "reviewed": None, "references": [{"id": work}],
}
page = pathlib.Path(path)
page.parent.mkdir(parents=True, exist_ok=True)
said = f"The source says which water keeps the leaves [@{work}]."
text = f"# Brewing\\n\\n## Water for tea\\n\\n{said}\\n"
page.write_text(f"---\\n{yaml.safe_dump(meta)}---\\n\\n{text}", encoding="utf-8")
pathlib.Path("mkdocs.yml").write_text("taken over")
"""


def make_agent(tmp_path: Path, code: str = AGENT) -> str:
    """The option that names an agent in the project's working folder, which is not committed."""
    if shutil.which("bwrap") is None:
        lacks("needs bubblewrap (Debian's `bubblewrap`)")
    put(tmp_path / "base", {".planbook/.gitignore": "*\n", ".planbook/agent.py": code})
    return f"        command: [{sys.executable}, {tmp_path}/base/.planbook/agent.py, '{{brief}}']\n"
