"""`planbook verify --changes` in a shell: a real server whose documents change, a real mirror with two commits."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests import repositories
from tests.files import git
from tests.research.expand.base import make_repository
from tests.research.expand.loopback import SearchWeb, planbook

MORE = "<p>" + "A kettle is filled with fresh water, and only as much of it as is needed for the cups. " * 6 + "</p>"
OLD = {
    "/time": "The default steeping time is 120 seconds for green tea. White tea must never be boiled in the kettle.",
    "/water": "Soft water brings out the flavour of every tea far better than hard water ever will.",
    "/leaf": "A second infusion of the same leaves takes half as long as the first infusion did.",
}
PLAN = """# Tea

## PART 1: Create tea/1.md

- [✓] PART 1: Create tea/1.md (Completed 2026-11-19 10:00)

## PART 2: Create tea/2.md

- [✓] PART 2: Create tea/2.md (Completed 2026-11-19 10:00)
"""


@pytest.fixture
def web() -> Iterator[SearchWeb]:
    """A server on loopback, with a search engine."""
    with SearchWeb() as running:
        yield running


def serve(web: SearchWeb, texts: dict[str, str]) -> None:
    """Serve documents by path."""
    for path, text in texts.items():
        web.html(path, f"<main><h1>About {path[1:]}</h1><p>{text}</p>{MORE}</main>", title=f"About {path[1:]}")


def item(id_: str, url: str, **quotes: str) -> str:
    """A reference of a page, as people write it."""
    listed = "".join(f'        {key}: "{quote}"  # mine\n' for key, quote in quotes.items())
    return f"  - id: {id_}  # ours\n    title: 'About {id_}'\n    URL: {url}\n    custom:\n      quotes:\n{listed}"


def make_base(root: Path, web: SearchWeb, pages: dict[str, str]) -> Path:
    """A base with these pages, whose sources are on `web`."""
    config = {"search": {"providers": ["searxng"], "searxng_url": web.url("")}, "pause": 0, "allow_loopback": True}
    options = yaml.safe_dump({"site_name": "Tea", "plugins": [{"planbook": {"expand": config}}]})
    files = {"mkdocs.yml": options, "plans/tea.md": PLAN, "docs/INDEX.md": "", "docs/index.md": "# Home\n"}
    return make_repository(root, {**files, **{f"docs/{uri}": text for uri, text in pages.items()}})


def page(references: str, body: str) -> str:
    """A page of the base."""
    return f"---\ntitle:  Tea # spaced\nplan: tea\nreferences:\n{references}tags: [a,  b]\n---\n\n{body}"


def refresh(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command, in a hurry."""
    return planbook("verify", "--changes", "--root", str(root), "--allow-loopback", "--pause", "0", *args)


def test_changed_and_lost_quotes_are_reported_side_by_side(tmp_path: Path, web: SearchWeb) -> None:
    """Each stale quote has its place on the page and the source's words of today; no file changes."""
    serve(web, OLD)
    first, second = OLD["/time"].split(". ")
    references = item("time", web.url("/time"), q1=f"{first}.", q2=second) + item(
        "leaf", web.url("/leaf"), q1=OLD["/leaf"]
    )
    body = (
        "# Tea\n\nGreen tea takes 120 seconds [@time, q1].\n\nBoiling ruins white tea [@time, q2].\n\n"
        "- Leaves can be used twice [@leaf, q1]\n"
    )
    root = make_base(tmp_path / "base", web, {"tea/1.md": page(references, body)})
    assert refresh(root).stdout == "2 sources of 1 page: nothing is stale\n"
    changed = "The default steeping time is 150 seconds for green tea. White tea must always be boiled in the kettle."
    serve(web, {"/time": changed})
    del web.pages["/leaf"]
    done = refresh(root)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.split(": the ")[0] for line in lines if line.startswith("docs/")] == [
        "docs/tea/1.md:23: @time, q1: changed",
        "docs/tea/1.md:25: @time, q2: changed",
        "docs/tea/1.md:27: @leaf, q1: gone",
    ]
    new_first, new_second = changed.split(". ")
    assert [line for line in lines if line.startswith("- ")] == [
        f"- was: “{first}.”",
        f"- now: “{new_first}.”",
        f"- was: “{second}”",
        f"- now: “{new_second}”",
        f"- was: “{OLD['/leaf']}”",
    ]
    assert lines[-1] == "1 of 2 sources of 1 page compared: 2 changed, 1 gone"
    assert git(root, "status", "--porcelain") == ""


