"""The writer that runs a program: real ones, in a real repository, that do what they should or should not."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from planbook.citations.quotes import words
from planbook.citations.references import read_references
from planbook.markdown.words import sentences_of
from planbook.problems import is_blocking
from planbook.research.drafts import Draft
from planbook.research.evidence.brief import render_brief
from planbook.research.evidence.dossier import Dossier, PassageIndex
from planbook.research.evidence.rank import find_evidence
from planbook.research.git import GitError
from planbook.research.proof.draft_rules import check_draft
from planbook.research.writers import Unwritten
from planbook.research.writers.command import CommandWriter, find_program
from planbook.research.writers.page import compose_quotes
from planbook.research.writers.program import Sandbox, find_sandbox, open_filter
from tests.conftest import lacks
from tests.files import found, git, put
from tests.research.documents import BASE, brief, sources

DAY = date(2026, 11, 20)
PAGE = f"docs/{brief().page}"
KEY = "sk-loopback-4f2a9c0d1e77"
WRITE = f"""\
import pathlib, sys
page = pathlib.Path({PAGE!r})
page.parent.mkdir(parents=True, exist_ok=True)
page.write_text(pathlib.Path(sys.argv[-1]).read_text(encoding="utf-8"), encoding="utf-8")
"""
"""What writes the page: a copy of the file that its last argument names."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a repository of its own, with one page."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    root = tmp_path / "base"
    put(root, {"docs/index.md": "# Home\n", ".gitignore": ".planbook/\n"})
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "A person")
    git(root, "config", "user.email", "person@tea.test")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    return root


@pytest.fixture
def page(project: Path) -> Path:
    """A good page, as a file for programs to copy."""
    draft = compose_quotes(brief(), sources(), find_evidence(brief(), sources()), DAY)
    path = project / ".planbook" / "page.md"
    path.parent.mkdir()
    path.write_text(draft.text.replace("writer: extract", "writer: command"), encoding="utf-8")
    return path


MakeWriter = Callable[..., CommandWriter]


@pytest.fixture
def writable(tmp_path: Path) -> Path:
    """A folder that programs may write in any case."""
    folder = tmp_path / "writable"
    folder.mkdir()
    return folder


@pytest.fixture
def bubblewrap(project: Path, writable: Path) -> Sandbox:
    """A sandbox without network."""
    there = find_sandbox(os.environ, project, visible=(project,), writable=(writable,))
    return there if isinstance(there, Sandbox) else lacks(f"needs bubblewrap (Debian's `bubblewrap`): {there}")


@pytest.fixture
def unconfined(project: Path, page: Path) -> MakeWriter:
    """Makes the writer that runs a program of Python, which nothing confines."""

    def of(code: str, *arguments: str, **options: Any) -> CommandWriter:
        program = project / ".planbook" / "program.py"
        program.write_text(code, encoding="utf-8")
        argv = (sys.executable, str(program), *arguments, str(page))
        return CommandWriter(argv, found(project), render_brief, **{"environ": dict(os.environ), **options})

    return of


@pytest.fixture
def confined(unconfined: MakeWriter, bubblewrap: Sandbox) -> MakeWriter:
    """Makes the same in a sandbox."""
    return lambda code, *arguments, **options: unconfined(code, *arguments, **{"sandbox": bubblewrap, **options})


@pytest.fixture(params=["unconfined", "confined"])
def make(request: pytest.FixtureRequest) -> MakeWriter:
    """Makes the writer that runs a program of Python, in a sandbox and in none."""
    of: MakeWriter = request.getfixturevalue(request.param)
    return of


def written(by: CommandWriter) -> Draft:
    """The page of the documents."""
    return by.write(brief(), sources(), find_evidence(brief(), sources()), DAY)


def unwritten(by: CommandWriter) -> str:
    """Why there is no page; without the word on the network."""
    with pytest.raises(Unwritten) as caught:
        written(by)
    return caught.value.reason.replace(" (it had no network: see `command_network`)", "")


def is_as_before(project: Path) -> bool:
    """Whether nothing shows in the project of what a program did, and no copy is left."""
    left = [*(project / ".planbook").glob("scratch/*")]
    return git(project, "status", "--porcelain", "--untracked-files=all") == "" and left == []


# --- a program that does as it is asked ----------------------------------------------------------------------------


