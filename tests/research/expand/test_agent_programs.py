"""The settings of the Guide for agents' programs, each with a stand-in of the program's name, in the sandbox."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from planbook.markdown.front_matter import split_front_matter
from tests.conftest import ROOT, lacks
from tests.files import put
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import planbook
from tests.research.expand.small_base import CONFIG, DOCUMENTS, PAGE, PLAN

GUIDE = ROOT / "docs" / "guide" / "agent-programs.md"
SETTINGS = dict(re.findall(r'```yaml title="(\w+)"\n(.*?)```', GUIDE.read_text("utf-8"), re.DOTALL))
STAND_IN = """\
#!{python}
import json, os, pathlib, re, sys
name, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
text = " ".join(arguments)
file = re.search(r"\\S+brief\\.md", text)
brief = pathlib.Path(file[0]).read_text("utf-8") if file else sys.stdin.read()
assert "# Brief" in brief, "no brief arrived"
for expected in {expected!r}:
    assert expected in arguments, f"{{expected}} is missing in {{arguments}}"
for variable in {variables!r}:
    assert os.environ[variable] == "key-of-the-stand-in"
for folder in {folders!r}:
    pathlib.Path(folder).expanduser().joinpath("session").write_text("kept")
try:
    pathlib.Path("~/elsewhere").expanduser().write_text("x")
except OSError:
    pass
day = re.search("created: ([0-9-]+)", brief)[1]
work = re.search(r"^- `([\\w-]+)`: ", brief, re.MULTILINE)[1]
meta = {{
    "title": "Steeping", "description": "How long green tea is steeped.", "plan": "tea", "part": 1,
    "created": day, "generated": {{"writer": "command", "date": day}}, "reviewed": None,
    "references": [{{"id": work}}],
}}
said = f"Green tea is steeped for a short time, says the source [@{{work}}]."
head = json.dumps(meta).replace(f'"{{day}}"', day)
page = f"---\\n{{head}}\\n---\\n\\n# Steeping\\n\\n## Steeping\\n\\n{{said}}\\n"
if name in ("llm", "ollama"):
    print(page, end="")
else:
    path = pathlib.Path(re.search("Write the file `([^`]+)`", brief)[1])
    assert name != "aider" or arguments[-1] == str(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, "utf-8")
"""
EXPECTED = {
    "claude": ["-p", "--permission-mode", "acceptEdits"],
    "codex": ["exec", "-", "--ephemeral"],
    "gemini": ["-p", "--approval-mode", "auto_edit"],
    "copilot": ["-p", "--allow-tool=write"],
    "aider": ["--message-file", "--no-auto-commits"],
    "llm": ["--no-log", "-s"],
    "ollama": ["run", "gemma4"],
}


def test_the_guide_has_settings_for_each_program() -> None:
    """The Guide has settings for each tested program, and for no other."""
    assert set(SETTINGS) == set(EXPECTED)


@pytest.mark.parametrize("program", EXPECTED)
def test_the_settings_of_the_guide_write_a_page(tmp_path: Path, program: str) -> None:
    """Brief, options, keys and folder arrive at a stand-in, and the page that it leaves is taken."""
    if shutil.which("bwrap") is None:
        lacks("needs bubblewrap (Debian's `bubblewrap`)")
    options = yaml.safe_load(SETTINGS[program])
    settings = textwrap.indent(SETTINGS[program], " " * 8)
    files = {"mkdocs.yml": CONFIG + settings, "plans/tea.md": PLAN, "docs/index.md": "# Home\n", **DOCUMENTS}
    files[".gitignore"] = ".planbook/\n"
    root = make_repository(tmp_path / "base", files)
    folders, variables = options.get("command_writable", []), options.get("command_env", [])
    python = Path(sys.executable).resolve()  # not of an environment, which may lie where the sandbox hides it
    stand_in = STAND_IN.format(python=python, expected=EXPECTED[program], variables=variables, folders=folders)
    put(root, {f".planbook/bin/{program}": stand_in})
    path = root / ".planbook" / "bin" / program
    path.chmod(0o755)
    home = tmp_path / "home"
    for folder in folders:
        (home / folder.removeprefix("~/")).mkdir(parents=True)
    home.mkdir(exist_ok=True)
    given = dict.fromkeys(variables, "key-of-the-stand-in")
    places = {"PATH": f"{path.parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}
    done = planbook("expand", "--root", str(root), **places, **given)
    assert done.returncode == 0, done.stdout + done.stderr
    meta, body = split_front_matter((root / PAGE).read_text("utf-8"))
    assert meta["generated"]["writer"] == "command"  # type: ignore[index]
    assert "says the source" in body
    assert all((home / folder.removeprefix("~/") / "session").is_file() for folder in folders)
    assert not (home / "elsewhere").exists()
