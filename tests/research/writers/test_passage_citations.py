"""Passages that a page cites by their numbers become exact quotes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planbook.citations.quotes import Readings, contains_quote, words
from planbook.citations.references import read_references
from planbook.model import PageUri, Problem
from planbook.problems import is_blocking
from planbook.research.drafts import Draft, SentenceProblem, Source
from planbook.research.evidence.dossier import PassageIndex
from planbook.research.proof.draft_rules import check_draft
from planbook.research.web.model import Fetched, Outcome
from planbook.research.writers.judge import find_faults
from planbook.research.writers.passage_citations import QuotedDraft, quote_cited_passages
from tests.research.documents import brief

MANUAL = """\
# Kiln

## Heat

A kiln of clay keeps its heat for 40 minutes. The door must stay shut meanwhile. Opening it costs a third of the heat.

The lid of a kiln is heavy, and two people lift it. Nobody stands below it.

## Options

- `--keep` holds the heat until a person ends it.
- `--cool` opens the vents, and takes 90 minutes.
- `--ash` empties the tray below the grate.

| Option | Default | Meaning |
| --- | --- | --- |
| `heat` | 800 | degrees of the chamber |
| `hold` | 40 | minutes at that heat |
| `vent` | closed | the state of the vents |

| Kilns | Crew | Spare |
| --- | --- | --- |
| 2 | 2 | 0 |
| 3 | 2 | 1 |
| 5 | 3 | 2 |

Start the kiln in this order:

```sh
kiln set heat 800
kiln set hold 40
kiln start --keep
```

## Versions