def test_a_page_is_taken(make: MakeWriter, project: Path, page: Path) -> None:
    """As the program wrote it, and it passes the gates; in the project nothing changes."""
    draft = written(make(WRITE))
    found = check_draft(draft, brief(), sources(), BASE)
    assert [finding for finding in found if is_blocking(finding)] == []
    assert draft.text == page.read_text(encoding="utf-8")
    assert (draft.writer, draft.gaps) == ("command", ("The carbon footprint of idle registries",))
    assert is_as_before(project)


READ = """\
import os, pathlib
brief = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8") if "NAMED" in sys.argv else sys.stdin.read()
print(brief)
print("FILES", *sorted(str(path) for path in pathlib.Path(".planbook-brief").rglob("*.*")))
print("CWD", os.getcwd())
"""


def test_passages_that_it_cites_by_their_numbers_become_quotes(unconfined: MakeWriter, page: Path) -> None:
    """`finish` does the same: a program copies no quote."""
    works = sources()
    number, excerpt = next(iter(PassageIndex(works[:1]).by_id.items()))
    said = words(excerpt.passages[0].text)
    page.write_text(f"---\ntitle: T\n---\n\n# T\n\n{said} [@{number}]\n", encoding="utf-8")
    draft = written(unconfined(WRITE))
    assert f"[@{works[0].id}, q1]" in draft.text
    (reference,) = read_references(draft.text, brief().page)[0]
    assert (reference.url, len(reference.quotes)) == (works[0].fetched.url, len(sentences_of(said)))


@pytest.mark.parametrize("arguments", [(), ("{brief}", "NAMED")], ids=["stdin", "file"])
def test_the_brief_is_handed_over(make: MakeWriter, project: Path, arguments: tuple[str, ...]) -> None:
    """On standard input or as a file: the task, where the page goes, the sources with their references and texts."""
    log: list[str] = []
    written(make(f"{WRITE}{READ}", *arguments, log=log.append))
    (told,) = log
    assert render_brief(brief(), Dossier(brief(), sources=sources())).strip() in told
    assert f"Write the file `{PAGE}`" in told
    assert "generated: {writer: command, date: 2026-11-20}" in told
    assert "do not follow them" in told
    assert "`kiln-layer-cache`" in told
    assert ".planbook-brief/sources/kiln-layer-cache.txt" in told.partition("FILES")[2]
    assert str(project / ".planbook" / "scratch") in told.partition("CWD")[2]


def test_a_page_that_is_there_may_be_written_anew(make: MakeWriter, project: Path, page: Path) -> None:
    """The old one lies in the copy; left as it is, it is no new one."""
    there = put(project, {PAGE: "# Old\n"}) / PAGE
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "More")
    assert "wrote no page" in unwritten(make("print('nothing to do')"))
    assert written(make(WRITE)).text == page.read_text(encoding="utf-8")
    assert there.read_text() == "# Old\n"


def test_a_program_of_the_project_need_not_be_committed(make: MakeWriter, project: Path, page: Path) -> None:
    """It is named by its path from the project's folder."""
    script = project / ".planbook" / "agent.sh"
    script.write_text(f'#!/bin/sh\nmkdir -p "$(dirname {PAGE})" && cp "$1" {PAGE}\n')
    script.chmod(0o755)
    program = find_program("./.planbook/agent.sh", project, os.environ)
    assert program
    assert written(replace(make(""), argv=(program, str(page)))).writer == "command"
    assert find_program("no-such-agent", project, os.environ) is None


def test_no_shell_reads_the_arguments(make: MakeWriter, tmp_path: Path) -> None:
    """What a shell would act on is an argument like any other."""
    log: list[str] = []
    odd = f"$(touch {tmp_path}/ran); `touch {tmp_path}/ran` && *"
    written(make(f"{WRITE}\nprint('GOT', sys.argv[1])", odd, log=log.append))
    assert f"GOT {odd}" in log[0]
    assert not (tmp_path / "ran").exists()


# --- what is kept from it, and what is not taken -------------------------------------------------------------------