def test_reopen_marks_the_part_and_expand_writes_the_page_anew(tmp_path: Path, web: SearchWeb) -> None:
    """With --reopen the PART of a stale page is partial; a page of no PART is named; `expand` cites the new words."""
    root = changing(tmp_path, web)
    reference = item("time", web.url("/time"), q1=OLD["/time"].split(". ")[0])
    (root / "docs/tea/extra.md").write_text(page(reference, "# E\n\nIt takes 120 seconds [@time, q1].\n"))
    plan = (root / "plans/tea.md").read_text().replace("## PART 2", '- [ ] Search: "steeping"\n\n## PART 2')
    (root / "plans/tea.md").write_text(plan)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Add a page")
    web.results["steeping"] = [web.url("/time")]
    done = refresh(root, "--reopen")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == [
        "plans/tea.md:5: PART 1 is open again",
        "tea/extra.md: belongs to no PART; edit it by hand",
    ]
    line = (root / "plans/tea.md").read_text().splitlines()[4]
    assert line.startswith("- [/] PART 1: Create tea/1.md (Partial ")
    assert line.endswith(" UTC: reopened, 1 quote changed at the source)")
    git(root, "commit", "-qam", "Reopen")
    filled = planbook("expand", "--root", str(root), "--allow-loopback", "tea", "1")
    assert filled.returncode == 0, filled.stdout + filled.stderr
    assert "150 seconds" in (root / "docs/tea/1.md").read_text()
    assert "120 seconds" not in (root / "docs/tea/1.md").read_text()


def test_a_quote_of_several_sentences_is_shown_beside_the_new_words(tmp_path: Path, web: SearchWeb) -> None:
    """One digit of it changed, in one paragraph, over two, or over list items: old and new, and what differs."""
    sentences = f"{OLD['/time']} {OLD['/water']}"
    items = ("Black tea steeps for four minutes at most", "Green tea steeps for 120 seconds", OLD["/leaf"])
    document = f"# Tea\n\n{OLD['/time']}\n\n{OLD['/water']}\n\n" + "".join(f"- {item}\n" for item in items)
    quotes = {"q1": OLD["/time"], "q2": sentences, "q3": " ".join(items)}
    listed = "".join(f'        {key}: "{quote}"\n' for key, quote in quotes.items())
    reference = f"  - id: a\n    title: A\n    custom:\n      file: documents/a.md\n      quotes:\n{listed}"
    root = make_base(
        tmp_path / "base", web, {"tea/1.md": page(reference, "# Tea\n\nA [@a, q1] B [@a, q2] C [@a, q3]\n")}
    )
    (root / "documents").mkdir()
    (root / "documents/a.md").write_text(document, encoding="utf-8")
    assert refresh(root).stdout == "1 source of 1 page: nothing is stale\n"
    (root / "documents/a.md").write_text(document.replace("120", "150"), encoding="utf-8")
    done = refresh(root)
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1]) == (1, "1 source of 1 page: 3 changed")
    assert [line for line in lines if line.startswith("- now")] == [
        f"- now: “{quote.replace('120', '150')}”" for quote in quotes.values()
    ]
    assert lines.count("- differs: “120” is now “150”") == 2  # the first quote is short
    (root / "documents/a.md").write_text(document.replace(" for 120 seconds", ""), encoding="utf-8")
    assert refresh(root).stdout.count("- differs: “for 120 seconds” is gone\n") == 1


STEEP = """# Steeping

Green tea is steeped for {} seconds, since more makes it bitter.

## Cups

{}Cups are warmed before the tea is poured.

Cups are warmed.
"""
GREEN = "Green tea is steeped for {} seconds, since more makes it bitter."
CUPS = "Cups are warmed before the tea is poured."


