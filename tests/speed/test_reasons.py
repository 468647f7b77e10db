"""A verbose build says of each page why it is read, rendered or built again, and builds the same site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import pytest

from planbook_speed import reasons
from planbook_speed.reasons import NotKept, Reason
from tests.plugin.serving import serving, wait_for
from tests.speed.conftest import Engine, Outcome, Site, kept

PAGE = "wheat/1.md"


def verbose(site: Site) -> Outcome:
    """What comes of a verbose build; its files and its exit code are those of one without planbook-speed."""
    plain, quick = site.plain("-v"), site.quick("-v")
    assert (quick.code, quick.files) == (plain.code, plain.files), "\n".join(quick.log)
    return quick


def said_in(log: Iterable[str], uri: str) -> list[str]:
    """What a log says of a page."""
    return [line.rstrip().partition(f": {uri}: ")[2] for line in log if f"planbook-speed: {uri}: " in line]


def said_of(outcome: Outcome, uri: str) -> list[str]:
    """What the build says of a page."""
    return said_in(outcome.said, uri)


def hook(event: str) -> Callable[[Site], None]:
    """A change that adds a hook which does nothing in an event."""
    arguments = {"page_markdown": "markdown, page, config, files", "page_context": "context, page, config, nav"}

    def change(site: Site) -> None:
        site.write("hook.py", f"def on_{event}({arguments.get(event, 'output, page, config')}):\n    return None\n")
        site.config["hooks"] = ["hook.py"]

    return change


def option(site: Site) -> None:
    """Change an option of an extension."""
    site.config["markdown_extensions"][5] = {"toc": {"permalink": False}}


def name(site: Site) -> None:
    """Change an option of MkDocs."""
    site.config["site_name"] = "Cakes"


def plugin(site: Site) -> None:
    """Change an option of a plugin."""
    site.config["plugins"] = [{"search": {"separator": "x"}}, "tags"]


def remove(site: Site) -> None:
    """Remove the page that it links to."""
    (site.root / "docs/0.md").unlink()


def delete(site: Site) -> None:
    """Delete its file of the last build."""
    (site.root / "site/wheat/1/index.html").unlink()


def more(site: Site) -> None:
    """Add a paragraph to the page."""
    site.write(f"docs/{PAGE}", (site.root / "docs" / PAGE).read_text("utf-8") + "\nMore *words*.\n")


CHANGES: dict[str, tuple[Callable[[Site], object], list[str]]] = {
    "nothing": (lambda _: None, ["reused: nothing that its template can read has changed"]),
    "page": (
        lambda site: site.write(f"docs/{PAGE}", "# Other\n"),
        [
            "read again: changed: its file",
            "rendered again: no earlier build has kept the HTML",
            "built again: changed: its HTML, its file, its attributes, .*, its table of contents",
        ],
    ),
    "neighbour": (
        lambda site: site.write("docs/wheat/2.md", "# Another title\n"),
        ["built again: changed: its place in the site, the navigation"],
    ),
    "metadata": (
        lambda site: site.write(f"docs/{PAGE}", "---\nsubtitle: x\n---\n# Other\n"),
        ["read again: changed: its file", "rendered again", "built again: changed: .*its file, .*, its metadata"],
    ),
    "option": (
        option,
        ["read again: changed: the options of the extension 'toc'", "rendered again", "built again: changed: its HTML"],
    ),
    "name": (name, ["built again: changed: the option 'site_name'"]),
    "plugin": (plugin, ["built again: changed: the plugin '[\\w/]*search' or its options"]),
    "template": (
        lambda site: site.write("theme/main.html", '{% extends "base.html" %}\n<!-- x -->\n'),
        ["built again: changed: the template .*theme/main.html"],
    ),
    "new-template": (
        lambda site: site.write("theme/other.html", "x\n"),
        ["built again: changed: the template .*theme/other.html, the folders of templates"],
    ),
    "link": (remove, ["read again: changed: where a link to 0.md leads", "rendered again", "built again"]),
    "file": (delete, ["built again: its file in the site is missing, or was changed"]),
    "markdown": (
        hook("page_markdown"),
        [
            "read again: the plugin '[^']*hook.py' in on_page_markdown declares nothing of what it reads or changes",
            "reused",
        ],
    ),
    "context": (
        hook("page_context"),
        [
            "read again: .* in on_page_context declares nothing",
            "built again: the plugin '[^']*hook.py' in on_page_context",
        ],
    ),
    "output": (
        hook("post_page"),
        ["read again: .*", "given to plugins again: .*the plugin '[^']*hook.py' in on_post_page declares nothing"],
    ),
}


BY_DAY = {"nothing", "page", "option", "template", "link", "markdown", "output"}


@pytest.mark.parametrize(
    "change", [pytest.param(change, marks=() if change in BY_DAY else pytest.mark.nightly) for change in CHANGES]
)
def test_a_verbose_build_says_why(site: Site, change: str) -> None:
    """Each line names what has changed, or the plugin that may have changed it; the build reuses what others made."""
    site.config["nav"] = [{"Rye": ["rye/0.md", "index.md"]}, {"Wheat": ["wheat/0.md", PAGE, "wheat/2.md"]}]
    site.write(f"docs/{PAGE}", "# Page\n\n*text* and [a link](../0.md)\n")
    site.quick()
    act, expected = CHANGES[change]
    act(site)
    if "hooks" in site.config:
        site.quick()
    said = said_of(verbose(site), PAGE)
    assert len(said) == len(expected), said
    for line, pattern in zip(said, expected, strict=True):
        assert re.match(pattern, line), line
    site.assert_same()


def test_a_build_after_a_quiet_one_says_why(site: Site) -> None:
    """Messages are logged again only at their level, so its pages are of no use."""
    site.quick("-q")
    expected = [f"read again: changed: {reasons.LEVELS}", "rendered again", f"built again: changed: {reasons.LEVELS}"]
    for line, start in zip(said_of(verbose(site), PAGE), expected, strict=True):
        assert line.startswith(start), line


def test_a_first_build_says_why(site: Site) -> None:
    """Every page is new."""
    for line in said_of(verbose(site), PAGE):
        assert line.endswith((Reason.NEW.of(), Reason.NO_HTML.of()))


def test_a_verbose_build_keeps_what_others_keep(site: Site) -> None:
    """After it, all pages are reused, by verbose builds and by others; MkDocs checks anchors only in these."""
    verbose(site)
    assert said_of(verbose(site), PAGE) == [f"reused: {Reason.SAME.of()}"]
    same, others = kept(site, first=["-v"])
    assert (bool(same), others) == (True, set())
    assert any("does not contain an anchor" in line for line in site.assert_same().log)
    site.write(f"docs/{PAGE}", "# Other\n\n[Nowhere](../0.md#never)\n")
    verbose(site)
    outcome = site.assert_same()
    assert any("'0.md' does not contain an anchor '#never'" in line for line in outcome.log)


NOT_KEPT: dict[NotKept, str] = {
    NotKept.NO_TEXT: "",
    NotKept.OTHER_TEXT: "# All\n\n<!-- material/tags -->\n",
    NotKept.METADATA: "---\nat: 2026-11-30 10:00:00\n---\n# Dated\n",
}
"""The text of a page of which a build keeps nothing."""


def test_a_page_that_cannot_be_kept_says_why(served: Site) -> None:
    """In a build after another one, and while serving, where values of any kind are kept."""
    uris = {cause: f"{cause.name.lower()}.md" for cause in NOT_KEPT}
    for cause, text in NOT_KEPT.items():
        served.write(f"docs/{uris[cause]}", text)
    for build in (served.quick, served.rebuild):
        build()
        outcome = build("-v")
        for cause, uri in uris.items():
            line = said_of(outcome, uri)[0]
            expected = f"read again: {Reason.NOT_KEPT.of(cause.value)}"
            if build == served.rebuild and cause is NotKept.METADATA:
                expected = f"reused: {Reason.SAME.of()}"
            assert line == expected


@pytest.fixture
def served(site: Site) -> Iterator[Site]:
    """A site with a process of its own, which keeps what it knows of the last build."""
    site.engine = Engine()
    yield site
    site.engine.close()


def test_a_verbose_server_says_why(served: Site) -> None:
    """Only what was saved is read, rendered and built again, as without `-v`."""
    site = served
    site.rebuild("-v")
    more(site)
    outcome = site.rebuild("-v")
    assert [line.partition(":")[0] for line in said_of(outcome, PAGE)] == [
        "read again",
        "rendered again",
        "built again",
    ]
    assert said_of(outcome, "index.md") == [f"reused: {Reason.SAME.of()}"]


def test_a_server_gives_one_answer(site: Site) -> None:
    """It builds a saved page before all others, and comes to it once more: it says once that it was built again."""
    site.configure()
    with serving(site.root, "speed.yml", "base/", "-v") as server:
        begun = len(server.log)
        more(site)
        wait_for(lambda: server.reloads == 1, server)
        said = said_in(server.log[begun:], PAGE)
        others = said_in(server.log[begun:], "index.md")
    assert [line.partition(":")[0] for line in said] == ["read again", "rendered again", "built again"]
    assert said[-1].startswith("built again: changed: its HTML, its file")
    assert others == [f"reused: {Reason.SAME.of()}"]


OF_ALL: tuple[tuple[Callable[[Site], object], list[str]], ...] = (
    (name, ["built again: changed: the option 'site_name'"]),
    (option, ["read again: changed: the options of the extension 'toc'", "built again: .*the option 'mdx_configs'"]),
    (CHANGES["template"][0], ["built again: changed: the template .*theme/main.html"]),
    (CHANGES["neighbour"][0], ["built again: changed: the navigation"]),
    (more, []),
)
"""Changes, one after the other, and what is said of all pages."""


@pytest.mark.parametrize("way", ["rebuild", pytest.param("quick", marks=pytest.mark.nightly)])
def test_one_line_names_what_all_pages_share(served: Site, way: str) -> None:
    """While serving, where all pages are then built before MkDocs comes to them, and in a build."""
    build = {"rebuild": served.rebuild, "quick": served.quick}[way]
    build("-v")
    for act, expected in OF_ALL:
        act(served)
        said = said_of(build("-v"), reasons.ALL_PAGES)
        assert len(said) == len(expected), said
        for line, pattern in zip(said, expected, strict=True):
            assert re.match(pattern, line), line


@pytest.mark.parametrize(
    ("last", "now", "expected"),
    [
        ({}, {}, []),
        ({"a": "1"}, {"a": "1"}, []),
        ({"a": "1", "gone": "2"}, {"new": "3", "a": "2"}, ["new", "a", "gone"]),
    ],
)
def test_changed_parts_are_named(last: dict[str, str], now: dict[str, str], expected: list[str]) -> None:
    """Those that differ, those that are new, and those that are gone."""
    assert reasons.changed_names(last, now) == expected


def test_many_names_are_counted() -> None:
    """A reason is one line."""
    assert reasons.describe_changed_inputs("abcdefgh") == "changed: a, b, c, d, e, f and 2 more"
    assert reasons.describe_changed_inputs([]) == ""