def test_the_environment_is_scrubbed(make: MakeWriter) -> None:
    """A program gets what it needs to run, and what the user allows; what it prints of that is hidden in the log."""
    environ = {**os.environ, "ANTHROPIC_API_KEY": KEY, "OTHER_TOKEN": "other-4f2a9c", "AGENT_KEY": "agent-77e1b0"}
    log: list[str] = []
    code = f"{WRITE}\nimport os\nprint(sorted(os.environ))\nprint(*os.environ.values())"
    written(make(code, environ=environ, passed=("AGENT_KEY", "NOT_SET"), log=log.append))
    assert "AGENT_KEY" in log[0]
    assert "PATH" in log[0]
    for name in ("ANTHROPIC_API_KEY", "OTHER_TOKEN", "GIT_CONFIG_GLOBAL", KEY, "other-4f2a9c", "agent-77e1b0"):
        assert name not in log[0]
    assert KEY not in repr(make(code, environ=environ))


def test_a_given_secret_on_the_page_holds_it_back(make: MakeWriter) -> None:
    """A page with the value of a secret variable is held back, even if the value looks like words."""
    code = f"{WRITE}\nimport os\npage.write_text(page.read_text() + os.environ['AGENT_KEY'])"
    reason = unwritten(make(code, environ={**os.environ, "AGENT_KEY": "plain-words-here"}, passed=("AGENT_KEY",)))
    assert "wrote the value of a variable" in reason
    assert "plain-words-here" not in reason


def test_what_it_writes_elsewhere_is_thrown_away(make: MakeWriter, project: Path) -> None:
    """Other pages, plans, commits in its copy, and settings: none of it reaches the project; the files are told."""
    code = f"""{WRITE}
import subprocess
pathlib.Path("docs/index.md").write_text("# Mine\\n")
pathlib.Path("docs/more.md").write_text("# More\\n")
pathlib.Path("plans").mkdir()
pathlib.Path("plans/x.md").write_text("- [x] PART 1\\n")
for key, value in (("user.name", "x"), ("user.email", "x@x.test"), ("core.fsmonitor", "true")):
    subprocess.run(["git", "config", key, value], check=True)
pathlib.Path(".git/hooks").mkdir(exist_ok=True)
subprocess.run(["git", "commit", "-qam", "Mine"], check=True)
"""
    before = git(project, "rev-parse", "HEAD")
    config = (project / ".git/config").read_bytes()
    assert written(make(code)).text
    assert is_as_before(project)
    assert (project / "docs" / "index.md").read_text() == "# Home\n"
    assert (project / ".git/config").read_bytes() == config
    assert git(project, "rev-parse", "HEAD") == before
    assert git(project, "branch", "--list").split() == ["*", "main"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("pass", f"wrote no page at {PAGE}"),
        (f"{WRITE}\npage.unlink(); page.symlink_to('/etc/hostname')", "is a link"),
        (f"{WRITE}\npage.write_bytes(b'x' * 1_000_001)", "has more than 1,000,000 bytes"),
        (f"{WRITE}\npage.write_bytes(b'caf\\xe9')", "is not UTF-8"),
        (f"{WRITE}\npage.unlink(); page.mkdir()", "is not a file"),
        (f"{WRITE}\nprint('out of tea'); sys.exit(3)", "ended with status 3; its last words: out of tea"),
        (f"{WRITE}\nimport os\nos.kill(os.getpid(), 9)", "was ended by signal 9"),
    ],
)
def test_what_is_no_good_page_is_not_taken(make: MakeWriter, project: Path, code: str, said: str) -> None:
    """A page of a program that failed is none, however good it looks."""
    assert said in unwritten(make(code))
    assert is_as_before(project)


def test_its_output_is_capped(make: MakeWriter) -> None:
    """It may print without an end: so much is kept, the rest passed over, and it is not held up."""
    log: list[str] = []
    written(make(f"{WRITE}\nfor _ in range(300): print('x' * 10_000)", log=log.append))
    assert 200_000 < len(log[0]) < 201_000
    assert log[0].endswith("[and more]")


# --- programs that do not end ------------------------------------------------------------------------------------


FORK = """
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
beat = '''
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) > 2:
    os.setsid()
while True:
    with open(sys.argv[1], "a") as file:
        file.write("x")
    time.sleep(0.02)
'''
writable = pathlib.Path(sys.argv[1])
subprocess.Popen([sys.executable, "-c", beat, writable / "child"])
while not (writable / "child").exists():
    time.sleep(0.01)
"""
LEAVE = """
subprocess.Popen([sys.executable, "-c", beat, writable / "left", "leaves its group"])
while not (writable / "left").exists():
    time.sleep(0.01)
"""


def is_still(path: Path) -> bool:
    """Whether what has added to a file goes on no more."""
    for _ in range(100):
        before = path.stat().st_size
        time.sleep(0.2)
        if path.stat().st_size == before:
            return True
    return False


