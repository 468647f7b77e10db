"""The References section and the bibliographies."""

from __future__ import annotations

import re

import pytest

from planbook.citations.citation_links import NumberedCitations
from planbook.citations.in_text import find_citations
from planbook.citations.references import read_references
from planbook.citations.report import PinResult, SourceStatus
from planbook.model import Reference
from planbook.views.answers.base_answers import citation_json
from planbook.views.bibliography.reference_list import references_section
from planbook.views.portable import numbered_text
from tests.views.checked import result

WEB = Reference("rye", "Rye & <oats> 100%", "https://rye.example/a", "2026-11-20", (3, 9), publisher="Mill")
PAPER = Reference("arxiv-rye", "On rye", "https://arxiv.org/abs/2307.08691", None, (4,))
ARTICLE = Reference("doi-rye", "Rye_2", "https://doi.org/10.1000/rye", "2026-11-20")
LOCAL = Reference("notes", "Our own notes", None)
PAGE = Reference("grain", "Grain", "bread/1-grain.md")
ALL = (WEB, PAPER, ARTICLE, LOCAL, PAGE)


def test_a_section_lists_every_work_once() -> None:
    """In order of number, with what is known of it, escaped, and with a way back for each citation."""
    text = "A [@notes] and [@rye] and [@rye]."
    section = references_section(text, NumberedCitations.of(ALL, find_citations(text)), {"grain": "../grain/"})
    assert re.findall(r'<li id="ref-([^"]+)"', section) == ["notes", "rye", "arxiv-rye", "doi-rye", "grain"]
    assert "Rye &amp; &lt;oats&gt; 100%" in section
    assert "accessed 20\xa0Nov\xa02026" in section
    assert re.findall(r'href="(#c\.[^"]+)"', section) == ["#c.1", "#c.2", "#c.3"]
    assert 'href="../grain/"' in section


def test_documents_of_one_title_have_their_paths() -> None:
    """So that a reader can tell them apart."""
    named = [Reference(name, "Configuration", None, file=f"documents/{name}.md") for name in ("tls", "jetstream")]
    text = "A [@tls] and [@jetstream]."
    section = references_section(text, NumberedCitations.of(named, find_citations(text)), {})
    assert "<code>documents/tls.md</code>" in section
    assert "<code>documents/jetstream.md</code>" in section


def test_a_marker_has_one_way_back() -> None:
    """With the places that its citations name, however many quotes it stands for."""
    text = 'A [@rye, q1; @rye, sec. "Flour"] and [@rye].'
    work = Reference("rye", "Rye", quotes=(("q1", "Rye is dark."),))
    section = references_section(text, NumberedCitations.of((work,), find_citations(text)), {})
    assert re.findall(r'href="(#c\.[^"]+)"', section) == ["#c.1", "#c.3"]
    assert "sec. &#34;Flour&#34;" in section


def test_no_works_no_section() -> None:
    """A page that cites nothing gets no empty list."""
    assert references_section("Text.", NumberedCitations.of((), ()), {}) == ""


def test_a_heading_that_is_taken_is_not_doubled() -> None:
    """A page with its own References gets "Works cited"."""
    assert "## Works cited {" in references_section("# A\n\n## References\n", NumberedCitations.of(ALL, ()), {})
    assert "## References {" in references_section("# A\n\n## Sources\n", NumberedCitations.of(ALL, ()), {})


def test_a_bad_address_is_no_link() -> None:
    """Only http(s) addresses and pages of the base are links."""
    section = references_section("", NumberedCitations.of((Reference("x", "X", "javascript:alert(1)"),), ()), {})
    assert "href" not in section


@pytest.mark.parametrize(
    ("url", "has_link"),
    [
        ("https://rye.example/a", True),
        ("https://rye.example/10.1000/rye", True),
        ("https://rye.example/pdfs/index.html", True),
        ("https://rye.example/a?format=.pdf", True),
        ("https://arxiv.org/abs/2307.08691", True),
        ("https://doi.org/10.1000/rye", False),
        ("http://dx.doi.org/10.1000/rye", False),
        ("https://rye.example/rye.pdf", False),
        ("https://rye.example/RYE.PDF?download=1#page=2", False),
        ("https://arxiv.org/pdf/2307.08691v2", False),
        ("https://openreview.net/pdf?id=rye", False),
    ],
)
def test_a_quote_is_linked_only_where_a_browser_finds_it(url: str, has_link: bool) -> None:
    """A DOI leads to a page about the work, and PDFs have no text fragments; such links are not verified."""
    work = Reference("rye", "Rye", url, quotes=(("q1", "It ages."),), fragments=(("q1", "It-,ages."),))
    section, twin = references_section("", NumberedCitations.of((work,), ()), {}), numbered_text("A.", (work,), {})
    assert ('">Open at this line</a>' in section) is has_link
    assert ("Open at this line" in twin) is has_link
    assert bool(citation_json(work, None)["quotes"][0].get("link")) is has_link


