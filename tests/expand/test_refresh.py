"""`planbook refresh` as a shell sees it: a real server whose documents change, a real mirror with two commits."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests import repositories
from tests.expand.base import commits, files_of, git, make_repository
from tests.expand.loopback import SearchWeb, planbook

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
    return planbook("refresh", "--root", str(root), "--allow-loopback", "--pause", "0", *args)


def test_only_what_rests_on_a_changed_source_is_replaced(tmp_path: Path, web: SearchWeb) -> None:
    """A number, a statement that is another now, a quote elsewhere: three sentences; one commit says which and why."""
    serve(web, OLD)
    first, second = OLD["/time"].split(". ")
    references = item("time", web.url("/time"), q1=f"{first}.", q2=second) + item(
        "leaf", web.url("/leaf"), q1=OLD["/leaf"]
    )
    body = (
        "# Tea\n\nGreen tea takes 120 seconds [@time, q1].  Some say more.\r\n\nBoiling ruins it — “white” tea, too. "
        "[@time, q2] The rest stays.\n\n- Leaves can be used twice [@leaf, q1]\n- and are compost then"
    )
    before = page(references, body)
    root = make_base(
        tmp_path / "base",
        web,
        {
            "tea/1.md": before,
            "tea/2.md": page(item("w", web.url("/water"), q1=OLD["/water"]), "# W\n\nSoft [@w, q1].\n"),
        },
    )
    assert refresh(root, "--all").returncode == 0
    assert commits(root) == []
    changed = "The default steeping time is 150 seconds for green tea. White tea must always be boiled in the kettle."
    serve(web, {"/time": changed})
    dry = refresh(root, "--all", "--dry-run")
    assert dry.returncode == 3
    assert "docs/tea/1.md:" in dry.stdout
    assert git(root, "status", "--porcelain") == ""
    done = refresh(root, "--all", "--branch", "fresh")
    assert done.returncode == 0, done.stdout + done.stderr
    new_first, new_second = changed.split(". ")
    after = before.replace(f"{first}.", f"{new_first}.").replace(f'"{second}"', f'"{new_second}"')
    after = after.replace("takes 120 seconds", "takes 150 seconds").replace(
        "Boiling ruins it — “white” tea, too. [@time, q2]",
        "“About time” states: “White tea must always be boiled in the kettle.” [@time, q2].",
    )
    assert (root / "docs/tea/1.md").read_bytes() == after.encode()
    assert git(root, "branch", "--show-current") == "fresh\n"
    assert files_of(root)[-1] == "M docs/tea/1.md"
    message = git(root, "log", "-1", "--format=%B")
    assert message.startswith("Refresh tea: 2 replaced\n\ndocs/tea/1.md:")
    assert f"- old quote: “{second}”\n- new quote: “{new_second}”\n" in message
    assert (
        "- was: Green tea takes 120 seconds [@time, q1].\n- now: Green tea takes 150 seconds [@time, q1].\n" in message
    )
    assert refresh(root, "--all").returncode == 0
    assert len(commits(root)) == 1
    verified = planbook("verify", "--root", str(root), "--allow-loopback", "--pause", "0", "--offline")
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (
        0,
        "3 of 3 sources in order; 4 of 4 quotes found",
    )


def test_a_dead_source_is_replaced_where_its_words_are_found(tmp_path: Path, web: SearchWeb) -> None:
    """The search finds the same words at another address: the sentence stays, and cites that; nothing else is asked."""
    serve(web, OLD)
    body = "# W\n\nSoft water is best [@water, q1]. Leaves can be used twice [@leaf, q1].\n"
    before = page(
        item("water", web.url("/water"), q1=OLD["/water"]) + item("leaf", web.url("/leaf"), q1=OLD["/leaf"]), body
    )
    root = make_base(tmp_path / "base", web, {"tea/1.md": before})
    del web.pages["/water"], web.pages["/leaf"]
    serve(web, {"/soft": f"Hard water is bad. {OLD['/water']}"})
    web.results[" ".join(OLD["/water"].split()[:16])] = [web.url("/soft")]
    done = refresh(root, str(root / "docs/tea/1.md"))
    assert done.returncode == 3
    text = (root / "docs/tea/1.md").read_text()
    items = yaml.safe_load(text.split("---\n")[1])["references"]
    assert [one["URL"] for one in items] == [web.url("/soft"), web.url("/leaf")]
    new = items[0]["id"]
    assert text.endswith(body.replace("@water", f"@{new}"))
    assert text[text.index("  - id: leaf") :] == before[before.index("  - id: leaf") :].replace("@water", f"@{new}")
    lines = done.stdout.splitlines()
    assert "- why: the server returned 404" in lines
    assert "- stays: Leaves can be used twice [@leaf, q1]." in lines
    assert lines[-1] == "2 sources of 1 page: 1 replaced, 1 left"


def test_offline_the_folder_of_documents_is_searched(tmp_path: Path, web: SearchWeb) -> None:
    """A quote that a newer commit lost is cited from a document beside it; no host is asked."""
    repository = repositories.make_repository(tmp_path / "brew")
    root, before = pinned_base(tmp_path, web, repository)
    config = (root / "mkdocs.yml").read_text().replace("- searxng", "- local")
    (root / "mkdocs.yml").write_text(config)
    (root / "documents").mkdir()
    steeping = f"# Steeping\n\n{GREEN.format(120)}\n\nCups matter as well, and so does the water that is used.\n"
    (root / "documents/steeping.md").write_text(steeping)
    changed = STEEP.replace(GREEN, "Ask Ann how long it takes.").format("")
    repository.commit({"docs/steep.md": changed}, "2026-11-01")
    done = refresh_pinned(root, repository.mirror(tmp_path / "mirror"))
    assert done.returncode == 0, done.stdout
    text = (root / "docs/tea/1.md").read_text()
    items = yaml.safe_load(text.split("---\n")[1])["references"]
    assert items[0]["custom"]["quotes"] == {"q2": CUPS, "q3": "Cups are warmed"}
    assert (items[1]["title"], items[1]["custom"]["quotes"]) == ("Steeping", {"q1": GREEN.format(120)})
    assert text.split("---\n")[2] == before.split("---\n")[2].replace("[@brew, q1]", f"[@{items[1]['id']}, q1]")
    assert web.seen == []


def test_a_move_changes_the_address_only(tmp_path: Path, web: SearchWeb) -> None:
    """After a permanent redirect to a page with the quote, the reference has the new address; to another page, not."""
    serve(web, OLD)
    web.redirect("/old", "/water", 301)
    web.redirect("/home", "/leaf", 301)
    references = item("a", web.url("/old"), q1=OLD["/water"]) + item("b", web.url("/home"), q1=OLD["/time"][:55])
    before = page(references, "# W\n\nSoft [@a, q1]. Quick [@b, q1].\n")
    root = make_base(tmp_path / "base", web, {"tea/1.md": before})
    done = refresh(root, "--all")
    shown = [line for line in done.stdout.splitlines() if line.startswith("docs/")]
    assert shown == ["docs/tea/1.md:22: @a: moved, kept", "docs/tea/1.md:22: @b, q1: removed, left"]
    assert (root / "docs/tea/1.md").read_text() == before.replace(web.url("/old"), web.url("/water"))


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
    return refresh(root, "--all", "--offline", "--mirror", f"leaf/brew={mirror}", *args)


def test_a_pinned_citation_moves_to_the_commit_that_says_it(tmp_path: Path, web: SearchWeb) -> None:
    """Both quotes are at the newer commit, one with another number, one at another line; the diff is in the report."""
    repository = repositories.make_repository(tmp_path / "brew")
    root, before = pinned_base(tmp_path, web, repository)
    first = git(repository.root, "rev-parse", "HEAD").strip()
    newer = repository.commit({"docs/steep.md": STEEP.format(150, "First of all:\n\n")}, "2026-11-01")
    mirror = repository.mirror(tmp_path / "mirror")
    dry = refresh_pinned(root, mirror, "--dry-run")
    assert dry.returncode == 3
    assert f"  -{GREEN.format(120)}\n  +{GREEN.format(150)}\n" in dry.stdout
    assert dry.stdout.splitlines()[-1] == (
        "1 source of 1 page: 1 replaced, 2 quotes at another place of its source. Dry run: nothing was changed."
    )
    done = refresh_pinned(root, mirror)
    assert done.returncode == 0, done.stdout
    head, body = before.replace(GREEN.format(120), GREEN.format(150)).split("---\n\n")
    head = head.replace(first, newer).replace("[9, 9]", "[11, 11]").replace("[7, 7]", "[9, 9]")
    assert (
        root / "docs/tea/1.md"
    ).read_text() == f"{head}---\n\n{body.replace('takes 120', 'takes 150').replace(first, newer)}"
    checked = planbook("verify", "--root", str(root), "--offline", "--newer", "--mirror", f"leaf/brew={mirror}")
    assert checked.returncode == 0, checked.stdout


def test_a_pinned_citation_stays_if_one_of_its_quotes_is_lost(tmp_path: Path, web: SearchWeb) -> None:
    """It is proven at its commit; there is no page that cites two commits in one reference."""
    repository = repositories.make_repository(tmp_path / "brew")
    root, before = pinned_base(tmp_path, web, repository)
    repository.commit({"docs/steep.md": STEEP.format(150, "").replace(CUPS, "Ask Ann.")}, "2026-11-01")
    done = refresh_pinned(root, repository.mirror(tmp_path / "mirror"))
    assert done.returncode == 3
    assert (root / "docs/tea/1.md").read_text() == before
    assert "another quote of this reference could not be settled" in done.stdout
    assert "- stays: It takes 120 seconds [@brew, q1]." in done.stdout
    assert "150 seconds [@brew" not in done.stdout
    assert commits(root) == []


def test_a_renamed_file_is_followed(tmp_path: Path, web: SearchWeb) -> None:
    """Its new text is compared; the citation moves to its new path if a quote changed."""
    repository = repositories.make_repository(tmp_path / "brew")
    root, _ = pinned_base(tmp_path, web, repository)
    newer = repository.commit({"docs/steep.md": None, "guide/steep.md": STEEP.format(150, "")}, "2026-11-01")
    done = refresh_pinned(root, repository.mirror(tmp_path / "mirror"))
    assert done.returncode == 0, done.stdout
    text = (root / "docs/tea/1.md").read_text()
    assert f"URL: https://github.com/leaf/brew/blob/{newer}/guide/steep.md\n" in text
    assert "path: guide/steep.md\n" in text


def changing(tmp_path: Path, web: SearchWeb) -> Path:
    """A base with a page whose source has changed since."""
    serve(web, OLD)
    references = item("time", web.url("/time"), q1=OLD["/time"].split(". ")[0])
    root = make_base(
        tmp_path / "base", web, {"tea/1.md": page(references, "# T\n\nIt takes 120 seconds [@time, q1].\n")}
    )
    serve(web, {"/time": OLD["/time"].replace("120", "150")})
    return root


def test_changes_of_others_are_not_committed(tmp_path: Path, web: SearchWeb) -> None:
    """A page with uncommitted changes is refused, and written only with --no-commit; staged changes are refused."""
    root = changing(tmp_path, web)
    path = root / "docs/tea/1.md"
    path.write_text(path.read_text() + "\nMine.\n")
    before = path.read_text()
    done = refresh(root, "--all")
    assert done.returncode == 1
    assert done.stderr == "Error: docs/tea/1.md has uncommitted changes; commit them first, or run with --no-commit\n"
    assert path.read_text() == before
    assert refresh(root, "--all", "--no-commit").returncode == 0
    assert path.read_text() == before.replace("120", "150")
    assert commits(root) == []


def test_pages_are_chosen_by_name_or_age(tmp_path: Path, web: SearchWeb) -> None:
    """Without a choice, the command says how to choose; a page that was just checked is not old."""
    root = changing(tmp_path, web)
    assert "name pages, or use --all or --older-than" in refresh(root).stderr
    assert "such as 90d" in refresh(root, "--older-than", "9 weeks").stderr
    assert refresh(root, str(root / "mkdocs.yml")).returncode == 2
    old = refresh(root, "--older-than", "90d", "--dry-run")
    assert old.stdout.splitlines()[-1] == "1 source of 1 page: 1 replaced. Dry run: nothing was changed."
    assert refresh(root, "--older-than", "90d").returncode == 0
    serve(web, {"/time": OLD["/time"]})
    assert planbook("verify", "--root", str(root), "--allow-loopback", "--pause", "0").returncode == 1
    young = refresh(root, "--older-than", "90d")
    assert (young.returncode, young.stdout) == (0, "0 sources of 0 pages: nothing is stale\n")
