"""Links, pipes and unreadable files in a base: named once each, and everything else is built."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests import forks
from tests.files import git, put
from tests.plugin.conftest import ENVIRONMENT, command
from tests.plugin.odd_files import ODD, obeying_modes, put_odd_files
from tests.plugin.serving import serving, wait_for

PLAN = """# Tea

## PART 1: Create tea/01-one.md

- [ ] PART 1: Create tea/01-one.md

**Goal**: How hard water changes tea

**Step 1: Research**
- [ ] Search: "hard water"

**Step 2: Write the page**
- [ ] Section 1: Water (~20 lines)
    - How hard water changes tea
"""
SITE = """site_name: Tea
theme: {{name: null, custom_dir: theme}}
validation: {{omitted_files: info}}
plugins:
{}  - planbook: {{expand: {{search: {{providers: [local]}}}}}}
"""


def make(root: Path, *folders: str, plugins: str = "") -> Path:
    """Write a base whose `folders` hold odd files, in a repository."""
    put(
        root,
        {
            "mkdocs.yml": SITE.format(plugins),
            "theme/main.html": "{{ page.content }}",
            "theme/404.html": "",
            "README.md": "# The base\n",
            "docs/index.md": "# Home\n",
            "docs/tea/water.md": "# Water\n\nHard water.\n",
            "docs/tea/cup.svg": "<svg/>",
            "plans/tea.md": PLAN,
            "documents/hardness.md": "# Hardness\n\nHard water changes tea: calcium carbonate makes it cloudy.\n",
        },
    )
    git(root, "init", "--quiet")
    git(root, "config", "user.email", "person@tea.test")
    git(root, "config", "user.name", "A person")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    (root / "docs/readme.md").symlink_to("../README.md")
    for folder in folders:
        put_odd_files(root / folder)
    return root


def named(text: str, folder: str) -> list[str]:
    """The names of the entries of `folder` that lines of a log or of `check` report, in order."""
    found = re.findall(
        rf"^(?:\S+ +-  planbook: )?{folder}/(.+?):1:.*(?:the link|this is|the name) ", text, re.MULTILINE
    )
    return sorted(found)


@pytest.mark.parametrize("plugins", ["", "  - planbook-speed\n"])
def test_a_build_publishes_the_rest(tmp_path: Path, plugins: str) -> None:
    """Nothing from outside is in the site, each entry has one warning, and the second build is the same."""
    root = make(tmp_path / "base", "docs", "plans", plugins=plugins)
    for _ in range(2):
        done = forks.run("mkdocs", "build", cwd=root, env=ENVIRONMENT, is_merged=True)
        assert (done.returncode, "Traceback" in done.stdout) == (0, False), done.stdout
        site = {str(path.relative_to(root / "site")) for path in (root / "site").rglob("*")}
        assert {"readme/index.html", "tea/water/index.html", "tea/cup.svg", "tea/01-one/index.html"} <= site
        leaked = [path for path in site if path.partition("/")[0].removesuffix(".md") in {*ODD, "host", "pipe", "zero"}]
        assert leaked == []
        assert named(done.stdout, "docs") == sorted(ODD)
        plans = [name for name in ODD if not name.endswith((".txt", ".png"))]
        assert named(done.stdout, "plans") == sorted(plans)
    strict = forks.run("mkdocs", "build", "--strict", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert (strict.returncode, "Traceback" in strict.stdout) == (1, False)
    assert "warnings in strict mode" in strict.stdout


OUTPUT = {
    "docs/built": "../public",
    "docs/built.md": "../public/own.md",
    "docs/cache": "../.cache",
    "docs/run.md": "../.planbook/run.md",
    "docs/runs": "../.planbook",
    "docs/more": "../more",
    "docs/around": "../around",
    "plans/run.md": "../.planbook/run.md",
}
"""Links to what builds and runs write: `public` or `around/public`, and `.cache` anywhere."""
KEPT = {"docs/cache", "docs/run.md", "docs/runs", "plans/run.md"}
"""Those to what is kept wherever the site is."""
WRITTEN = {
    "public/own.md": "# Own\n",
    "around/public/own.md": "# Own\n",
    ".planbook/run.md": "# Run\n",
    ".cache/x.md": "# X\n",
    "more/.cache/kept.md": "# Kept\n",
}
LEAKS = r"cache|run|more/\.cache"
"""What of the site would come from `KEPT`."""


def link_to_output(root: Path, settings: str) -> None:
    """Link pages and plans of a base with these settings to what builds and runs write, and to other folders."""
    ours = {"more/ours.md": "# Ours\n", "around/ours.md": "# Ours, too\n", "site/notes.md": "# Notes\n"}
    put(root, {"mkdocs.yml": settings, **ours, **WRITTEN})
    for link, target in OUTPUT.items():
        (root / link).symlink_to(target)
    (root / "docs/notes.md").symlink_to("../site/notes.md")


@pytest.mark.parametrize(
    ("plugins", "site_dir", "leaks", "reported"),
    [
        ("", "public", f"built|{LEAKS}", KEPT | {"docs/built", "docs/built.md"}),
        ("  - planbook-speed\n", "around/public", f"around/public|{LEAKS}", KEPT | {"docs/around/public"}),
    ],
)
def test_what_a_build_wrote_is_not_published_again(
    tmp_path: Path, plugins: str, site_dir: str, leaks: str, reported: set[str]
) -> None:
    """Links within the base to its site and caches are reported, by builds and `check`; others are followed."""
    root = make(tmp_path / "base", plugins=plugins)
    link_to_output(root, f"site_dir: {site_dir}\n{SITE.format(plugins)}")
    for _ in range(2):
        done = forks.run("mkdocs", "build", cwd=root, env=ENVIRONMENT, is_merged=True)
        assert (done.returncode, "Traceback" in done.stdout) == (0, False), done.stdout
        site = root / site_dir
        made = {str(path.relative_to(site)) for path in site.rglob("*")}
        assert {"more/ours/index.html", "around/ours/index.html", "notes/index.html", "tea/water/index.html"} <= made
        assert not [path for path in made if re.match(leaks, path)]
        assert set(re.findall(r"(\S+):1: K006", done.stdout)) >= KEPT
        put(root, WRITTEN)  # the build has emptied its folder
    checked = forks.run("planbook", "check", cwd=root, env=ENVIRONMENT, is_merged=True)
    named_by_check = re.findall(r"^(\S+):1:1: .* K006$", checked.stdout, re.MULTILINE)
    assert {path for path in named_by_check if not path.endswith("/.cache")} == reported
    refreshed = forks.run("planbook", "refresh", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert "Traceback" not in refreshed.stdout
    assert "own" not in refreshed.stdout


@pytest.mark.parametrize("form", ["inherited", "from the environment", "elsewhere on the command line"])
def test_the_folder_of_the_site_is_the_configured_one(tmp_path: Path, form: str) -> None:
    """However the configuration names it, and although this build writes to another."""
    root, options = make(tmp_path / "base"), ["--site-dir", str(tmp_path / "out")]
    env = {**ENVIRONMENT, "PUBLIC": "public"}
    settings = f"site_dir: !ENV PUBLIC\n{SITE.format('')}"
    if form == "inherited":
        put(root, {"base.yml": "site_dir: public\n"})
        settings = f"INHERIT: base.yml\n{SITE.format('')}"
    if form == "elsewhere on the command line":
        put(root, {"other.yml": f"site_dir: public\n{SITE.format('')}"})
        settings, options = SITE.format(""), [*options, "--config-file", "other.yml"]
    link_to_output(root, settings)
    done = forks.run("mkdocs", "build", *options, cwd=root, env=env, is_merged=True)
    assert (done.returncode, "Traceback" in done.stdout) == (0, False), done.stdout
    assert "docs/built:1: K006 the link to ../public leads" in done.stdout
    assert not [path for path in (tmp_path / "out").iterdir() if re.match(f"built|{LEAKS}", path.name)]
    assert (tmp_path / "out/notes/index.html").exists()


def test_a_server_follows_no_link_to_the_site(tmp_path: Path) -> None:
    """A server writes to a folder of its own; the configured one is still no part of the base."""
    root = make(tmp_path / "base")
    link_to_output(root, f"site_dir: public\n{SITE.format('')}")
    with serving(root) as server:
        assert "Hard water" in server.page("tea/water/")
        assert "Notes" in server.page("notes/")
        with pytest.raises(HTTPError):
            server.page("built/own/")


def test_a_plan_that_a_link_puts_among_the_pages(tmp_path: Path) -> None:
    """A folder of plans that is linked into the documentation is read as plans and as pages, without a Problem."""
    root = make(tmp_path / "base")
    (root / "docs/plans").symlink_to("../plans")
    done = forks.run("mkdocs", "build", "--strict", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert (done.returncode, "K00" in done.stdout) == (0, False), done.stdout
    assert "How hard water changes tea" in (root / "site/plans/tea/index.html").read_text("utf-8")


def test_a_file_that_becomes_a_link_leaves_the_site(tmp_path: Path) -> None:
    """What the last build published is removed, when it leads out of the base."""
    root = make(tmp_path / "base", plugins="  - planbook-speed\n")
    pages = put(root / "docs", {"a.md": "# A\n", "a.txt": "a"})
    forks.run("mkdocs", "build", "-q", cwd=root, env=ENVIRONMENT)
    assert (root / "site/a/index.html").exists()
    assert (root / "site/a.txt").exists()
    for name in ("a.md", "a.txt"):
        (pages / name).unlink()
        (pages / name).symlink_to("/etc/hostname")
    forks.run("mkdocs", "build", "-q", cwd=root, env=ENVIRONMENT)
    assert not (root / "site/a").exists()
    assert not (root / "site/a.txt").exists()


def test_commands_report_each_once(tmp_path: Path) -> None:
    """`check` has one error for each in all three folders; `status` and `expand` report them, and do their work."""
    root = make(tmp_path / "base", "docs", "plans", "documents")
    checked = forks.run("planbook", "check", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert (checked.returncode, "Traceback" in checked.stdout) == (1, False), checked.stdout
    assert named(checked.stdout, "docs") == named(checked.stdout, "documents") == sorted(ODD)
    assert "host.md" in named(checked.stdout, "plans")
    assert set(re.findall(r"(\w\d+)$", checked.stdout, re.MULTILINE)) == {"K006", "K007", "K020"}

    below = forks.run("planbook", "check", "docs/everything", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert (below.returncode, len(below.stdout.splitlines())) == (1, 2), below.stdout

    status = forks.run("planbook", "status", cwd=root, env=ENVIRONMENT)
    assert (status.returncode, "tea/01-one.md" in status.stdout) == (0, True)
    assert "docs/gone.md:1: K007 the link to nothing.md leads to nothing; correct it, or remove it" in status.stderr

    filled = forks.run("planbook", "expand", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert (filled.returncode, "Traceback" in filled.stdout) == (0, False), filled.stdout
    assert named(filled.stdout, "documents") == named(filled.stdout, "docs") == sorted(ODD)
    assert "calcium carbonate" in (root / "docs/tea/01-one.md").read_text("utf-8")


def test_what_is_excluded_is_not_reported(tmp_path: Path) -> None:
    """Hidden files, and those that `exclude_docs` names; a hidden one that is published is."""
    root = make(tmp_path / "base")
    (root / "docs/.#water.md").symlink_to("ann@host.123:456")
    (root / "docs/drafts").mkdir()
    (root / "docs/drafts/x.md").symlink_to("/etc/hostname")
    (root / "docs/.well-known").mkdir()
    (root / "docs/.well-known/x.txt").symlink_to("/etc/hostname")
    (root / "mkdocs.yml").write_text(f"exclude_docs: |\n  /drafts/\n  !.well-known\n{SITE.format('')}", "utf-8")
    done = forks.run("mkdocs", "build", "--strict", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert "planbook: docs/.well-known/x.txt:1: K006" in done.stdout
    assert (done.stdout.count("K006"), done.stdout.count("K007")) == (1, 0)
    assert not (root / "site/.well-known/x.txt").exists()
    checked = forks.run("planbook", "check", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert re.findall(r"^(\S+):1:1: error", checked.stdout, re.MULTILINE) == ["docs/.well-known/x.txt"]


def test_what_may_not_be_read(tmp_path: Path) -> None:
    """A page, a picture, a folder and a plan without the right to read them: reported, and the rest is built."""
    root = make(tmp_path / "base")
    put(root, {"docs/shut.md": "# Shut\n", "docs/shut.svg": "<svg/>", "docs/tea/shut/x.md": "", "plans/shut.md": ""})
    closed = [root / name for name in ("docs/shut.md", "docs/shut.svg", "docs/tea/shut", "plans/shut.md")]
    for path in closed:
        path.chmod(0)
    built = obeying_modes([command("mkdocs"), "build"], root)
    checked = obeying_modes([command("planbook"), "check"], root)
    closed[2].chmod(0o755)
    for text in (built, checked):
        assert "Traceback" not in text
        found = re.findall(r"(?:docs|plans)/[^\s:]*shut[^\s:]*(?=:1:.* cannot be read \(Permission denied\))", text)
        assert sorted(found) == ["docs/shut.md", "docs/shut.svg", "docs/tea/shut", "plans/shut.md"]
    assert (root / "site/tea/water/index.html").exists()


def test_serving_with_links_that_lead_back(tmp_path: Path) -> None:
    """The site is served, and a saved page is shown."""
    root = make(tmp_path / "base", "docs")
    with serving(root) as server:
        assert "Hard water" in server.page("tea/water/")
        (root / "docs/tea/water.md").write_text("# Water\n\nSoft water.\n", encoding="utf-8")
        wait_for(lambda: "Soft water" in server.page("tea/water/"), server)
