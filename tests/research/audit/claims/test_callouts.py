"""Callouts, notes, warnings and headings of a page: whose words they are, and whose source."""

from __future__ import annotations

import pytest

from planbook.research.audit.claims.callouts import head_of_callout, is_callout, warns_of_mistakes
from planbook.research.audit.claims.cited_claims import CitedClaim, read_cited_claims

SOURCE = "https://tea.example/steeping"
ADVICE = "Warm the pot before the leaves go in."


def claims(page: str) -> dict[str, CitedClaim]:
    """The claims of a page by their text."""
    return {claim.text: claim for claim in read_cited_claims(page, "page.md")}


CALLOUTS = {
    "an alert": f"> [!TIP]\n> {ADVICE}",
    "small letters": f"> [!tip]\n> {ADVICE}",
    "a title": f"> [!tip] What to memorize\n> {ADVICE}",
    "a title in bold": f"> [!Warning] **The trap.**\n> {ADVICE}",
    "folded": f"> [!info]- More\n> {ADVICE}",
    "unfolded": f"> [!my-note]+\n> {ADVICE}",
    "its text in the first line": f"> [!tip] {ADVICE}",
    "with an option": f"> [!note|right] Pots\n> {ADVICE}",
    "a label": f"> Note: {ADVICE}",
    "a label in bold": f"> **Note**: {ADVICE}",
    "a colon in bold": f"> **Warning:** {ADVICE}",
    "a sign before it": f"> ⚠️ **Caution:** {ADVICE}",
    "in Thai": f"> หมายเหตุ: {ADVICE}",
    "in Chinese": f"> 注\uff1a{ADVICE}",
    "indented below a list": f"- Leaves\n\n    > [!tip]\n    > {ADVICE}",
}
QUOTATIONS = {
    "a quotation": f"> {ADVICE}",
    "a callout of a quotation": f"> [!quote] The manual\n> {ADVICE}",
    "a quotation in a callout": f"> [!info] Pots\n> From [the manual]({SOURCE}):\n>\n> > {ADVICE}",
    "notes as a word": f"> {ADVICE[:-1]}, the manual notes: it is so.",
}


@pytest.mark.parametrize("block", CALLOUTS.values(), ids=CALLOUTS)
def test_a_callout_is_no_quotation(block: str) -> None:
    """The advice of a page's author is not compared word for word, though a source stands beside it."""
    page = f"# Tea\n\nFrom [the manual]({SOURCE}):\n\n{block}\n\n— [Steeping]({SOURCE})\n"
    found = claims(page)
    assert not [claim for claim in found.values() if ADVICE in claim.quotes], found


@pytest.mark.parametrize("block", QUOTATIONS.values(), ids=QUOTATIONS)
def test_a_block_quote_is_one(block: str) -> None:
    """A block quote below the name of its source is a quotation, also in a callout."""
    found = claims(f"# Tea\n\nFrom [the manual]({SOURCE}):\n\n{block}\n")
    assert any(ADVICE[:-1] in quote for claim in found.values() for quote in claim.quotes), found


@pytest.mark.parametrize(
    "page",
    [
        f'!!! note "Always warm the pot before tea"\n    Green tea is mild and sweet. [Tea]({SOURCE})\n',
        f"> [!tip] Warm the pot before the tea\n> Green tea is mild and sweet. [Tea]({SOURCE})\n",
        f"::: tip Warm the pot before the tea\nGreen tea is mild and sweet. [Tea]({SOURCE})\n:::\n",
        f'??? info "Always warm the pot before tea"\n\n    Green tea is mild and sweet. [Tea]({SOURCE})\n',
    ],
)
def test_the_title_of_a_callout_is_no_part_of_its_sentence(page: str) -> None:
    """Its text is a claim as elsewhere."""
    found = claims(page)
    assert [text.partition(".")[0] for text in found] == ["Green tea is mild and sweet"]
    assert not any(claim.quotes for claim in found.values())


def test_a_source_before_a_list_ends_at_the_next_heading() -> None:
    """A list in the next section has another source, or none."""
    page = (
        f"# Tea\n\nFrom [the manual]({SOURCE}):\n\n- Green leaves need cool water.\n\n"
        "### Pots\n\n- Steel pots hold the heat long.\n"
    )
    assert list(claims(page)) == ["Green leaves need cool water."]


MISTAKES = {
    "a section": '## Common mistakes\n\n- Boiling it since "the water kills the bitter leaves" anyway. {}',
    "a section below it": '## Pitfalls\n\n### Heat\n\nThe idea is "the water kills the bitter leaves" anyway. {}',
    "anti-patterns": '## Anti-patterns\n\nIt says "the water kills the bitter leaves" then. {}',
}


@pytest.mark.parametrize("page", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_nobodys_quotation(page: str) -> None:
    """What a section on mistakes has in quotation marks may be made up."""
    (claim,) = claims(f"# Tea\n\n{page.format(f'([Tea]({SOURCE}))')}\n").values()
    assert claim.is_warning


def test_the_section_after_mistakes_is_as_others() -> None:
    """A heading of the same level ends it."""
    page = f"# Tea\n\n## Mistakes\n\nCold.\n\n## Pots\n\nIt holds the heat well ([Tea]({SOURCE})).\n"
    (claim,) = claims(page).values()
    assert not claim.is_warning


@pytest.mark.parametrize("heading", ["Common Pitfalls", "Anti-Patterns", "What not to do", "常见误区", "Don'ts"])
def test_headings_of_mistakes_are_told_apart(heading: str) -> None:
    """Headings in the words that people use for mistakes are known."""
    assert warns_of_mistakes(heading)


def test_a_heading_with_a_longer_word_is_none() -> None:
    """A trapezoid is no trap."""
    assert not warns_of_mistakes("The trapezoid rule")


def test_a_paragraph_is_no_callout() -> None:
    """Neither a link in brackets nor a plain quotation is one."""
    assert head_of_callout("[Note] what the manual says") is None
    assert not is_callout("> [Tea](https://tea.example) is green.\n")
