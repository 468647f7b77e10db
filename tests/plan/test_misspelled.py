"""Lines that nearly have a form of a plan: each is reported with what its author may have meant, and others are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.plan.as_json import plan_to_json
from planbook.plan.forms import FORMS, FormKind, LineForm
from planbook.plan.parse import parse, parse_bytes
from planbook.plan.spelling import count_slips, is_misspelling
from tests.cases import read_cases
from tests.conftest import ROOT

HEAD = "# Bread\n\n## PART 1: Flour\n- [ ] PART 1: Create bread/flour.md\n\n"


def reported(text: str, code: str = "P042") -> list[tuple[int, str]]:
    """The lines, without those of `HEAD`, that are reported, and the messages."""
    _, problems = parse(HEAD + text, "plans/x.md")
    return [(problem.line - 5, problem.message) for problem in problems if problem.code == code]


LINES = [
    # The line, and a part of the message that says what may be meant.
    ("## PRT 2: Water", "did you mean `PART 2`"),
    ("## PATR 2 - Water", "did you mean `PART 2`"),
    ("## Parrt II: Water", "did you mean `PART II`"),
    ("**PRT 2**: Water", "did you mean `PART 2`"),
    ("## PART x: Water", "did you mean `## PART 2: Water`"),
    ("## PART X: Water", "did you mean `## PART 2: Water` or `## PART 10: Water`"),
    ("## PART: Water", "did you mean `## PART 2: Water`"),
    ("## PART A: Water", "did you mean `## PART 2: Water`"),
    ("## Part seevn: Water", "did you mean `## PART 2: Water`"),
    ("## Part ??", "did you mean `## PART 2: Title`"),
    ("## PART v: Water", "did you mean `## PART 2: Water`"),
    ("## PART IIII: Water", "did you mean `## PART 2: Water`"),
    ("## PART 2nd: Create bread/water.md", "did you mean `## PART 2: Create bread/water.md`"),
    ("## 2nd PART: Water", "did you mean `## PART 2: Water`"),
    ("## Part the Second: Water", "did you mean `## PART 2: Water`"),
    ("## PART two and a half: Create bread/water.md", "did you mean `## PART 2: Create bread/water.md`"),
    ("## Task 2: Create bread/water.md", "did you mean `## PART n: Create bread/water.md`"),
    ("## Phase 2: Create bread/water.md", "did you mean `## PART n: Create bread/water.md`"),
    ("## Chunk B — Write bread/water.md", "did you mean `## PART n: Create bread/water.md`"),
    ("## 2. PART: Create bread/water.md", "did you mean `## PART n: Create bread/water.md`"),
    ("## 2. Create bread/water.md", "did you mean `## PART n: Create bread/water.md`"),
    ("- [ ] PART 2: Create bread/water.md", "no heading has the number of PART 2"),
    ("- [ ] PRT 1: Create bread/flour.md", "did you mean `PART 1`"),
    ("- [wat] PART 1: Create bread/flour.md", "did you mean `[ ]` or `[x]`"),
    ("- (x) PART 1: Create bread/flour.md", "did you mean `[ ]` or `[x]`"),
    ("**Setp 1: Research**", "did you mean `Step 1"),
    ("**Stip 1**: Research", "did you mean `Step 1"),
    ("- [ ] Secton 1: Ash (~100 lines)", "did you mean `Section 1: Ash"),
    ("**Setcion IV: Ash**", "did you mean `Section IV: Ash"),
    ('- [ ] Serach: "rye ash"', 'did you mean `Search: "rye ash"`'),
    ('- [ ] Saerch GitHub: "rye"', 'did you mean `Search GitHub: "rye"`'),
    ('Qeury: "rye"', 'did you mean `Query: "rye"`'),
    ('- [ ] Grpe for "rye" in bread/', 'did you mean `Grep for "rye"'),
    ("- [ ] Raed bread/ash.md", "did you mean `Read bread/ash.md`"),
    ("- [ ] Craete bread/ash.md", "did you mean `Create bread/ash.md`"),
    ("- [ ] Identfy gaps: ash", "did you mean `Identify gaps: ash`"),
    ("- [ ] Scarpe: the handbook", "did you mean `Scrape: the handbook`"),
    ("- Section 1: Ash\n    - Ciet: a study", "did you mean `Cite: a study`"),
    ("- Section 1: Ash\n    Inlcude: a table", "did you mean `Include: a table`"),
    ("Target suorces:", "did you mean `Target sources`"),
    ("**Gaol**: how flour is milled", "did you mean `Goal`"),
    ("**Tagret File**: bread/ash.md", "did you mean `Target File`"),
    ("**Expectd Size**: 300 lines", "did you mean `Expected Size`"),
    ("- [ ] Section 1: Ash (fourty lines)", "did you mean a number"),
    ("- [ ] Section 1: Ash (4OO lines)", "did you mean a number"),
    ("- [ ] Section 1: Ash (?? lines)", "did you mean a number"),
    ("- [ ] Section 1: Ash (400 lnies)", "did you mean `(400 lines)`"),
    ('- [ ] Search: ""', "the query is empty"),
    ("- [ ] Search: ``", "the query is empty"),
    ("- [ ] Search:\n- [ ] Weigh it", "no query follows"),
    ("- [ ] Search the web for ash in flour", 'did you mean `Search: "ash in flour"`'),
    (
        "- [ ] Search the web for ash in flour of rye and of spelt after a year in a silo",
        'did you mean `Search: "ash in flour of rye and of spelt after a year in a silo"`',
    ),
    (
        "- [ ] Search the web for ash in flour of rye and of spelt that was kept in silos for a year",
        'did you mean `Search: "ash in flour of rye and of spelt that was kept in silos …"`',
    ),
    ("- [ ] Search GitHub for sieves", 'did you mean `Search GitHub: "sieves"`'),
    ("- [ ] Google rye ash", 'did you mean `Search: "rye ash"`'),
    ('- [ ] Look for "rye ash"', 'did you mean `Search: "rye ash"`'),
    ('- In forums: "rye ash"', 'did you mean `Search: "rye ash"`'),
    ("- [ ] Section 1: Ash (300 LOC)", "did you mean `(300 lines)`"),
    ("- [ ] Section 1: Ash (~300ish lines)", "did you mean `(~300 lines)`"),
    ("- [ ] Section 1: Ash (lines: 300)", "did you mean `(300 lines)`"),
    ("- [ ] Section 1: Ash (2 pages)", "write the length in lines"),
    ("- [ ] Section 1: Ash (1,200 words)", "write the length in lines"),
    ("## TEIL 2: bread/water.md", "did you mean `## PART n: Create bread/water.md`"),
]


@pytest.mark.parametrize(("text", "message"), LINES, ids=[line for line, _ in LINES])
def test_a_line_is_reported_with_what_it_may_mean(text: str, message: str) -> None:
    """One Problem, on the last line that the text adds, or on its first."""
    found = reported(text)
    assert len(found) == 1
    assert message in found[0][1]


def transposed(word: str) -> str:
    """The word with its second and third letter exchanged."""
    return f"{word[0]}{word[2]}{word[1]}{word[3:]}"


LINE_FORMS = [form for form in FORMS if form.kind is FormKind.LINE and form.name.split()[0].isalpha()]
"""The rows that begin a line with a word; the call of a search tool begins with none."""


@pytest.mark.parametrize("form", LINE_FORMS, ids=lambda form: form.name)
def test_a_slip_in_the_first_word_of_each_form_is_reported(form: LineForm) -> None:
    """The example of each row that begins a line, with two letters exchanged, is said to be nearly that form."""
    word = form.name.split()[0]
    example, count = re.subn(rf"\b{word}\b", transposed(word), form.example, count=1)
    assert count == 1
    assert any("did you mean" in message for _, message in reported(example)), example


def test_a_table_is_no_list_of_parts() -> None:
    """In a plan without PARTs, a table whose rows name pages is reported on its first line."""
    text = "# Bread\n\n| PART | Page |\n| --- | --- |\n| 1 | bread/flour.md |\n"
    found = [(p.line, p.message) for p in parse(text, "plans/x.md")[1] if p.code == "P042"]
    assert [line for line, _ in found] == [3]
    assert "such as `## PART 1: Create bread/flour.md`" in found[0][1]
    assert reported("| PART | Page |\n| --- | --- |\n| 1 | bread/flour.md |\n") == []


def test_a_misspelt_heading_is_reported_once() -> None:
    """Its status line names the PART that it is meant to be; another number is another defect."""
    text = "## PART 1: Water\n\n- [ ] PART 1: Water\n\n## PRT 2: Salt\n\n- [ ] PART {}: Salt\n"
    assert [line for line, _ in reported(text.format(2))] == [5]
    assert [line for line, _ in reported(text.format(3))] == [5, 7]


def test_the_proposed_number_is_free() -> None:
    """It follows that of the PART above, and is none of those below, nor one that was proposed before."""
    text = "## PART x: Water\n\n## PART y: Salt\n\n## PART 2: Yeast\n"
    assert [message.rpartition("did you mean ")[2] for _, message in reported(text)] == [
        "`## PART 3: Water`?",
        "`## PART 4: Salt`?",
    ]


NEIGHBOURS = [
    *(
        "## Port 2: Serial lines",
        "## Party 2",
        "## PARTS 2-4: TBD",
        "## PART 2-4: TBD",
        "## Part of the story",
        "## Second part",
    ),
    *("## PART II: Water", "## PART V: Water", "## Part iv: Water", "## PART XL: Water", "## PART twenty-one: Water"),
    *("### Part 2: Inner", "## Notes", "## Finalization", "## Update INDEX.md", "**PTX**: instructions"),
    *(
        "**Stop 1: Berlin**",
        "**Note**: weigh it",
        "**Notes:**",
        "- Session 1: Intro",
        "- Site: the mill",
        "- Cute: a cat",
    ),
    *("- [ ] Review the results", "- Starch: how much", "- Reach: far", "- Bread bread/ash.md", "- Lead: heavy"),
    *('- [ ] Search: "rye"', "Search queries:\n- rye", "- [ ] Search:\n  - rye"),
    *("- ash (12 links)", "- ash (3 files)", "- ash (two linen bags)", "- draw (a line)", "- ash (see guidelines)"),
    *(
        "- ash (2 pages)",
        "- [ ] Search results",
        '- [ ] Section 1: "Ash" in flour',
        "- [ ] Google",
        '- flour is called "ash"',
    ),
    *(
        '- [ ] Create new section: "Mills and stones"',
        '- [ ] Add to "Stones": questions about rye',
        '- [ ] Add "When to sieve" examples',
        '- Commit message: "Split the page on mills"',
        '- Example: "rye" vs "dark rye"',
        '- Research: What is "ash"?',
        '- [ ] Search for rye ash\n      Query: "rye ash content"',
    ),
    *("- [1] a reference", "- [a](b.md)", "- [ ] Steps 1-3: mill", "- Sections 1-3: mill", "- identity: a term"),
]


COMMON_LABELS = (
    *("Abstract", "Approach", "Assumptions", "Audience", "Author", "Background", "Category", "Caveats", "Constraints"),
    *(
        "Contact",
        "Context",
        "Cost",
        "Deadline",
        "Dependencies",
        "Difficulty",
        "Due",
        "Effort",
        "Examples",
        "Format",
        "Heading",
    ),
    *(
        "Important",
        "Introduction",
        "Keywords",
        "Language",
        "Level",
        "License",
        "Limits",
        "Method",
        "Milestone",
        "Notes",
    ),
    *("Order", "Origin", "Overview", "Owner", "Priority", "Progress", "Quality", "Rationale", "Reason", "Requirements"),
    *("Reviewer", "Risks", "Scope", "Score", "Style", "Summary", "Tags", "Team", "Template", "Theme", "Ticket", "Time"),
    *("Tip", "Tools", "Topic", "Type", "Version", "Warning", "Week"),
)
"""Labels that people write for themselves: no name of a form may be so near that they look misspelled."""


@pytest.mark.parametrize("text", ["**{}**: Friday", "- **{}**: Friday", "{}: Friday"])
def test_a_common_label_is_no_slip(text: str) -> None:
    """*Context* is two letters away from *Content*; a new row may be as near to another one."""
    assert [label for label in COMMON_LABELS if reported(text.format(label))] == []


@pytest.mark.parametrize("text", NEIGHBOURS)
def test_a_neighbour_is_left_alone(text: str) -> None:
    """Words that resemble those of a form, in another shape or as words of their own."""
    assert reported(text) == []


def test_no_real_plan_has_a_line_that_is_not_understood(shared: Path) -> None:
    """The five seeds, our own plans, and 36 plans in as many manners."""
    own = [*(ROOT / "plans").rglob("*.md"), *(ROOT / "tests/plan/hands").glob("*.md")]
    plans = [path for path in (*own, *(shared / "seeds").glob("*.md")) if "KNOWLEDGE-DROP" not in path.name]
    assert len(plans) > 45
    found = [problem for path in plans for problem in parse_bytes(path.read_bytes(), path.name)[1]]
    assert [problem for problem in found if problem.code in {"P040", "P041", "P042"}] == []


def test_no_task_list_of_other_tools_has_a_line_that_is_not_understood() -> None:
    """The cases in the manner of superpowers, spec-kit, OpenSpec and Kiro."""
    cases = list(read_cases(ROOT / "tests/plan/cases/groups.md"))
    assert len(cases) > 5
    found = [problem for _, text, _ in cases for problem in parse(text, "plans/x.md")[1]]
    assert [problem for problem in found if problem.code == "P042"] == []


@pytest.mark.parametrize("name", ["Section", "Search", "Include", "Identify", "Scrape"])
@given(data=st.data())
def test_a_slip_is_reported_or_changes_nothing(name: str, data: st.DataObject) -> None:
    """Whatever letter is left out, doubled or exchanged: the line is read as before, or reported."""
    rest = {"Section": " 1: Ash (~100 lines)", "Search": ': "rye ash"', "Identify": " gaps: ash"}.get(name, ": a table")
    at = data.draw(st.integers(1, len(name) - 2))
    slips = [name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:]]
    slips.append(name[:at] + name[at + 1] + name[at] + name[at + 2 :])
    slip = data.draw(st.sampled_from(slips))
    text = f"- Section 9: Last\n    - {{}}{rest}" if name == "Include" else f"- [ ] {{}}{rest}"
    wrong, right = HEAD + text.format(slip), HEAD + text.format(name)
    shown, as_meant = (plan_to_json(*parse(plan, "plans/x.md"))["parts"] for plan in (wrong, right))
    assert reported(text.format(slip)) or without_tasks(shown) == without_tasks(as_meant)


def without_tasks(parts: list[dict[str, object]]) -> list[dict[str, object]]:
    """What is shown of PARTs, apart from the words of their tasks."""
    return [{key: value for key, value in part.items() if key != "steps"} for part in parts]


@pytest.mark.parametrize(
    ("word", "name", "slips"),
    [
        ("serach", "search", 1),
        ("sarch", "search", 1),
        ("seearch", "search", 1),
        ("search", "search", 0),
        ("ab", "ba", 1),
    ],
)
def test_the_distance_of_words(word: str, name: str, slips: int) -> None:
    """A letter left out, added, replaced or exchanged is one slip."""
    assert count_slips(word, name, limit=3) == slips


@pytest.mark.parametrize("word", ["Search", "Searches", "Searching", "Starch", "Session", "Sections", "re", "x" * 99])
def test_other_words_are_no_slips(word: str) -> None:
    """Forms of a word, other words, short and long ones."""
    assert not is_misspelling(word, "Search")
    assert not is_misspelling(word, "Section")


@pytest.mark.parametrize(
    ("written", "lost"),
    [
        ("**Target File**: `ovens/other.md`", [(5, "ovens/other.md")]),
        ("**Target Files**: `ovens/02.md` and `ovens/c.md`", [(5, "ovens/c.md")]),
        ("**Target Files**:\n- `ovens/b.md`\n- `ovens/c.md`", [(6, "ovens/b.md"), (7, "ovens/c.md")]),
        ("**Target Files**:\n\n- `ovens/02.md`\n- `ovens/c.md`", [(8, "ovens/c.md")]),
        ("**Target Files Created**:\n- `ovens/b.md` (880+ lines)\n- `c.md`", [(6, "ovens/b.md"), (7, "c.md")]),
        ("**Target Files Created:**\n\n- ovens/02.md\n- ovens/c.md", [(8, "ovens/c.md")]),
        ("- **Files Created**:\n  - `ovens/c.md`", [(6, "ovens/c.md")]),
        ("### Target Files\n\n- `ovens/c.md`", [(7, "ovens/c.md")]),
        ("**File Created**: `ovens/c.md` (412 lines)", [(5, "ovens/c.md")]),
        ("**Target Files Created**:\n- `ovens/02.md` (880+ lines)\n- [ ] Read `tea/x.md`", []),
        ("**Target Files Created**:\n- `ovens/02.md`\n- `KNOWLEDGE-DROP-ovens.md`", []),
        ("**Target File**: `docs/ovens/02.md`", []),
        ("**Target File**: `02.md`\n\n- `ovens/c.md`", []),
        ("**Target Files**:\n\n`ovens/c.md`", []),
    ],
)
def test_pages_of_a_label_that_others_replace(written: str, lost: list[tuple[int, str]]) -> None:
    """The page of the status line counts; those of a label that are others are named, each on its line."""
    text = f"## PART 2: Ovens\n\n- [ ] PART 2: Create ovens/02.md\n\n{written}\n"
    plan, problems = parse(text, "plans/p.md")
    assert plan.parts[0].targets == ("ovens/02.md",)
    found = [(one.line, one.message) for one in problems if one.code == "P012"]
    assert [line for line, _ in found] == [line for line, _ in lost]
    assert all(path in message for (_, path), (_, message) in zip(lost, found, strict=True))


def test_pages_of_a_second_status_line() -> None:
    """The first status line counts; a page that another one names is not lost without a word."""
    status = "- [ ] PART 2: Create ovens/02.md\n- [ ] PART 2: Create {}\n"
    for path, is_lost in (("ovens/3.md", True), ("ovens/02.md", False), ("docs/ovens/02.md", False)):
        _, problems = parse(f"## PART 2: Ovens\n\n{status.format(path)}", "plans/p.md")
        assert [(one.line, path in one.message) for one in problems if one.code == "P012"] == [(4, True)] * is_lost


OUTLINE = "**Step 2: Write**\n- [ ] Section 1: Ash (~40 lines)\n"


@pytest.mark.parametrize(
    ("between", "lost"),
    [
        (f"## Notes on baking\n\nText.\n\n{OUTLINE}", "`Step 2: Write` on line 10"),
        (f"# Aside\n\n## More\n\n{OUTLINE}", "`Step 2: Write` on line 10"),
        ('## Shared\n\n- [ ] Search: "rye"\n', '`Search: "rye"` on line 8'),
        ("## Shared\n\n- [ ] Section 3 - Salt\n", "`Section 3 - Salt` on line 8"),
        (f"### Notes on baking\n\n{OUTLINE}", ""),
        (f"## Research\n\n{OUTLINE}", ""),
        ("## Shared\n\n- [ ] Ask the baker\n- Section 3: as an example\n\nStep 1: in words.\n", ""),
    ],
)
@pytest.mark.parametrize("is_last", [False, True])
def test_a_heading_that_ends_a_part(between: str, lost: str, is_last: bool) -> None:
    """A heading at the level of a PART's ends it: what only a PART can have is not lost below it without a word."""
    after = "" if is_last else "\n## PART 2: Ovens\n\n- [ ] PART 2: Create ovens/02.md\n"
    found = reported(f"{between}{after}")
    if is_last and "## Research" in between:  # behind the last PART it is of the plan
        lost = "`Step 2: Write` on line 8"
    if not lost:
        assert found == []
        return
    (line, message), *others = found
    assert others == []
    assert f"this heading ends PART 1, so {lost}" in message
    assert (HEAD + between).splitlines()[line + 4] == between.splitlines()[0]
    assert "write the heading with ###," in message


def test_behind_a_finished_outline_headings_are_of_the_plan() -> None:
    """The steps of a plan below its last PART are not those of a page."""
    tail = '\n## Finally\n\n- [ ] Step 1: Check all pages\n- [ ] Search: "rye"\n'
    assert reported(f"{OUTLINE}{tail}") == []
    assert len(reported(f"{OUTLINE}{tail}\n## PART 2: Ovens\n\n- [ ] PART 2: Create ovens/02.md\n")) == 1