def test_what_came_of_a_check_stands_beside_the_work() -> None:
    """Its status and day; of each quote that was looked for, whether it stands in the work; of others nothing."""
    work = Reference("rye", "Rye", "https://rye.example/a", quotes=(("q1", "old"), ("q2", "new"), ("q3", "odd")))
    check = result(SourceStatus.MISSING, quotes={"q1": True, "q2": False})
    section = references_section("", NumberedCitations.of((work, PAPER), ()), {}, {"rye": check})
    ours, other = section.split('<li id="ref-arxiv-rye"')
    assert re.findall(r'data-check="(\w+)">([^<]+)<', ours) == [
        ("missing", "quote not found (20\xa0Nov\xa02026)"),
        ("missing", "not found in source"),
    ]
    assert "20\xa0Nov\xa02026" in ours
    assert re.findall(r'data-check="(\w+)"', other) == ["unchecked"]


def test_a_doubtful_source_says_why() -> None:
    """In the list of a page: it is marked, and why it may not be the page that is cited stands beside it."""
    work = Reference("rye", "Rye", "https://rye.example/a", quotes=(("q1", "old"),))
    check = result(SourceStatus.DOUBTFUL, quotes={"q1": True})
    section = references_section("", NumberedCitations.of((work, PAPER), ()), {}, {"rye": check})
    assert ">doubtful (20\xa0Nov\xa02026)</span>" in section
    assert "it may not be the page that is cited: it has only 36 words, and it asks for an answer" in section


def test_a_page_can_say_that_its_works_were_not_verified() -> None:
    """`custom.verified: false` says so; a check of the page counts for more."""
    item = "{id: rye, title: Rye, URL: 'https://rye.example/a', custom: {verified: false}}"
    text = f"---\nreferences: [{item}]\n---\n\n[@rye]"
    references, problems = read_references(text, "bread.md")
    assert problems == ()
    assert 'data-check="unchecked">not checked<' in references_section(
        "[@rye]", NumberedCitations.of(references, ()), {}
    )
    checked = {"rye": result(SourceStatus.VERIFIED)}
    assert "not checked" not in references_section("[@rye]", NumberedCitations.of(references, ()), {}, checked)


def test_works_off_the_web_have_no_status() -> None:
    """There is nothing to check."""
    extras = {"notes": result(SourceStatus.OFFWEB, "")}
    assert "pb-check" not in references_section("", NumberedCitations.of((LOCAL, PAGE), ()), {}, extras)


def test_a_status_that_most_works_share_is_said_once() -> None:
    """33 equal badges are one line; other works keep theirs, and a day that differs is a fact of its work."""
    works = [Reference(f"w{n}", f"Work {n}", f"https://w.example/{n}") for n in range(5)]
    days = dict(enumerate(("2026-11-01", "2026-11-02", "2026-11-02", "2026-11-02")))
    checks = {f"w{n}": result(SourceStatus.PINNED, pinned=PinResult(date=day)) for n, day in days.items()}
    checks["w4"] = result(SourceStatus.GONE)
    section = references_section("", NumberedCitations.of(works, ()), {}, checks)
    shared = "in a fixed version</span> unless marked otherwise (4 of 5 works): the file at that commit"
    assert f">{shared} contains the quotes" in section
    assert re.findall(r'data-check="(\w+)"', section) == ["pinned", "gone"]
    assert section.count("version of 2\xa0Nov\xa02026") == 3


def test_a_locator_stands_beside_the_way_back() -> None:
    """The text has the number alone."""
    text = 'A [@rye, sec. "Flour"] and [@rye].'
    section = references_section(text, NumberedCitations.of((WEB,), find_citations(text)), {})
    assert '1</a> <small data-of="c.1">sec. &#34;Flour&#34;</small>' in section
    assert section.count("<small") == 1