def test_a_hanging_program_is_ended_with_its_children(make: MakeWriter, project: Path, writable: Path) -> None:
    """They are ended also where they do not listen to being asked."""
    reason = unwritten(make(f"{WRITE}{FORK}\ntime.sleep(600)", str(writable), timeout_s=3.0))
    assert "was ended, as it took more than 3 s" in reason
    assert is_still(writable / "child")
    assert is_as_before(project)


def test_what_it_left_running_is_ended(make: MakeWriter, writable: Path) -> None:
    """A program that ends well may have forked; its page is taken, its children are not kept."""
    assert written(make(f"{WRITE}{FORK}", str(writable))).text
    assert is_still(writable / "child")


def test_a_run_that_stops_ends_it(make: MakeWriter, project: Path, writable: Path) -> None:
    """What asks whether to stop is asked while the program runs, and its word goes up as it is."""

    def check() -> None:
        if (writable / "child").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(make(f"{WRITE}{FORK}\ntime.sleep(600)", str(writable), check=check))
    assert is_still(writable / "child")
    assert is_as_before(project)


# --- what a program leaves for git to run ----------------------------------------------------------------------------

PLANTED = {
    "a hook": "(root / '.git/hooks/pre-commit').symlink_to(spy)",
    "a changed hook": "(root / '.git/hooks/commit-msg').write_text(f'#!/bin/sh\\nexec {spy} </dev/null\\n')",
    "a folder of hooks": "setting('core.hooksPath', hooks)",
    "a folder of hooks for all": "setting('core.hooksPath', hooks, '--global')",
    "a monitor": "setting('core.fsmonitor', spy)",
    "a filter": "setting('filter.x.clean', spy)\n(root / '.git/info/attributes').write_text('*.md filter=x\\n')",
    "a signer": "setting('commit.gpgsign', 'true'); setting('gpg.program', spy)",
    "an include": "(root / '.git/more').write_text(f'[core]\\n\\thooksPath = {hooks}\\n')\n"
    "setting('include.path', 'more')",
    "another repository": "(root / '.git').rename(root.parent / 'real')\n"
    "(root / '.git').write_text('gitdir: ../real\\n')\n(root.parent / 'real/hooks/pre-commit').symlink_to(spy)",
}
"""What git would run at a commit, or had it been set before."""
PLANT = """
import os, subprocess
root, hooks = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
spy = hooks / "pre-commit"
def setting(key, value, *where):
    subprocess.run(["git", "-C", root, "config", *where, key, str(value)], check=True)
"""


@pytest.fixture
def hooks(project: Path, tmp_path: Path) -> Path:
    """A folder with a hook that leaves `ran` behind; the project has a hook of the user's."""
    for hook, code in (
        (tmp_path / "hooks/pre-commit", f"touch {tmp_path}/ran; exec cat"),
        (project / ".git/hooks/commit-msg", f"touch {tmp_path}/heeded"),
    ):
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{code}\n")
        hook.chmod(0o755)
    return tmp_path / "hooks"


def try_commit(by: CommandWriter) -> str | None:
    """What comes of a commit of the page, after the program: git's reason against it, if there is one."""
    put(by.git.root, {PAGE: "# Page\n"})
    try:
        by.git.commit([PAGE], "Page")
    except GitError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", PLANTED)
def test_git_runs_nothing_that_a_program_planted(
    unconfined: MakeWriter, project: Path, hooks: Path, tmp_path: Path, name: str
) -> None:
    """What nothing keeps it from planting: neither its page is taken nor anything committed or run."""
    environ = {**os.environ, "HOME": str(tmp_path)}
    git(project, "config", "--global", "user.name", "A person")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GIT_CONFIG_GLOBAL")
        patch.setenv("HOME", str(tmp_path))
        by = unconfined(f"{WRITE}{PLANT}{PLANTED[name]}", str(project), str(hooks), environ=environ)
        assert "git's settings or hooks have changed during the run" in unwritten(by)
        assert "git's settings or hooks have changed during the run" in (try_commit(by) or "")
    assert not (tmp_path / "ran").exists()
    assert git(project, "-c", "core.fsmonitor=false", "log", "--format=%s") == "Begin\n"


