"""All references of a page, in its front matter and in its prose."""

from __future__ import annotations

from planbook.citations.references import read_references

PROSE = "From [Rye](https://rye.test/a):\n\nThe paper arXiv:2301.01234 agrees.\n\n## Sources\n\n- [Oats](https://oat.test/)\n"
META = "title: Rye\nreferences:\n  - {id: mill, title: Mill, URL: https://mill.test/}\n"


def test_works_of_prose_are_found() -> None:
    """Those of the front matter come first."""
    references, _ = read_references(f"---\n{META}---\n\n{PROSE}", "a.md")
    assert [reference.url for reference in references] == [
        "https://mill.test/",
        "https://rye.test/a",
        "https://arxiv.org/abs/2301.01234",
        "https://oat.test/",
    ]


def test_the_prose_of_a_generated_page_is_other_peoples() -> None:
    """What a quote mentions, the page does not cite; its citations are checked all the same."""
    text = f"---\n{META}generated: {{writer: extract, date: 2026-11-20}}\n---\n\n{PROSE}\nSo [@mill] and [@oats].\n"
    references, problems = read_references(text, "a.md")
    assert [reference.id for reference in references] == ["mill"]
    assert [(problem.code, problem.line) for problem in problems] == [("K012", 16)]


def test_what_a_person_wrote_is_read() -> None:
    """A page that says it was written by hand cites in its prose like any other."""
    references, _ = read_references(f"---\n{META}generated: {{writer: hand}}\n---\n\n{PROSE}", "a.md")
    assert len(references) == 4


def test_a_writer_of_any_kind_is_taken() -> None:
    """YAML may hold anything: a list or a mapping where a name belongs is no person, and breaks nothing."""
    for writer in ("[a, b]", "{a: b}", "{writer: [a]}", "{writer: {a: b}}"):
        assert read_references(f"---\n{META}generated: {writer}\n---\n\n{PROSE}", "a.md")[0]
