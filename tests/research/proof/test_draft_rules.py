"""Checks of drafts: failures, remarks, and pages that are accepted."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planbook.model import LineBudget, PageUri, Problem
from planbook.problems import CODES, REQUIREMENTS, is_blocking, requirement
from planbook.research.drafts import Brief, Draft, Source
from planbook.research.proof.draft_rules import DRAFT_RULES, check_draft
from tests.conftest import ROOT
from tests.research.documents import BASE, NAMES, brief, sources
from tests.rules.secrets_by_chance import BY_CHANCE

GOOD = (ROOT / "tests" / "golden" / "research" / "page.md").read_text(encoding="utf-8")
BROKEN = sorted((Path(__file__).parent / "broken").glob("*.yaml"))


@dataclass(frozen=True, slots=True)
class Broken:
    """The good page with one defect, and what is to be said of it."""

    text: str
    brief: Brief
    sources: tuple[Source, ...]
    finding: str
    """The requirement that it violates, and the beginning of the message."""
    is_failure: bool
    line: int | None
    others: frozenset[str]
    """Other requirements that it violates."""

    def found(self, writer: str = "extract") -> tuple[Problem, ...]:
        """The Problems found."""
        return check_draft(Draft(self.text, writer), self.brief, self.sources, BASE)


def read(path: Path) -> Broken:
    """A defect, put into the good page."""
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    text = GOOD
    for old, new in filter(None, ((case["old"], case["new"]) if "old" in case else None, case.get("all"))):
        assert old in text, f"{path.name}: the good page does not hold {old!r}"
        text = text.replace(old, new)
    text = other_shape(text, case) + case.get("append", "")
    if "add" in case:
        added = case["add"].replace("{chance}", BY_CHANCE)
        text = text.replace("\n## Sources\n", f"\n{added}\n\n## Sources\n")
    part = brief().part
    if "budget" in case:
        part = replace(part, lines_budget=LineBudget(case["budget"], case["budget"]))
    asked = replace(brief(), part=part, page=PageUri(case.get("page", brief().page)))
    read_sources = sources(*(name for name in NAMES if name != case.get("without")))
    if "doubt" in case:
        first, *rest = read_sources
        read_sources = (replace(first, fetched=replace(first.fetched, doubt=case["doubt"])), *rest)
    others = frozenset(case.get("also", ()))
    return Broken(
        text,
        asked,
        read_sources,
        case["finding"],
        case.get("failure", True),
        case.get("line"),
        others,
    )


def other_shape(text: str, case: dict[str, Any]) -> str:
    """The page with a change that is more than words for words."""
    if case.get("drop_front_matter"):
        text = text.split("---\n", 2)[2]
    if case.get("references"):
        text = re.sub(r"^references:\n(?:  .*\n|\n)*", "references: none\n", text, flags=re.MULTILINE)
    if case.get("strip_citations"):
        text = re.sub(r" ?\[@[^\]]*\]", "", text)
    if "swap" in case:
        first, second = case["swap"]
        text = text.replace(first, "\0").replace(second, first).replace("\0", second)
    return text


def test_the_good_page_is_good() -> None:
    """Every defect below is one."""
    assert check_draft(Draft(GOOD, "extract"), brief(), sources(), BASE) == ()


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_defect_is_told(path: Path) -> None:
    """Each defect of the folder gives the Problem that it names."""
    case = read(path)
    found = case.found()
    name, _, message = case.finding.partition(": ")
    matching = [finding for finding in found if requirement(finding) == name and finding.message.startswith(message)]
    assert matching, [f"{requirement(finding)}: {finding.message}" for finding in found]
    assert is_blocking(matching[0]) is case.is_failure
    assert case.line is None or matching[0].line == case.line
    assert matching[0].line <= case.text.count("\n") + 1
    assert {requirement(finding) for finding in found if is_blocking(finding)} - {name} == case.others


def test_every_requirement_has_a_defect() -> None:
    """A page violates each requirement, and gives each code for drafts, but those of pages by hand."""
    codes = {problem.code for path in BROKEN for problem in read(path).found()}
    by_hand = {
        "D034",
        "D036",
        "D037",
        "D038",
        "D039",
        "D041",
        "D045",
        "D046",
        "D047",
        "D048",
        "D049",
        "D051",
        "D053",
        "D054",
        "D055",
        "D056",
        "D057",
        "D058",
        "D059",
        "D062",
        "D066",
        "D071",
        "D072",
    }
    assert codes | by_hand == {code for code, kind in CODES.items() if kind.requirement}
    assert {read(path).finding.partition(":")[0] for path in BROKEN} == set(DRAFT_RULES)
    assert list(DRAFT_RULES) == list(REQUIREMENTS)


# --- by hand -----------------------------------------------------------------------------------------------------

BY_HAND = """---
title: Signing images
description: Where keys are kept.
plan: small-images
part: 2
created: 2026-11-20
reviewed: 2026-11-21
references:
  - id: anvil-registry-faq
    title: Registry questions
    URL: https://docs.anvil.test/registry/faq
    custom:
      quotes: {q1: "Two images with one digest are one image, bit by bit."}
  - id: key-book
    title: The book of keys