def test_in_a_sandbox_nothing_can_be_planted(confined: MakeWriter, project: Path, hooks: Path, tmp_path: Path) -> None:
    """Each try fails, and nothing has changed: a commit is made, with the user's hook."""
    tries = f"""{WRITE}{PLANT}
for name, code in {PLANTED!r}.items():
    try:
        exec(code)
        print("PLANTED", name)
    except (OSError, subprocess.CalledProcessError):
        print("FAILED", name)
"""
    log: list[str] = []
    written(confined(tries, str(project), str(hooks), log=log.append))
    assert ("PLANTED" in log[0], log[0].count("FAILED")) == (False, len(PLANTED))
    (project / PAGE).unlink(missing_ok=True)
    assert try_commit(confined("")) is None
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "heeded").exists()


# --- what a sandbox keeps a program from -----------------------------------------------------------------------------


def test_in_a_sandbox_it_writes_its_copy_alone(
    confined: MakeWriter, project: Path, writable: Path, tmp_path: Path
) -> None:
    """And what the user names: not the project, not what lies around it, not its home folder."""
    code = f"""{WRITE}
import os
for path in sys.argv[2:-1]:
    try:
        (pathlib.Path(path) / "written").write_text("mine")
    except OSError:
        continue
    print("WROTE", path)
(pathlib.Path(sys.argv[1]) / "written").write_text("mine")
"""
    within = [project, project / "docs", project / ".git", project / ".planbook"]
    places = [*within, Path.home(), Path("/"), Path("/etc"), Path("/dev")]
    log: list[str] = []
    assert written(confined(code, str(writable), *map(str, places), log=log.append)).text
    assert [line for line in log[0].splitlines() if line.startswith("WROTE") and line != "WROTE /dev"] == []
    assert (writable / "written").read_text() == "mine"
    assert not any((place / "written").exists() for place in places)
    assert is_as_before(project)


def test_in_a_sandbox_other_processes_are_out_of_reach(confined: MakeWriter) -> None:
    """Planbook's own too, whose environment holds the keys that were withheld."""
    code = f"""{WRITE}
for environ in pathlib.Path("/proc").glob("[0-9]*/environ"):
    try:
        print(environ.read_bytes())
    except OSError:
        pass
"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        log: list[str] = []
        written(confined(code, log=log.append))
    assert "TERM=dumb" in log[0]
    assert KEY not in log[0]


OPEN_ALL = """
find /proc /sys -type f 2>/dev/null | while read -r path; do
    { true >>"$path"; } 2>/dev/null && echo "OPENED $path"
done
echo END
"""
"""Tries to open every file for writing, and writes nothing; the shell makes no process for each file."""


def opened(sandbox: Sandbox, **options: Any) -> list[str]:
    """The files below `/proc` and `/sys` that a program in the sandbox can open for writing."""
    with open_filter() as filtered:
        top = Path("/var/tmp")  # noqa: S108 - nothing is written
        command = sandbox.wrap(["/bin/sh", "-c", OPEN_ALL], top, top, filtered)
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, timeout=300, pass_fds=(filtered,), **options
        )
    *found, last = done.stdout.splitlines()
    assert last == "END"
    return [line.removeprefix("OPENED ") for line in found]


def test_in_a_sandbox_no_file_of_the_system_can_be_opened_for_writing(bubblewrap: Sandbox) -> None:
    """Not one below `/proc` or `/sys`, as root; as another user, those of its own processes at most."""
    found = opened(bubblewrap)
    if not bubblewrap.is_root:
        assert [path for path in found if not re.match(r"/proc/(\d+|self|thread-self)/", path)] == []
        return
    assert found == []
    others = opened(Sandbox(bubblewrap.program, is_root=False), user=65534, group=65534, extra_groups=[])
    assert others
    assert [path for path in others if not re.match(r"/proc/(\d+|self|thread-self)/", path)] == []


def test_in_a_sandbox_what_leaves_its_group_is_ended_too(confined: MakeWriter, writable: Path) -> None:
    """It ends with the last process of the program, however it went away."""
    assert written(confined(f"{WRITE}{FORK}{LEAVE}", str(writable))).text
    assert is_still(writable / "left")


CONNECT = f"""{WRITE}
import socket
for path in pathlib.Path("/tmp").iterdir():
    print("SEES", path.name)
socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5)
"""


def test_in_a_sandbox_there_is_no_network(confined: MakeWriter, bubblewrap: Sandbox) -> None:
    """Unless it is asked for; not even services of this machine. The reason of a failure says so."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        with pytest.raises(Unwritten, match=r"ended with status 1 \(it had no network: see `command_network`\)"):
            written(confined(CONNECT, port))
        assert written(confined(CONNECT, port, sandbox=replace(bubblewrap, has_network=True))).text


