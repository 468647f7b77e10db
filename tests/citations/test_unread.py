"""Sources and access dates of prose that are not read: each is named with its line, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbook.citations.mentions import find_references, find_unread_sources
from planbook.citations.work_metadata import find_access_date
from planbook.cli.project import local_sources
from planbook.library import link_tree
from planbook.rules.pages import check_page
from planbook.rules.project import Project
from planbook.rules.sources import check_document_names
from planbook.store import read_settings, read_tree
from planbook.store.cited_files import unread_documents
from tests.files import put

HEAD = "# Tea\n\n## Sources\n\n"


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("- Miller, The Mill Book, Press, 1983", "'Miller, The Mill Book, Press, 1983' has no address"),
        ("1. Smith 2020, personal communication", "has no address"),
        ("[3] Lee, B. Leaves and Water. 2nd ed.", "has no address"),
        ("- www.leaf.example/page", "'www.leaf.example/page' has no address"),
        ("- [Leaf](https://leaf.example/) (accessed yesterday)", "'(accessed yesterday)' is not a day"),
        ("- https://leaf.example/ [retrieved: 31 November 2026]", "is not a day"),
        (
            "- [Leaf](https://leaf.example/) (accessed 3/4/2026)",
            "'3/4/2026' is read with the month first; write 2026-03-04",
        ),
        ("- Miller 1983", "'Miller 1983' has no address"),
        ("- RFC 2616", "'RFC 2616' has no address"),
        ("- ISBN 978-3-16-148410-0", "'ISBN 978-3-16-148410-0' has no address"),
        ("- ISBN: 978-3-16-148410-0", "'ISBN: 978-3-16-148410-0' has no address"),
        ('- LEAF: Miller et al. "Learning from Leaves and Water" (2021)', "has no address"),
        ("- Book: Miller, The Mill Book", "'Book: Miller, The Mill Book' has no address"),
    ],
)
def test_a_line_is_named(line: str, part: str) -> None:
    """A line that is not read is named by its number in the text."""
    found = list(find_unread_sources(HEAD + line + "\n"))
    assert [(n, part in what) for n, what in found] == [(5, True)]


@pytest.mark.parametrize(
    "line",
    [
        "- [Leaf](https://leaf.example/) (accessed 2026-11-20)",
        "- https://leaf.example/, last visited 2026-10",
        "- Leaf and water\n  https://leaf.example/",
        '- "a query that was searched"',
        "- Papers on water and leaves:\n    - https://leaf.example/",
        "- Accessed 2026-11-20",
        "- https://leaf.example/ (accessed 13/4/2026)",
        "- https://leaf.example/ (accessed 4/4/2026)",
        "- https://leaf.example/ (accessed 3.4.2026)",
        "- Content: two tables of leaves",
        '- Content: a table "Ash"',
        '- Google Search: "Rye ash content 2024"',
        '- Search results for "Rye ash content 2024" - prices',
        "- Nothing yet",
        "Last updated in November",
    ],
)
def test_what_is_read_or_no_source_is_not_named(line: str) -> None:
    """Works with an address, queries, labels, dates and remarks."""
    assert list(find_unread_sources(HEAD + line + "\n")) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("(last visited 2026-10)", "2026-10"),
        ("accessed Nov 2026", "2026-11"),
        ("(accessed November 31, 2026)", None),
        ("(accessed 29.02.2026)", None),
        ("(accessed 2026-13)", None),
    ],
)
def test_an_access_date_exists(text: str, day: str | None) -> None:
    """A month is one; a day that no calendar has is none."""
    assert find_access_date(text) == day


def test_formats_of_documents_that_are_not_read_are_reported(tmp_path: Path) -> None:
    """Bibliographies and texts, with what to do; pictures and the like are no documents."""
    put(tmp_path, {f"documents/a{suffix}": "x" for suffix in (".bib", ".PPTX", ".md", ".json", ".png")})
    found = unread_documents(tmp_path, "documents")
    assert {(one.uri, one.code) for one in found} == {("documents/a.bib", "K018"), ("documents/a.PPTX", "K018")}


def test_a_column_of_sources_is_named() -> None:
    """On the line of its head; a table in a list of sources is read, and one without addresses is none."""
    table = "| Claim | Source |\n| --- | --- |\n| Lime dulls | https://lime.example/ |\n"
    found = list(find_unread_sources(f"# Tea\n\n{table}"))
    assert [(n, "below 'Source' are links" in what) for n, what in found] == [(3, True)]
    later = table.replace("https://lime.example/", "Miller") + "| Lime is white | lime.example/white |\n"
    for text in (later, later.replace("lime.example/white", "[Lime](https://lime.example/)")):
        assert [n for n, _ in find_unread_sources(f"# Tea\n\n{text}")] == [3]
    assert list(find_unread_sources(HEAD + table)) == []
    assert list(find_unread_sources(f"# Tea\n\n{table}", [{"id": "lime"}])) == []
    assert list(find_unread_sources("# Tea\n\n" + table.replace("https://lime.example/", "Miller"))) == []


def test_a_page_of_a_program_whose_sources_are_not_read_is_named() -> None:
    """Its text may quote other works; without `references`, it seems to cite nothing."""
    text = "---\ngenerated: {by: someone}\n---\n\n# Tea\n\n## Sources\n\n- [Leaf](https://leaf.example/)\n"
    found = check_page(text.encode(), "tea.md", ("K018",))
    assert [(one.line, "a program wrote it" in one.message) for one in found] == [(9, True)]
    for other in (
        text.replace("generated: {by: someone}", "references: []"),
        text.replace("- [Leaf]", "See [leaf]")[:60],
    ):
        assert check_page(other.encode(), "tea.md", ("K018",)) == ()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("*Last checked: gestern*", "gestern"),
        ("**Accessed**: last week", "last week"),
        ("- Date of access: 2026-11-31", "2026-11-31"),
        ("All sources accessed: Q3 2026", "Q3 2026"),
    ],
)
def test_a_line_that_dates_the_page_by_no_day_is_named(line: str, words: str) -> None:
    """The line is named although no list of sources is near it."""
    found = list(find_unread_sources(f"# Tea\n\n{line}\n\n{HEAD[7:]}- https://leaf.example/\n"))
    assert found == [(3, f"{words!r} is not a day; write `(accessed YYYY-MM-DD)`")]


@pytest.mark.parametrize(
    "line",
    [
        "*Last checked: 2026-11-20*",
        "**Access**: through the console",
        "Retrieved: 12 pages",
        "accessed: null",
        "Last checked: by two people, with three kettles, twice",
        "Last visited: https://leaf.example/",
    ],
)
def test_other_lines_with_such_words_are_not_named(line: str) -> None:
    """Days, values of programs, and sentences."""
    assert list(find_unread_sources(f"# Tea\n\n{line}\n")) == []


@pytest.mark.parametrize(
    "line",
    [
        "*Last checked: 2026-11-20*",
        "Date of access: 2026-11-20",
        "Sources last checked 2026-11-20.",
        "All sources were last visited on 2026-11-20.",
    ],
)
def test_a_line_dates_all_sources_by_every_verb(line: str) -> None:
    """Other verbs than *accessed* and *retrieved* date them, too."""
    text = f"# Tea\n\n{line}\n\n{HEAD[7:]}- [Leaf](https://leaf.example/)\n"
    assert [work.accessed for work in find_references(text, "tea.md")[0]] == ["2026-11-20"]


def test_a_title_in_quotation_marks_is_named_where_no_queries_are_listed() -> None:
    """A query is in small letters, has operators, or stands below a heading on searches."""
    title = '- "The Leaf and the Water"\n'
    assert [n for n, _ in find_unread_sources(HEAD + title)] == [5]
    for text in (
        f"# Tea\n\n## Web research sources\n\n{title}",
        f"{HEAD}**Queries:**\n\n{title}",
        HEAD + title.lower(),
        f'{HEAD}- "Leaf AND Water site:leaf.example"\n',
    ):
        assert list(find_unread_sources(text)) == []


TWO = "Lime dulls (Miller, 2019). Steam *Huber (2021)* says, and Lee et al. (2018) agree.\n"


def test_works_named_by_author_and_year_only_are_named_once() -> None:
    """All in one note; those of which a source has the name are its own."""
    [(line, what)] = find_unread_sources(f"# Tea\n\n{TWO}")
    assert (line, what.startswith("'Miller, 2019' and 2 other works are named by author and year")) == (3, True)
    listed = f"# Tea\n\n{TWO}\n## Sources\n\n- [Miller, Huber and Lee: Lime](https://lime.example/)\n"
    in_front_matter = [{"id": "a", "author": [{"family": "Miller"}, {"family": "Lee"}, {"family": "Huber"}]}]
    assert [n for n, _ in find_unread_sources(listed)] == []
    assert list(find_unread_sources(f"# Tea\n\n{TWO}", in_front_matter)) == []
    [(_, what)] = find_unread_sources("# Tea\n\nLime dulls (Miller, 2019).\n")
    assert what.startswith("'Miller, 2019' is named by author and year, and is no source here")
    examples = "Write `(Miller, 2019)` or ``according to Huber (2021)``, or ``(Lee, 2018)``."
    for text in (
        "Lime dulls (May, 2019).",
        examples,
        TWO.replace("\n", " [1]"),
        "Kepler (2012), Volta (2017), Hopper (2022)",
    ):
        assert list(find_unread_sources(f"# Tea\n\n{text}\n")) == []


def test_a_document_whose_name_alone_means_a_work_is_named(tmp_path: Path) -> None:
    """By a DOI, an id of arXiv or a title; not if the reference names a file."""
    page = (
        "# Tea\n\n## Sources\n\n- [Leaf](https://doi.org/10.1000/Xyz.123)\n- [Lime](https://arxiv.org/abs/2106.12345v2)\n"
        "- [The Mill Book of Ash](https://mill.example/)\n- [Steam](https://steam.example/)\n"
    )
    names = ("10.1000_xyz.123.pdf", "arXiv-2106.12345.pdf", "papers/the-mill-book-of-ash.txt", "steam.md")
    put(tmp_path, {"mkdocs.yml": "site_name: T\nplugins: [planbook]\n", "docs/tea.md": page})
    put(tmp_path, {f"documents/{name}": "x" for name in names})
    settings = read_settings(tmp_path)
    tree = read_tree(settings)
    project = Project(tree=tree, library=link_tree(tree), sources=local_sources(settings))
    found = list(check_document_names(project))
    assert [(one.line, one.message.split()[5].strip(",")) for one in found] == [
        (line, f"documents/{name}") for line, name in zip((5, 6, 7), names, strict=False)
    ]