---

# Signing images

## Keys

Keys are kept in a safe. [@key-book, sec. "Safes"] The manual says: [@anvil-registry-faq, q1]

> Two images with one digest are one image

A command of our own, and [what Kiln is](../tools/01-kiln.md):

```sh
kiln sign --key safe://a
```

> Remember the safe.
"""


def test_a_program_may_show_code_of_its_own() -> None:
    """`command` writes its own text, so its code need not be a quote. A block quote still needs its citation."""
    own, quote = (read(Path(__file__).parent / "broken" / f"{name}-of-nobody.yaml") for name in ("code", "quote"))
    assert "D042" in {problem.code for problem in own.found("extract")}
    assert "D042" not in {problem.code for problem in own.found("command")}
    assert "D042" in {problem.code for problem in quote.found("command")}


def test_code_is_a_quote_if_the_paragraph_above_ends_in_its_citation() -> None:
    """A citation in the middle of the paragraph, or of other words, belongs to that, not to the author's own code."""
    said = "One digest is one image [@anvil-registry-faq, q1]. "
    own = BY_HAND.replace("A command of our own", f"{said}A command of our own")
    lead = "A command of our own, and [what Kiln is](../tools/01-kiln.md):"
    quoted = BY_HAND.replace(lead, said.replace("]. ", "]:"))
    assert "quotes" not in {row[0] for row in by_hand(own) if row[1]}
    assert "quotes" not in {row[0] for row in by_hand(quoted) if row[1]}
    below = quoted.index("```", quoted.index(said.replace("]. ", "]:")))
    code = "```text\nTwo images with one digest are one image, byte by byte.\n```\n\n"
    misread = f"{quoted[:below]}{code}{quoted[below:]}"
    differs = "this code differs from the quote that it cites, q1 of @anvil-registry-faq: the line “"
    assert [row[2] for row in by_hand(misread) if row[2].startswith(differs)] == [
        f"{differs}Two images with one digest are one image, byte by byte.” is not in it: "
        "after “… ne digest are one image,”, the page has “byte by byte.” and the quote has “bit by bit.”"
    ]
    # A quote of prose and code, with the code below in other blanks, then with another option.
    mixed = BY_HAND.replace('{q1: "Two', '{q1: "Run kiln build --layers=4 --tag base . first. Two')
    assert mixed != BY_HAND
    shown = f"{said.replace(']. ', ']:')}\n\n```sh\nkiln build  --layers=4 \\\n  --tag base .\n```\n\n"
    with_code = mixed.replace(lead, f"{shown}{lead}")
    assert not any(row[2].startswith(differs) for row in by_hand(with_code))
    other = with_code.replace("=4 ", "=5 ", 2).replace("=5 ", "=4 ", 1)
    assert any(row[2].startswith(differs) for row in by_hand(other))


LINES = {
    "build": "kiln build --layers=4 --tag base .",
    "both": "kiln pull base\nkiln sign --key a base",
    "note": "Then remove the layers that are left over.",
}
"""Quotes with commands."""


@pytest.mark.parametrize(
    ("cited", "code", "line"),
    [
        ("both build", "kiln build --layers=4 --tag base .\nkiln pull base\nkiln sign --key a base", ""),
        ("build both", "$ kiln sign --key a base\n\n$ kiln build --layers=4 \\\n    --tag base .", ""),
        ("build both note", "kiln pull base\nkiln build --layers=4 --tag base .", ""),
        ("build both", "kiln build --layers=4 --tag base .\nkiln sign --key b base", "kiln sign --key b base"),
        (
            "build both",
            "kiln pull base\nkiln build --layers=4 --tag base . --fast",
            "kiln build --layers=4 --tag base . --fast",
        ),
        ("build", "kiln build --layers=4 --tag base .\nkiln sign --key a base", "kiln sign --key a base"),
    ],
)
def test_each_line_of_code_is_in_one_of_the_quotes_above_it(cited: str, code: str, line: str) -> None:
    """In whatever order they are cited, with a prompt or without; the message names the quotes and the line."""
    quotes = ", ".join(f'{key}: "{text}"'.replace("\n", "\\n") for key, text in LINES.items())
    page = BY_HAND.replace('{q1: "Two', f'{{{quotes}, q1: "Two')
    sources_cited = "; ".join(f"@anvil-registry-faq, {key}" for key in cited.split())
    lead = "A command of our own, and"
    block = "\n".join(f"    {one}".rstrip() for one in f"```sh\n{code}\n```".split("\n"))
    for shown in (
        f"Run these [{sources_cited}]:\n\n```sh\n{code}\n```\n\n",
        f"1. Run these [{sources_cited}]:\n\n{block}\n\n",
    ):
        found = [row[2] for row in by_hand(page.replace(lead, f"{shown}{lead}")) if row[2].startswith("this code")]
        assert len(found) == bool(line), found
        named = " and ".join(f"{key} of @anvil-registry-faq" for key in cited.split())
        assert all(f", {named}: the line “{line}” is not in " in one for one in found)