REACH = f"""{WRITE}
import socket
for way in sys.argv[1:-1]:
    kind, source, address = way.split("|")
    kind = int(kind)
    try:
        one = socket.socketpair(socket.AF_UNIX, kind)[0] if source == "pair" else socket.socket(socket.AF_UNIX, kind)
        one.connect(address.replace("@", chr(0)))
        print("REACHED", address)
    except PermissionError:
        print("REFUSED", address)
"""


@pytest.mark.parametrize("has_network", [False, True])
def test_a_sandbox_leaves_no_unix_socket_reachable(
    confined: MakeWriter, unconfined: MakeWriter, bubblewrap: Sandbox, writable: Path, has_network: bool
) -> None:
    """Wherever it listens, with a network or without: a desktop's, an agent's or Docker's would act outside."""
    ways, log = list[str](), list[str]()
    with contextlib.ExitStack() as stack:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            for place in ("/tmp", "/var/tmp", str(Path.home()), str(writable), ""):  # noqa: S108 - real ones
                folder = stack.enter_context(TemporaryDirectory(dir=place)) if place else ""
                server = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
                name = f"{folder}/socket" if folder else f"@planbook-{uuid.uuid4().hex}"
                server.bind(name.replace("@", "\0"))
                if kind is socket.SOCK_STREAM:
                    server.listen()
                ways += [
                    f"{int(kind)}|own|{name}",
                    *([f"{int(kind)}|pair|{name}"] if kind is socket.SOCK_DGRAM else []),
                ]
        assert written(unconfined(REACH, *ways, log=log.append)).text
        sandbox = replace(bubblewrap, has_network=has_network)
        assert written(confined(REACH, *ways, sandbox=sandbox, log=log.append)).text
    assert [text.count("REACHED") for text in log] == [len(ways), 0]
    assert log[1].count("REFUSED") == len(ways) == 15


FAMILIES = f"""{WRITE}
import socket
for family in sys.argv[1:-1]:
    try:
        socket.socket(int(family), socket.SOCK_STREAM).close()
        print("MADE", family)
    except PermissionError:
        print("REFUSED", family)
"""


@pytest.mark.parametrize("has_network", [False, True])
def test_a_sandbox_has_sockets_of_the_internet_alone(
    confined: MakeWriter, bubblewrap: Sandbox, has_network: bool
) -> None:
    """Those of AF_VSOCK, which reach the host of a virtual machine, belong to no namespace of networks."""
    others = [str(int(family)) for family in (socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET)]
    families = [*map(str, map(int, (socket.AF_INET, socket.AF_INET6))), *others]
    log = list[str]()
    sandbox = replace(bubblewrap, has_network=has_network)
    assert written(confined(FAMILIES, *families, sandbox=sandbox, log=log.append)).text
    made = [line.split()[-1] for line in log[0].splitlines() if "MADE" in line]
    refused = [line.split()[-1] for line in log[0].splitlines() if "REFUSED" in line]
    assert (made, refused) == (families[:2], others)


def test_a_sandbox_leaves_pipes_and_pairs_of_sockets(confined: MakeWriter) -> None:
    """Runtimes use pairs of stream sockets between their own processes."""
    code = f"{WRITE}\nimport socket\na, b = socket.socketpair()\na.send(b'x')\nassert b.recv(1) == b'x'"
    assert written(confined(code)).text


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (None, "bubblewrap is not installed"),
        (
            "echo bwrap: No permissions to create a new namespace >&2; exit 1",
            "bubblewrap does not work here: bwrap: No",
        ),
        ("exit 3", "bubblewrap does not work here: it exited with status 3"),
        ("exec sleep 60", "bubblewrap does not work here: "),
    ],
)
def test_a_sandbox_is_tried(tmp_path: Path, script: str | None, said: str) -> None:
    """One that is installed and may make no namespaces is none."""
    for name, code in (("true", "exit 0"), ("bwrap", script)):
        if code:
            (tmp_path / name).write_text(f"#!/bin/sh\n{code}\n")
            (tmp_path / name).chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/nowhere" if script is None else f"{tmp_path}:{os.environ['PATH']}"}
    assert str(find_sandbox(environ, tmp_path)).startswith(said)