def pinned_base(tmp_path: Path, web: SearchWeb, repository: repositories.Repository) -> tuple[Path, str]:
    """A base with a page that cites a file of `repository` at its present commit; and the text of the page."""
    commit = repository.commit({"docs/steep.md": STEEP.format(120, "")})
    url = f"https://github.com/leaf/brew/blob/{commit}/docs/steep.md"
    more = f"      lines: {{q1: [3, 3], q2: [7, 7], q3: [9, 9]}}\n      commit: {commit}\n      path: docs/steep.md\n"
    text = page(
        item("brew", url, q1=GREEN.format(120), q2=CUPS, q3="Cups are warmed") + more,
        f"# B\n\nIt takes 120 seconds [@brew, q1]. Cups are warm [@brew, q2].\n\n- [Brew]({url}) [@brew]\n",
    )
    return make_base(tmp_path / "base", web, {"tea/1.md": text}), text


def refresh_pinned(root: Path, mirror: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command, with a mirror and nothing else."""
    return refresh(root, "--offline", "--mirror", f"leaf/brew={mirror}", *args)


def test_a_pinned_citation_is_compared_with_the_newest_commit(tmp_path: Path, web: SearchWeb) -> None:
    """A file of a mirror is followed to its newest commit, and to its new name; unchanged quotes are not reported."""
    repository = repositories.make_repository(tmp_path / "brew")
    root, _ = pinned_base(tmp_path, web, repository)
    newer = repository.commit(
        {"docs/steep.md": None, "guide/steep.md": STEEP.format(150, "First of all:\n\n")}, "2026-11-01"
    )
    done = refresh_pinned(root, repository.mirror(tmp_path / "mirror"))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"docs/tea/1.md:21: @brew, q1: changed: commit {newer[:12]} of 2026-11-01 has other words there",
        f"- was: “{GREEN.format(120)}”",
        f"- now: “{GREEN.format(150)}”",
        "1 source of 1 page: 1 changed",
    ]


def test_a_quote_without_a_counterpart_is_missing(tmp_path: Path, web: SearchWeb) -> None:
    """Words that the cited commit had beside the quote are not its new wording."""
    repository = repositories.make_repository(tmp_path / "brew")
    root, _ = pinned_base(tmp_path, web, repository)
    repository.commit({"docs/steep.md": STEEP.format(120, "").replace(CUPS, "Ask Ann.")}, "2026-11-01")
    lines = refresh_pinned(root, repository.mirror(tmp_path / "mirror")).stdout.splitlines()
    assert lines[0].startswith("docs/tea/1.md:21: @brew, q2: missing: ")
    assert lines[1:] == [f"- was: “{CUPS}”", "1 source of 1 page: 1 missing"]


def changing(tmp_path: Path, web: SearchWeb) -> Path:
    """A base with a page whose source has changed since."""
    serve(web, OLD)
    references = item("time", web.url("/time"), q1=OLD["/time"].split(". ")[0])
    root = make_base(
        tmp_path / "base", web, {"tea/1.md": page(references, "# T\n\nIt takes 120 seconds [@time, q1].\n")}
    )
    serve(web, {"/time": OLD["/time"].replace("120", "150")})
    return root


def test_pages_are_chosen_by_name_or_age(tmp_path: Path, web: SearchWeb) -> None:
    """Without a choice, all pages are read; a page that was just checked is not old."""
    root = changing(tmp_path, web)
    assert refresh(root).stdout.splitlines()[-1] == "1 source of 1 page: 1 changed"
    assert "such as 90d" in refresh(root, "--older-than", "9 weeks").stderr
    assert refresh(root, str(root / "mkdocs.yml")).returncode == 2
    assert refresh(root, "--older-than", "90d").stdout.splitlines()[-1] == "1 source of 1 page: 1 changed"
    assert planbook("verify", "--root", str(root), "--allow-loopback", "--pause", "0").returncode == 1
    young = refresh(root, "--older-than", "90d")
    assert (young.returncode, young.stdout) == (0, "nothing to compare: no selected page cites a source\n")