Before version 3.2, the vents were opened by hand. From 3.2 on, `kiln cool` opens them.
"""
OTHER = "# Ash\n\nAsh of oak is grey and makes a glaze that runs. Ash of straw makes one that stays where it is.\n"
CREW = (
    "# Crew\n\nIn theory, any number of people can fire a kiln. Still, a crew should have no more than seven of them. "
    "A crew of 5 can do without two people, which is enough on most days.\n"
)
HEAD = "---\ntitle: Kilns\n# mine\ntags: [a, b]\n---\n\n# Kilns\n\n"


def work(name: str, text: str) -> Source:
    """A document."""
    url = f"https://{name}.example/"
    return Source(name, Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))


WORKS = (work("kiln-manual", MANUAL), work("ash", OTHER), work("crew", CREW))


def numbered(part: str, name: str = "kiln-manual") -> str:
    """The id of the first passage of a work with some words."""
    index = PassageIndex([one for one in WORKS if one.id == name], has_change_logs=True)
    return next(id_ for id_, excerpt in index.by_id.items() if part in excerpt.text)


HEAT, LID, KEEP, TABLE, ORDER, VERSIONS = map(
    numbered, ("40 minutes", "The lid", "--keep` holds", "| `heat`", "kiln start", "3.2")
)
KILNS = numbered("| 5 | 3 | 2 |")
ASH = numbered("oak", "ash")
PEOPLE = numbered("seven", "crew")


def quoted(body: str, head: str = HEAD) -> QuotedDraft:
    """The page with its quotes."""
    return quote_cited_passages(head + body, brief(), WORKS, {})


def quotes_of(text: str) -> dict[str, list[str]]:
    """The quotes of each reference."""
    return {item.id: [quote for _, quote in item.quotes] for item in read_references(text, PageUri("a.md"))[0]}


@pytest.mark.parametrize(
    ("body", "quotes"),
    [
        (f"Clay keeps heat for 40 minutes. [@{HEAT}]", ["A kiln of clay keeps its heat for 40 minutes."]),
        (f"An open door loses a third. [@{HEAT}]", ["Opening it costs a third of the heat."]),
        (
            f"Heat stays for 40 minutes, and a third of it goes with an open door. [@{HEAT}]",
            [
                "A kiln of clay keeps its heat for 40 minutes. The door must stay shut meanwhile. "
                "Opening it costs a third of the heat."
            ],
        ),
        (f"With `--cool` it takes 90 minutes. [@{KEEP}]", ["--cool opens the vents, and takes 90 minutes."]),
        (f"By default, `vent` is closed. [@{TABLE}]", ["| `vent` | closed | the state of the vents |"]),
        (
            f"Set heat and time: [@{ORDER}]\n\n```sh\nkiln set heat 800\nkiln set hold 40\n```",
            ["kiln set heat 800\nkiln set hold 40"],
        ),
        (f"A kiln is started with `--keep`. [@{ORDER}]", ["kiln set heat 800\nkiln set hold 40\nkiln start --keep"]),
        (f"From 3.2 on, `kiln cool` does it. [@{VERSIONS}]", ["From 3.2 on, kiln cool opens them."]),
        (
            f"It takes time: [@{KEEP}]\n\n- With `--cool`, 90 minutes.\n- With `--ash`, the tray is emptied.",
            ["--cool opens the vents, and takes 90 minutes.", "--ash empties the tray below the grate."],
        ),
        (f"| To do | With |\n| --- | --- |\n| end it by hand | `--keep` [@{KEEP}] |", None),
        (f"Two people lift it. It is heavy. [@{HEAT.partition('#')[0]}#1-2]", None),
    ],
)
def test_the_parts_that_carry_a_statement_are_quoted(body: str, quotes: list[str] | None) -> None:
    """Few and short ones: sentences, items, rows and lines of code; adjacent ones together."""
    done = quoted(body)
    assert done.problems == ()
    assert "#" not in "".join(re.findall(r"\[@[^\]]*\]", done.text))
    own = quotes_of(done.text)["kiln-manual"]
    assert quotes is None or own == quotes
    assert done.quotes == len(own)


def test_the_cells_of_a_row_are_quoted_from_one_row() -> None:
    """The citation in the last cell holds for all: a row with one of the figures does not carry them."""
    done = quoted(f"| Kilns | Crew | Spare |\n| --- | --- | --- |\n| 5 | 3 | 2 [@{KILNS}] |")
    assert quotes_of(done.text)["kiln-manual"] == ["| 5 | 3 | 2 |"]
    done = quoted(f"| Part | When | State |\n| --- | --- | --- |\n| door | after 40 minutes | stays shut [@{HEAT}] |")
    assert "40 minutes" in quotes_of(done.text)["kiln-manual"][0]


@pytest.mark.parametrize(("label", "is_quoted"), [("the vents were opened by hand before", True), ("vents", False)])
def test_a_cell_that_says_something_gets_its_quote(label: str, *, is_quoted: bool) -> None:
    """As an error message does, in the first cell of its row; one that only names it does not."""
    done = quoted(f"| Seen | Do |\n| --- | --- |\n| {label} | cool with `kiln cool` [@{VERSIONS}] |")
    of_first_cell = "Before version 3.2, the vents were opened by hand."
    assert any(of_first_cell in quote for quote in quotes_of(done.text)["kiln-manual"]) == is_quoted


def test_a_message_on_code_names_passages() -> None:
    """Its writer knows no keys of quotes."""
    fault = Problem(
        PageUri("a.md"),
        9,
        "D043",
        "this code differs from the quotes that it cites, q5 of @kiln and q6 of @ash: the line",
    )
    (told,) = QuotedDraft("").findings_on([fault])
    assert told.message.startswith("this code differs from the passages that it cites: the line")
    assert "mark the code `*(example, not run)*`" in told.message


ROWS = "| Part | When | State |\n| --- | --- | --- |\n"


@pytest.mark.parametrize(
    ("body", "placed"),
    [
        (  # each quote behind its sentence, and one that carries two behind the second
            f"A kiln keeps its heat for 40 minutes. It is of clay. Ash of oak is grey. [@{HEAT}; @{ASH}]",
            "A kiln keeps its heat for 40 minutes. It is of clay. [@kiln-manual, q1] Ash of oak is grey. [@ash, q1]",
        ),
        (  # before the full stop, as the writer does
            f"Heat stays for 40 minutes.\nAsh of oak is grey [@{HEAT}; @{ASH}].",
            "Heat stays for 40 minutes [@kiln-manual, q1].\nAsh of oak is grey [@ash, q1].",
        ),
        (  # a sentence that needs both gets both, and one is cited again
            f"Ash of oak is grey. Its glaze runs while the heat stays, for 40 minutes. [@{ASH}; @{HEAT}]",
            "Ash of oak is grey. [@ash, q1] "
            "Its glaze runs while the heat stays, for 40 minutes. [@ash, q1; @kiln-manual, q1]",
        ),
        (  # a list: its introduction keeps what no item needs
            f"It goes so: [@{KEEP}]\n\n- With `--cool`, 90 minutes.\n- With `--ash`, the tray is emptied.",
            "It goes so:\n\n- With `--cool`, 90 minutes. [@kiln-manual, q1]\n"
            "- With `--ash`, the tray is emptied. [@kiln-manual, q2]",
        ),
        (  # no citation is set above code that had none
            f"It goes so: [@{KEEP}]\n\n- With `--cool`, 90 minutes.\n- With `--ash`, the tray is emptied.\n\n"
            "  ```sh\n  kiln --ash\n  ```",
            "It goes so: [@kiln-manual, q1]\n\n- With `--cool`, 90 minutes. [@kiln-manual, q2]\n"
            "- With `--ash`, the tray is emptied.\n\n  ```sh\n  kiln --ash\n  ```",
        ),
        (  # cells
            f"{ROWS}| ash | `--ash` empties the tray | that of oak is grey [@{KEEP}; @{ASH}] |",
            f"{ROWS}| ash | `--ash` empties the tray [@kiln-manual, q1] | that of oak is grey [@ash, q1] |",
        ),
        (  # one quote for a row, and a column of sources
            f"{ROWS}| `--ash` | always | empties the tray [@{KEEP}] |\n| ash | grey | of oak | [@{ASH}] |",
            f"{ROWS}| `--ash` | always | empties the tray [@kiln-manual, q1] |\n| ash | grey | of oak | [@ash, q1] |",
        ),
        (  # other grounds keep their form
            f"Heat stays for 40 minutes. So does grey ash of oak *(deduced)*. [@{HEAT}; @{ASH}]",
            "Heat stays for 40 minutes. So does grey ash of oak *(deduced)*. [@kiln-manual, q1; @ash, q1]",
        ),
        (  # no citation within emphasis, a link or code
            f"**Heat stays for 40 minutes. Ash of oak is grey.** [@{HEAT}; @{ASH}]",
            "**Heat stays for 40 minutes. Ash of oak is grey.** [@kiln-manual, q1; @ash, q1]",
        ),
        (  # what code shows is quoted above it
            f"Set it to 800. Hold it at 40. Then ash of oak is grey. [@{ORDER}; @{ASH}]\n\n"
            "```sh\nkiln set heat 800\nkiln set hold 40\n```",
            "Set it to 800. Hold it at 40. Then ash of oak is grey. [@kiln-manual, q1; @ash, q1]\n\n"
            "```sh\nkiln set heat 800\nkiln set hold 40\n```",
        ),
        (  # beside a quote of the writer's, nothing moves
            f"Heat stays for 40 minutes. Ash of oak is grey. [@{HEAT}; @{ASH}; @other, q1]",
            "Heat stays for 40 minutes. Ash of oak is grey. [@kiln-manual, q1; @ash, q1; @other, q1]",
        ),
    ],
)
def test_a_quote_stands_behind_what_it_carries(body: str, placed: str) -> None:
    """It stands there if the writer cites each sentence, item and cell, and if there is one citation at the end."""
    done = quoted(body)
    assert done.problems == ()
    assert done.text.partition("# Kilns\n\n")[2] == placed
    assert quote_cited_passages(done.text, brief(), WORKS, {}).text == done.text


@pytest.mark.parametrize(
    ("body", "placed", "quotes"),
    [
        (  # another sentence than the one that shares most words
            f'Heat goes if one looks in. [@{HEAT} "door must stay shut"]',
            "Heat goes if one looks in. [@kiln-manual, q1]",
            ["The door must stay shut meanwhile."],
        ),
        (  # case, marks and line ends do not count, and a comma may stand before the words
            f"Cooling takes long. [@{KEEP}, \u201cOpens the\nvents and takes\u201d]",
            "Cooling takes long. [@kiln-manual, q1]",
            ["--cool opens the vents, and takes 90 minutes."],
        ),
        (  # two sentences, and words that begin in one and end in the next
            f'Nobody looks in. [@{HEAT} "keeps its heat"; @{LID} "people lift it. Nobody"]',
            "Nobody looks in. [@kiln-manual, q1; @kiln-manual, q2]",
            [
                "A kiln of clay keeps its heat for 40 minutes.",
                "The lid of a kiln is heavy, and two people lift it. Nobody stands below it.",
            ],
        ),
        (  # a row, in its cell
            f'{ROWS}| vents | at first | shut [@{TABLE} "`vent` | closed"] |',
            f"{ROWS}| vents | at first | shut [@kiln-manual, q1] |",
            ["| `vent` | closed | the state of the vents |"],
        ),
        (  # two of one passage
            f'The door stays shut for 40 minutes. [@{HEAT} "door must stay shut" "40 minutes"]',
            "The door stays shut for 40 minutes. [@kiln-manual, q1]",
            ["A kiln of clay keeps its heat for 40 minutes. The door must stay shut meanwhile."],
        ),
        (  # each behind its sentence; a semicolon among the words parts nothing
            f'Heat stays. Ash may run. [@{HEAT} "keeps; its heat"; @{ASH} "glaze that runs"]',
            "Heat stays. [@kiln-manual, q1] Ash may run. [@ash, q1]",
            ["A kiln of clay keeps its heat for 40 minutes."],
        ),
    ],
)
def test_words_name_the_sentence_that_is_quoted(body: str, placed: str, quotes: list[str]) -> None:
    """Nothing else of its passage is quoted."""
    done = quoted(body)
    assert [problem for problem in done.problems if is_blocking(problem)] == []
    assert done.text.partition("# Kilns\n\n")[2] == placed
    assert quotes_of(done.text)["kiln-manual"] == quotes
    assert quote_cited_passages(done.text, brief(), WORKS, {}).text == done.text


@pytest.mark.parametrize(
    "words_of_writer",
    ['"set it to "yes" first"', '"it to "yes""', "\u201cset it to yes\u201d", '"set it" "to "yes" first"'],
)
def test_words_may_have_quotation_marks(words_of_writer: str) -> None:
    """As their sentence has them; the marks themselves do not count."""
    text = '# Vents\n\nThe vents are shut by default. Whoever fires wood must set it to "yes" first, and wait.\n'
    body = f"Wood needs open vents. [@vents#1 {words_of_writer}; @{HEAT} "
    done = quote_cited_passages(f'{HEAD}{body}"keeps its heat"]\n', brief(), [*WORKS, work("vents", text)], {})
    assert quotes_of(done.text)["vents"] == ['Whoever fires wood must set it to "yes" first, and wait.']
    assert len(quotes_of(done.text)["kiln-manual"]) == 1


def test_a_sentence_that_its_source_has_twice_is_quoted_with_the_one_before_it() -> None:
    """A reader is led to one place, and `verify` sees that this one has changed."""
    text = (
        "# Server\n\n## a\n\nThis is the number of transfers. The default value is 10.\n\n"
        "## b\n\nThis is the number of clients per query. The default value is 10.\n"
    )
    server = work("server", text)
    passages = PassageIndex([server], has_change_logs=True).by_id
    (cited,) = [id_ for id_, excerpt in passages.items() if "clients" in excerpt.text]
    for words_of_writer in ("", ' "default value is 10"'):
        body = f"By default, 10 clients ask at once. [@{cited}{words_of_writer}]\n"
        done = quote_cited_passages(HEAD + body, brief(), [server], {})
        quotes = quotes_of(done.text)["server"]
        assert quotes == ["This is the number of clients per query. The default value is 10."]


def test_what_the_named_sentence_lacks_is_told() -> None:
    """The rest of its passage may have it: nothing is added that the writer has not named."""
    done = quoted(f'The door stays shut for 40 minutes. [@{HEAT} "door must stay shut"]\n')
    assert quotes_of(done.text)["kiln-manual"] == ["The door must stay shut meanwhile."]
    faults = done.findings_on(find_faults(Draft(done.text, "hand"), brief(), WORKS, None))
    (fault,) = [fault for fault in faults if is_blocking(fault)]
    assert "name the sentence that has it by its words, too" in fault.message


def test_a_passage_of_which_nothing_is_needed_is_left_out_and_reported() -> None:
    """It proves nothing; its number may be wrong, or a statement be missing."""
    done = quoted(f"Heat stays for 40 minutes. [@{HEAT}; @{KEEP}; @{VERSIONS}]\n")
    assert done.text.endswith("Heat stays for 40 minutes. [@kiln-manual, q1]\n")
    assert [(one.code, one.line, is_blocking(one)) for one in done.problems] == [("D039", 9, False)] * 2
    assert f"`{VERSIONS}`: what cites it needs nothing of it" in done.problems[1].message


def test_adjacent_parts_carry_a_number_and_its_unit_together() -> None:
    """Also more parts than a sentence has quotes, if they are next to each other."""
    manual = work("kiln", "# Kiln\n\n## Default\n\nDefault: `30`\n\nMinutes after which the vents are opened.\n")
    done = quote_cited_passages(HEAD + "The vents open after 30 minutes. [@kiln#1]\n", brief(), [manual], {})
    assert not list(filter(is_blocking, find_faults(Draft(done.text, "hand"), brief(), [manual], None)))


def test_each_word_that_the_passage_has_is_in_the_quotes() -> None:
    """A second sentence is quoted for the one word that the first lacks."""
    (quotes,) = quotes_of(quoted(f"The lid is heavy, so nobody stands below it. [@{LID}]\n").text).values()

    assert quotes == ["The lid of a kiln is heavy, and two people lift it. Nobody stands below it."]


def test_a_number_in_words_gets_a_quote_that_has_it() -> None:
    """It gets it also if most words of the sentence are in another one."""
    (quote,) = quotes_of(
        quoted(f"Five people are enough on most days, and more than seven too many. [@{PEOPLE}]").text
    )["crew"]
    assert "no more than seven" in quote
    assert "A crew of 5" in quote


def test_keys_go_on_and_equal_quotes_are_shared() -> None:
    """Quotes of the page stay as they are; a second call changes nothing."""
    head = HEAD.replace(
        "---\n\n# K",
        "references:\n  - id: kiln-manual\n    custom:\n      quotes: # by hand\n"
        '        q4: "A kiln of clay keeps its heat for 40 minutes."\n---\n\n# K',
    )
    body = (
        f"Heat stays for 40 minutes, and ash of oak is grey. [@{HEAT}; @{ASH}]\n\n"
        f"Two lift the lid. [@{LID}] By hand. [@kiln-manual, q4]\n"
    )
    done = quoted(body, head)
    assert "[@kiln-manual, q4; @ash, q1]" in done.text
    assert "Two lift the lid. [@kiln-manual, q5] By hand. [@kiln-manual, q4]" in done.text
    assert "quotes: # by hand" in done.text
    assert "# mine" in done.text
    assert quote_cited_passages(done.text, brief(), WORKS, {}).text == done.text


@pytest.mark.parametrize(
    ("citation", "told"),
    [
        ("[@kiln-manual#99]", "`kiln-manual#99`: the passages of kiln-manual are #1 to #"),
        (
            "[@kiln-manuel#1]",
            "no work with the id kiln-manuel was gathered or read for this page; did you mean `kiln-manual`?",
        ),
        ("[@kiln-manual#1, p. 4]", "`p. 4` stands behind the number; cite the passage alone"),
        (
            f'[@{HEAT} "door must be shut"]',
            f"`{HEAT}`: no sentence has \u201cdoor must be shut\u201d in a row; "
            "the nearest is \u201cThe door must stay shut meanwhile.\u201d",
        ),
        (
            f'[@{HEAT} "the"]',
            f"`{HEAT}`: 3 sentences have \u201cthe\u201d: \u201cThe door must stay shut meanwhile.\u201d, "
            "\u201cOpening it costs a third of the heat.\u201d; give more words",
        ),
        ("[@kiln-manual#3-1]", "the first number before the last"),
        ("[@kiln-manual#1\u20132]", "is no citation of a passage; write `[@kiln-manual#3]`"),
        ("@kiln-manual#1", "`kiln-manual#1` is not in brackets; write `[@kiln-manual#1]`"),
        (f"[@{ASH}]", f"“Heat lasts for 40 minutes.” shares no word with `{ASH}`, which it cites"),
    ],
)
def test_what_cannot_be_quoted_is_told(citation: str, told: str) -> None:
    """The message names the passage, and what to write; once."""
    done = quoted(f"Heat lasts for 40 minutes. {citation}\n")
    (problem,) = done.problems
    assert (problem.code, problem.line, is_blocking(problem)) == ("D038", 9, True)
    assert told in problem.message


@pytest.mark.parametrize(
    ("works", "fix"),
    [
        (WORKS, "the ids are `kiln-manual`, "),
        ((), "nothing was: run `planbook gather small-images 1`"),
    ],
)
def test_a_work_that_was_not_read_is_reported_once(works: tuple[Source, ...], fix: str) -> None:
    """With all lines that cite it, and what to do."""
    text = "Heat lasts. [@xyz#1]\n\nAsh is grey. [@xyz#2]\n\nLids are heavy. [@xyz#1; @xyz#3]\n"
    (problem,) = quote_cited_passages(f"{HEAD}{text}", brief(), works, {}).problems
    assert problem.message.startswith(
        "`xyz#1`: no work with the id xyz was gathered or read for this page (cited in lines 9, 11, 13); "
    )
    assert fix in problem.message


def test_a_figure_that_the_passage_lacks_is_refused_by_its_number() -> None:
    """The rules for quotes hold: the message names the passage instead of the quotes that were chosen for it."""
    done = quoted(f"A kiln of clay keeps its heat for 50 minutes. [@{HEAT}]\n")
    faults = done.findings_on(find_faults(Draft(done.text, "hand"), brief(), WORKS, None))
    (fault,) = [fault for fault in faults if is_blocking(fault)]
    assert f"“50 minutes” is not in `{HEAT}`" in fault.message


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("The heat stays as in step 6 above.", False),
        ("The heat stays after steps 5 and 6.", False),
        ("Die W\u00e4rme bleibt nach den Schritten 5 bis 6.", False),
        ("The heat stays: see Section 1.", False),
        ("The heat stays as in table 1, row 2.", False),
        ("The heat stays after step 3 of 7.", True),
        ("The heat stays after step 6 of 7.", True),
        ("The heat stays in section 4.", True),
        ("The heat stays for 6 minutes.", True),
        ("The heat stays in step 6.5.", True),
    ],
)
@pytest.mark.parametrize("is_cell", [False, True])
def test_a_reference_to_a_part_of_the_page_is_no_figure(text: str, *, is_refused: bool, is_cell: bool) -> None:
    """A number is one of the page's if it has such a step, section, table or row; any other is its source's."""
    own = "## Doors\n\n| Sign | Then |\n| - | - |\n| no heat | CELL |\n| smoke | wait |\n\n5. Shut it.\n6. Wait.\n"
    cited = f"{text} [@{HEAT}]"
    body = own.replace("CELL", cited) if is_cell else f"{own}\n{cited}\n".replace("CELL", "shut it")
    done = quoted(body)
    faults = done.findings_on(find_faults(Draft(done.text, "hand"), brief(), WORKS, None))
    assert any(fault.code == "D048" for fault in faults) == is_refused


NOTES = work("notes", "# Kiln notes\n\n## `v2.1.1`\n\nThe lid no longer sticks, as it has done since `v2.0.0`.\n")


@pytest.mark.parametrize("version", ["v2.1.1", "2.1.1", "`v2.1.1`"])
@pytest.mark.parametrize(
    "body",
    [
        "Since VERSION, the lid does not stick. [@notes#1]",
        "| A | B |\n| - | - |\n| VERSION | no lid sticks [@notes#1] |",
    ],
)
def test_the_heading_above_a_passage_names_its_version(body: str, version: str) -> None:
    """Notes of a release have it there alone, and its words may end in the version before."""
    done = quote_cited_passages(f"{HEAD}{body.replace('VERSION', version)}\n", brief(), [NOTES], {})
    assert not done.findings_on(find_faults(Draft(done.text, "hand"), brief(), [NOTES], None))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The heat stays for 50 minutes.", f"“50 minutes” is in `{HEAT}`, but not in what is quoted of it"),
        ("The heat stays.", f"“50 minutes” is not in `{HEAT}`"),
    ],
)
def test_the_message_tells_a_wrong_figure_from_one_that_cannot_be_quoted(text: str, told: str) -> None:
    """Whoever wrote what the passage says looks elsewhere for the fault."""
    said = "Heat stays for 50 minutes."
    fault = SentenceProblem(
        "a.md", 1, "D048", f"“{said}”: “50 minutes” is not in its quotes", sentence=said, missing=("50 minutes",)
    )
    (finding,) = QuotedDraft("", passages={said: (HEAT,)}, texts={HEAT: text}).findings_on([fault])
    assert told in finding.message


def test_code_and_text_outside_citations_stay() -> None:
    """Also a citation in code, line ends, and a byte order mark."""
    body = f"`[@{HEAT}]` is code.\r\n\r\n    [@{HEAT}]\r\n\r\nHeat stays 40 minutes [@{HEAT}].\r\n"
    done = quoted(body, "\ufeff" + HEAD.replace("\n", "\r\n"))
    assert done.text.endswith(body.replace(f"minutes [@{HEAT}]", "minutes [@kiln-manual, q1]"))
    assert done.text.startswith("\ufeff---\r\ntitle: Kilns\r\n# mine\r\n")
    assert done.text.count("\n") == done.text.count("\r\n")


SENTENCES = (
    *re.findall(r"[A-Z][^.|`]{10,80}\.", MANUAL),
    "Nothing of the kind is said.",
    "With `--keep` and `hold` 40, the heat is 800 degrees.",
    "| a | b |",
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SENTENCES), st.integers(0, 11), st.booleans()), min_size=1, max_size=6))
def test_every_quote_is_in_its_passage_and_the_text_stays(parts: list[tuple[str, int, bool]]) -> None:
    """Whatever cites whatever: what is quoted is verbatim, in size, and the rules find no fault with it."""
    citations = [f"kiln-manual#{number}" if number else ASH for _, number, _ in parts]
    body = ""
    for (sentence, _, ends), name in zip(parts, citations, strict=True):
        body += f"{sentence} [@{name}]" + ("\n\n" if ends else " ")
    done = quoted(body)
    plain = r" ?\[@[^\]]*\]"
    assert re.sub(plain, "", done.text[done.text.index("# Kilns") :]) == re.sub(plain, "", f"# Kilns\n\n{body}")
    passages = PassageIndex(WORKS).by_id
    texts = {one.id: [Readings("", e.text) for e in passages.values() if e.source == one.id] for one in WORKS}
    for name, quotes in quotes_of(done.text).items():
        assert all(any(contains_quote(quote, text) for text in texts[name]) for quote in quotes)
    broken = {"D040", "D044", "D045", "K012"}
    rules = done.findings_on(check_draft(Draft(done.text, "hand"), brief(), WORKS, frozenset()))
    assert not [problem for problem in rules if problem.code in broken]


TRUE = (
    (HEAT, "A kiln of clay keeps its heat for 40 minutes."),
    (HEAT, "Opening the door costs a third of the heat."),
    (LID, "Two people lift the lid."),
    (LID, "Nobody stands below it."),
    (KEEP, "With `--cool`, the vents are open for 90 minutes."),
    (TABLE, "`hold` is 40 by default."),
    (VERSIONS, "Before 3.2, the vents were opened by hand."),
    (ASH, "Ash of oak is grey."),
    (PEOPLE, "A crew of 5 can do without two people."),
)
FORMS = (
    "{} {} {} [{}]",
    "It is so: [{3}]\n\n- {0}\n- {1} {2}",
    "It is so:\n[{3}]\n- {0}\n- {1} {2}",
    "- {} {}\n- {} [{}]",
    "| a | b | c |\n|-|-|-|\n| {} | {} | {} [{}] |",
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(FORMS), st.lists(st.sampled_from(TRUE), min_size=3, max_size=3)),
        min_size=1,
        max_size=4,
    )
)
def test_true_sentences_are_accepted_wherever_their_quotes_stand(
    blocks: list[tuple[str, list[tuple[str, str]]]],
) -> None:
    """Each sentence's own quotes carry it; a second call changes nothing."""
    cited = [dict.fromkeys(f"@{name}" for name, _ in parts) for _, parts in blocks]
    body = "\n\n".join(
        form.format(*(said for _, said in parts), "; ".join(names))
        for (form, parts), names in zip(blocks, cited, strict=True)
    )
    done = quoted(body)
    faults = done.findings_on(find_faults(Draft(done.text, "hand"), brief(), WORKS, None))
    assert not [problem for problem in (*done.problems, *faults) if is_blocking(problem)]
    assert quote_cited_passages(done.text, brief(), WORKS, {}).text == done.text
    plain = r" ?\[@[^\]]*\]"
    assert re.sub(plain, "", done.text.partition("# Kilns\n\n")[2]) == re.sub(plain, "", body)


@pytest.mark.parametrize(
    "body",
    [
        "| Option | Default | Meaning |\n|-|-|-|\n| `heat` | {} | degrees of the chamber [@{}] |",
        "| Option | Meaning | Default |\n|-|-|-|\n| `heat` | degrees of the chamber | {} [@{}] |",
        "The defaults [@{1}]:\n\n| Option | Default |\n|-|-|\n| `heat` | {0} |\n| `hold` | 40 |",
    ],
)
def test_a_figure_in_any_cell_of_a_row_gets_its_quote(body: str) -> None:
    """Of a row that cites passages, and of one below a sentence that does; a false one is refused."""
    for figure in (800, 37):
        done = quoted(body.format(figure, TABLE))
        faults = done.findings_on(find_faults(Draft(done.text, "hand"), brief(), WORKS, None))
        told = [fault.code for fault in (*done.problems, *faults) if is_blocking(fault)]
        assert told == (["D048"] if figure == 37 else []), (body, done.text)