def test_a_long_line_is_shown_where_it_differs() -> None:
    """With what the quote has there; a quote that YAML cuts at a comment is named as such."""
    command = "test ! -f /mnt/server/archivedir/%f && cp %p /mnt/server/archivedir/%f"
    whole = f"archive_command = '{command}'  # Unix and other systems"
    shown = f"Run this [@anvil-registry-faq, q1]:\n\n```sh\n{whole}\n```\n\nA command of our own, and"
    begin, _, rest = BY_HAND.replace("A command of our own, and", shown).partition('quotes: {q1: "')
    below = rest.partition("}\n")[2]
    text = f"{begin}quotes:\n        q1: {whole}\n{below}"
    (found,) = [row[2] for row in by_hand(text) if row[2].startswith("this code")]
    assert "/archivedir/%f'”, the page has “# Unix and other systems” and the quote ends" in found
    assert found.endswith("; YAML ends q1 of @anvil-registry-faq at ` #`: put it between quotation marks")
    marked = text.replace(f"q1: {whole}", f'q1: "{whole}"')
    assert not [row for row in by_hand(marked) if row[2].startswith("this code")]
    other = marked.replace("%f'  # Unix and", "%p'  # Unix and", 1)
    (found,) = [row[2] for row in by_hand(other) if row[2].startswith("this code")]
    assert "the page has “f'" in found
    assert "YAML" not in found


def by_hand(text: str, *read_sources: Source) -> list[tuple[str, bool, str]]:
    """The Problems of a page for PART 2 that a person submits; each of a quote is at the quote's line."""
    found = check_draft(Draft(text, "hand"), brief(2), read_sources, BASE)
    assert all("q1:" in text.splitlines()[one.line - 1] for one in found if one.message.startswith("quote q1"))
    return [(requirement(finding), is_blocking(finding), finding.message) for finding in found]


def test_a_page_by_hand_is_taken() -> None:
    """With a review, prose and code of its own; what was not read is told as not verified, and so is its length."""
    assert by_hand(BY_HAND) == [
        ("references", False, "@anvil-registry-faq was not read for this page, so it is not verified"),
        ("references", False, "@key-book was not read for this page, so it is not verified"),
        ("quotes", False, "quote q1 of @anvil-registry-faq is not verified: its source was not read"),
        ("lines", False, "15 lines; the target length is about 100"),
    ]


def test_what_was_read_of_it_is_verified() -> None:
    """Then its quotes must stand, as those of programs must."""
    read_source = sources("ticket")[0]
    assert [row[2] for row in by_hand(BY_HAND, read_source)] == [
        "@key-book was not read for this page, so it is not verified",
        "15 lines; the target length is about 100",
    ]
    wrong = BY_HAND.replace("bit by bit", "byte by byte")
    block = wrong.replace('{q1: "Two', "\n        q1: >-\n          Two").replace('byte."}', "byte.")
    assert by_hand(block, read_source) == by_hand(wrong, read_source)
    faults = [message for rule, is_error, message in by_hand(wrong, read_source) if rule == "quotes" and is_error]
    where = "is not in its source: behind “"
    assert any(fault.startswith(f"quote q1 of @anvil-registry-faq {where}") for fault in faults)
    assert any("that does not go on with “byte by byte.”" in fault for fault in faults)
    elsewhere = BY_HAND.replace('{q1: "Two', '{q1: "No builds of two')
    faults = [message for rule, is_error, message in by_hand(elsewhere, read_source) if rule == "quotes" and is_error]
    assert any("is not in its source: “No builds of two" in fault for fault in faults)


HAND_DEFECTS = {
    "a quote that reads otherwise": ("> Two images with one digest", "> Two pictures with one digest", "quotes", True),
    "an unknown id": ("[@key-book,", "[@key-look,", "citations", True),
    "HTML": ("Keys are kept", "Keys <b>are</b> kept", "markup", True),
    "an attribute list": ("](../tools/01-kiln.md)", "](../tools/01-kiln.md){ .big width=3 }", "markup", False),
    "a file": ("../tools/01-kiln.md", "../tools/kiln.csv", "links", False),
    "no page": ("../tools/01-kiln.md", "../tools/02-none.md", "links", True),
    "a picture of its own": ("Keys are kept", "![Safe](safe.png) Keys are kept", "links", False),
    "a long quote": ("bit by bit.", f"bit by bit.{' And so on.' * 40}", "quotes", False),
    "a result of `verify`": ("custom:\n", "custom:\n      sha256: 0a1b\n", "", False),
    "a key for the theme": ("part: 2\n", "part: 2\nhide: [toc]\n", "", False),
}


@pytest.mark.parametrize(("old", "new", "name", "is_failure"), HAND_DEFECTS.values(), ids=HAND_DEFECTS)
def test_a_defect_of_a_page_by_hand(old: str, new: str, name: str, is_failure: bool) -> None:
    """A person may do some things that a program may not; those are told."""
    before, after = by_hand(BY_HAND), by_hand(BY_HAND.replace(old, new))
    more = [row for row in after if row not in before]
    assert [(row[0], row[1]) for row in more][:1] == ([(name, is_failure)] if name else [])


@pytest.mark.parametrize("writer", ["hand", "extract"])
@pytest.mark.parametrize(
    ("address", "planned", "told"),
    [
        ("../tools/02-none.md", "tools/02-none.md", [False]),
        ("/tools/02-none.md#keys", "tools/02-none.md", [False]),
        ("../tools/02-none.md", "tools/03-other.md", [True]),
        ("../../tools/02-none.md", "tools/02-none.md", [True]),
        ("../tools/01-kiln.md", "tools/02-none.md", []),
    ],
)
def test_a_link_to_a_page_that_is_planned(writer: str, address: str, planned: str, told: list[bool]) -> None:
    """It is told of, whoever wrote the page; a page that nobody plans holds it back."""
    draft = Draft(BY_HAND.replace("../tools/01-kiln.md", address), writer)
    found = check_draft(draft, brief(2), sources("stages"), BASE, {planned})
    assert [is_blocking(finding) for finding in found if requirement(finding) == "links"] == told


@pytest.mark.parametrize("writer", ["hand", "command"])
@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("[Times](../assets/times.csv#row=2)", []),
        ("![Times](../assets/times.svg)", []),
        ("[Times](../assets/other.csv)", ["there is no file '../assets/other.csv' in the base"]),
        ("[Times](assets/times.csv)", ["there is no file 'assets/times.csv' in the base"]),
        ("[Times](/assets/times.csv)", ["there is no file '/assets/times.csv' in the base"]),
    ],
)
def test_a_link_to_a_file_of_the_base(writer: str, link: str, told: list[str]) -> None:
    """One that is there, by its path from the page's folder; another holds a program's page back."""
    draft = Draft(BY_HAND.replace("Keys are kept", f"{link} Keys are kept"), writer)
    files = {*BASE, "assets/times.csv", "assets/times.svg"}
    found = check_draft(draft, brief(2), sources("stages"), files)
    said = [finding for finding in found if requirement(finding) == "links"]
    assert [finding.message for finding in said] == told
    assert all(is_blocking(finding) == (writer == "command") for finding in said)


DRAFTS = st.lists(
    st.sampled_from(
        [
            *("---\n", "title: x\n", "references:\n  - id: a\n", "part: 1\n", "# x\n", "## Keys\n", "[@a, q1] "),
            *("> q [@a]\n", "```\n", "~~~\n", "<b>", "[x](y.md)", "![x](//z)", "{{ x }}", "\n\n", "é日", "- x\n"),
            *("custom: {quotes: {q1: 1}}\n",),
        ]
    )
    | st.text(max_size=12),
    max_size=20,
).map("".join)


@given(DRAFTS, st.sampled_from(["hand", "extract", "command"]))
def test_any_draft_is_judged(text: str, writer: str) -> None:
    """Nothing that anybody hands in stops the checks; each Problem has a requirement, and a line of the file."""
    for finding in check_draft(Draft(text, writer), brief(2), sources("stages"), BASE):
        assert requirement(finding) in DRAFT_RULES
        assert finding.message
        assert 1 <= finding.line <= len(re.findall(r"\r\n|\r|\n", text)) + 1


def test_the_guide_has_every_requirement() -> None:
    """Each has its row in the table, and the table has no other."""
    guide = (ROOT / "docs" / "guide" / "drafts.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([a-z-]+)` \|", guide.partition("## Requirements for a draft")[2].partition("###")[0], re.MULTILINE
    )
    assert rows == list(DRAFT_RULES)
