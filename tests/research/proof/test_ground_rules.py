"""The grounds of sentences: a page says what each rests on, and only so much of it is the writer's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.grounds import Ground, GroundedSentence, count_grounds, read_sentences, share_of
from planbook.citations.in_text import find_citations
from planbook.citations.quotes import words
from planbook.markdown.document import read_document
from planbook.markdown.syntax import syntax_tree
from planbook.model import Problem
from planbook.problems import is_blocking
from planbook.research.drafts import Draft, Source
from planbook.research.proof.draft_rules import check_draft
from planbook.research.proof.ground_rules import open_points
from planbook.research.proof.inventions import WorkTexts
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.quantities import read_quantities
from planbook.research.writers.judge import check_sentences
from tests.research.documents import brief
from tests.research.proof.kiln import manual, page

QUOTES = {"q1": "the default is 40", "q2": "Keeps at most so many layers in the cache"}


def sentences(body: str) -> tuple[GroundedSentence, ...]:
    """The sentences of a page's body."""
    body = read_document(body).body
    nodes = tuple(syntax_tree(body, has_footnotes=True).descendants())
    return read_sentences(body, nodes, find_citations(body))


def grounds(body: str) -> list[tuple[str, str]]:
    """Each sentence with its ground."""
    return [(one.text, one.ground.value) for one in sentences(body)]


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("No work says what the tool signs after the last stage", True),
        ("No work says which countries export ovens", False),
    ],
)
def test_a_detail_that_is_not_found_is_looked_for_itself(said: str, is_told: bool) -> None:
    """Below a heading that is answered, the words of the sentence count and not those of the heading."""
    from planbook.research.evidence.passages import excerpts  # noqa: PLC0415 - as below

    body = f"## Keeps layers in the cache\n\nIt holds 40 [@manual, q1]. {said} *(not found)*."
    parsed = ParsedDraft(Draft(page(body, {"q1": QUOTES["q1"]}), "hand"), brief(), (manual(),), (), ())
    known = {"manual": excerpts(manual(), 1)}
    assert any(one.code == "D054" for one in check_sentences(parsed, known)) == is_told


def test_each_sentence_has_the_ground_that_stands_after_it() -> None:
    """Before or behind its full stop; a citation is one, a mark takes precedence; the next sentence has its own."""
    body = (
        "# T\n\nLayers are kept [@m, q1]. They are shared. [@m, q2] So they agree [@m, q1; @m, q2] *(deduced)*.\n"
        "Name them well *(advice)*. It is fast.\n\n- Run it *(example, not run)*\n- No work says more _(not found)_.\n"
    )
    assert grounds(body) == [
        ("Layers are kept.", "quoted"),
        ("They are shared.", "quoted"),
        ("So they agree.", "deduced"),
        ("Name them well.", "advice"),
        ("It is fast.", "none"),
        ("Run it", "example"),
        ("No work says more.", "not found"),
    ]


def test_a_ground_holds_for_the_sentences_before_it() -> None:
    """In its paragraph, back to the last ground; what introduces a list, and cites, holds for its items."""
    body = (
        "# T\n\nLayers are kept. They are shared. So is the cache [@m, q1]. It is fast. So they agree *(deduced)*.\n"
        "That is all.\n\nIt is slow.\n\nNothing says more. No work does *(not found)*.\n\n"
        "Fire it like this [@m, q1]:\n\n1. Heat the kiln.\n2. Open the lid [@m, q2].\n    - Wait for it.\n\n"
        "Not like this:\n\n- Hurry up.\n"
    )
    assert [(one.text, one.ground.value, one.is_covered) for one in sentences(body)] == [
        ("Layers are kept.", "quoted", True),
        ("They are shared.", "quoted", True),
        ("So is the cache.", "quoted", False),
        ("It is fast.", "deduced", True),
        ("So they agree.", "deduced", False),
        ("That is all.", "none", False),
        ("It is slow.", "none", False),
        ("Nothing says more.", "none", False),
        ("No work does.", "not found", False),
        ("Fire it like this:", "quoted", False),
        ("Heat the kiln.", "quoted", True),
        ("Open the lid.", "quoted", False),
        ("Wait for it.", "quoted", True),
        ("Not like this:", "none", False),
        ("Hurry up.", "none", False),
    ]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("The lid stays shut [@manual, q1].", "The lid stays shut."),
        ("Is it shut [@manual, q1]?", "Is it shut?"),
        ("Without `.spec.lid`, it is open *(deduced)*.", "Without .spec.lid, it is open."),
        ("Open it with :quit, as in `.lidrc`.", "Open it with :quit, as in .lidrc."),
    ],
)
def test_only_the_blank_of_a_citation_goes(body: str, sentence: str) -> None:
    """One before a name that begins with a stop is the writer's."""
    (read,) = sentences(body)
    assert read.text == sentence


def test_a_label_in_bold_is_no_sentence() -> None:
    """A few words above the text of their item; a sentence in bold is one, and so is what has a number."""
    body = "- **Default size.** It is 40 [@manual, q1].\n- **It is large.**\n- **40 layers.** So it is [@manual, q1].\n"
    nodes = tuple(syntax_tree(body).descendants())
    read = read_sentences(body, nodes, find_citations(body, ["manual"]))
    assert [one.text for one in read] == ["It is 40.", "It is large.", "40 layers.", "So it is."]


def test_quotes_and_code_are_no_sentences_of_the_writer() -> None:
    """They are compared with their sources elsewhere."""
    body = "# T\n\n> Words of a source *(advice)*. [@m, q1]\n\n```text\nSo it is *(deduced)*.\n```\n"
    assert grounds(body) == []


@given(st.text(alphabet="ab.*_()[]@, \n-#>`", max_size=60))
def test_any_text_has_sentences(text: str) -> None:
    """Nothing that anybody writes stops the reading; each sentence begins within the text, in order."""
    starts = [one.start for one in sentences(text)]
    assert starts == sorted(starts)


def findings(body: str) -> list[tuple[str, bool, int]]:
    """The codes on grounds that the rules find on a page by hand, each with whether it blocks, and the line."""
    found = check_draft(Draft(page(body, QUOTES), "hand"), brief(), (manual(),), {"tea/run.py"})
    return [(one.code, is_blocking(one), one.line) for one in found if "D051" <= one.code <= "D056"]


WAITS = "The first waits two seconds [@manual, q1]. The second waits 1 s [@manual, q1]."


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("Kept layers are 40 [@manual, q1]. So 40 is the most there is *(deduced)*.", []),
        ("So the cache holds 40 layers [@manual, q1; @manual, q2] *(deduced)*.", []),
        ("So the cache holds 41 layers [@manual, q1] *(deduced)*.", ["D052"]),
        ("So Docker keeps them [@manual, q1] *(deduced)*.", ["D052"]),
        ("So the API keeps them [@manual, q1] *(deduced)*.", ["D052"]),
        (f"{WAITS} Together that is three seconds *(deduced)*.", []),
        (f"{WAITS} The first waits one second longer *(deduced)*.", []),
        (f"{WAITS} Together that is four minutes *(deduced)*.", ["D052"]),
        (f"{WAITS} So 3 programs wait *(deduced)*.", ["D052"]),
        (
            "Set `--layers=5` with delays of 5 s and 9 s [@manual, q1]. The first three delays are short *(deduced)*.",
            [],
        ),
        ("It has 5 delays [@manual, q1]. The three delays are short *(deduced)*.", ["D052"]),
        ("It keeps 40 and drops 10 [@manual, q1]. So 40 and 10 make 50 *(deduced)*.", []),
        ("It keeps 40 and drops 10 [@manual, q1]. So it has seen 50 *(deduced)*.", ["D052"]),
        ("It keeps 40 and drops 10 % [@manual, q1]. 10 % of 40 are 4 *(deduced)*.", []),
        ("It keeps 40 and drops 10 % [@manual, q1]. 10 % of 40 are 5 *(deduced)*.", ["D052"]),
        ("It keeps 40 and drops 10 % [@manual, q1]. So it drops 4 *(deduced)*.", ["D052"]),
        ("It has 40 layers of 5 kB [@manual, q1]. 40 of 5 kB are 0.2 MB *(deduced)*.", []),
        ("It has 40 layers of 5 kB [@manual, q1]. 40 of 5 kB are 0.2 s *(deduced)*.", ["D052"]),
        ("It has 40 layers and 8 tools [@manual, q1]. 40 layers for 8 tools are 5 each *(deduced)*.", []),
        ("It has 40 layers and 8 tools [@manual, q1]. So 8 of 40 are 20 % *(deduced)*.", []),
        ("> [!WARNING]\n> It keeps 40 [@manual, q1]. Wait *(advice)*.", []),
        ("> [!WARNING]\n> It keeps 41.", ["D056"]),
        ("> [!WARNING]\n> It keeps 40.", ["D051"]),
        ("> It keeps 40.", []),
        ("No work says why *(not found)*; set `--layers` to 12 *(advice)*.", []),
        ("Of 40 layers, 40 - 10 = 30 are left [@manual, q1] *(deduced)*.", ["D052"]),
        ("So the cache is small *(deduced)*.", ["D052"]),
        ("Set `--layers` to 12 *(advice)*.", []),
        ("The cache holds 40 layers.", ["D051"]),
        ("The cache holds 41 layers.", ["D056"]),
        ("This page compares 41 layers.", ["D051"]),
        ("The 41st layer is not kept.", ["D051"]),
        ("It was read on 28 November 2026.", ["D051"]),
        ("| Most | 40 |\n| --- | --- |\n| Layers | 40 |", ["D051"]),
        ("| Most | 41 |\n| --- | --- |\n| Layers | 41 |", ["D056"]),
        ("They are [@manual, q1]:\n\n| Most | 41 |\n| --- | --- |\n| Layers | 41 |", ["D056"]),
        ("| See | Do |\n| --- | --- |\n| It is full | Wait for the end |\n| It hangs | Stop it |", []),
        (
            "| Most |\n| --- |\n| 40 [@manual, q1] |\n\nSo 40 is the most *(deduced)*.",
            [],
        ),
        ("| Most | 40 |\n| --- | --- |\n| Layers | many |\n\nSo it keeps layers *(deduced)*.", ["D052"]),
        ("They are [@manual, q1]:\n\n| Most | 40 |\n| --- | --- |\n| Layers | 40 |", []),
        ("The cache holds layers.", []),
        ("The cache holds 41 layers. That is the default [@manual, q1].", ["D056"]),
        ("Then Docker holds layers. So they are kept [@manual, q1] *(deduced)*.", ["D051"]),
        ("Set `--layers` to 12. Do it first *(advice)*.", []),
        ("It took 12 seconds *(measured)*.", ["D055"]),
        ("It took 12 seconds, see [the script](../tea/run.py) *(measured)*.", []),
        ("No work says how large it may grow *(not found)*.", []),
    ],
)
def test_a_ground_is_checked_as_what_it_claims_to_be(body: str, codes: list[str]) -> None:
    """A deduction has nothing beyond what it follows from, a measurement leads to its experiment; the rest is told."""
    found = findings(body)
    assert [code for code, _, _ in found] == codes
    assert all(is_blocked == (code in {"D052", "D055", "D056"}) for code, is_blocked, _ in found)


def test_digits_without_their_unit_are_no_figure() -> None:
    """Of 317 MB, a work has the number and the unit near each other; the number of an issue is none."""
    log = "The kiln takes 12 MB of memory.\n\nMend the lid, #317. It has 900 seals.\n" + 400 * "Mend it. "
    works = WorkTexts([log, "| Size | MB |\n| --- | --- |\n| Lid | 30 |\n| Kiln | 45 |\n"])
    figures = read_quantities("317 MB, 900 s, 12 MB, 45 MB, 45 s, 900 seals, 12,000 kB")
    assert [works.has_figure(figure) for figure in figures] == [False, False, True, True, False, True, True]


def test_a_general_term_needs_no_quote() -> None:
    """If the works of the page have it; a name of one product does."""
    work = replace(manual(), fetched=replace(manual().fetched, text=f"{manual().fetched.text}\nThe CLI of Kilnex.\n"))
    for said, codes in (("the CLI", []), ("the API", ["D052"]), ("our Kilnex", ["D052"])):
        draft = Draft(page(f"So {said} keeps them [@manual, q1] *(deduced)*.", QUOTES), "hand")
        assert [one.code for one in check_draft(draft, brief(), (work,), ()) if one.code == "D052"] == codes


def test_a_page_is_no_collection_of_deductions() -> None:
    """More than a quarter of its grounded sentences is too much; a page of a few sentences has no shares."""
    quoted = "The default is 40 [@manual, q1]. "
    deduced = "So it is [@manual, q1] *(deduced)*. "
    advice = "Use it *(advice)*. "
    assert share_of({Ground.DEDUCED}, sentences(f"{quoted * 3}{deduced}")) == 0.25
    for many in (f"{quoted * 2}{deduced * 2}", f"{quoted * 3}{deduced}{advice * 3}"):
        assert [code for code, _, _ in findings(many)] == ["D053"]
    for fair in (f"{quoted * 3}{deduced}", f"{quoted * 3}{advice * 2}", f"{quoted * 2}{deduced}{advice}", advice * 3):
        assert findings(fair) == []


@pytest.mark.parametrize(
    ("body", "gaps"),
    [
        (
            "## Heat\n\nThe option `--layers 0` is allowed [@manual, q1]. Whether that ends the cache is in no work "
            "*(not found)*.",
            ["Heat: The option --layers 0 is allowed. Whether that ends the cache is in no work."],
        ),
        (
            "## Heat\n\n| Kiln | Hot | Cold |\n| --- | --- | --- |\n| Old | It burns [@manual, q1] | No work says "
            "*(not found)* |\n| New *(not found)* | | |",
            ["Heat: Old, Cold", "Heat: New"],
        ),
        ("## The layer cache\n\nNo work says it *(not found)*. Nor this *(not found)*.", ["The layer cache"]),
        (
            "## Heat\n\nNo work says how hot *(not found)*; wait *(advice)*, and say so *(advice)*.",
            ["Heat: No work says how hot"],
        ),
        (
            "## The layer cache\n\nIt holds 40 [@manual, q1]. No work says why *(not found)*.",
            ["The layer cache: No work says why."],
        ),
    ],
)
def test_a_gap_says_what_it_is_about(body: str, gaps: list[str]) -> None:
    """It has the heading above it and the sentence that it refers to; one in a table its row and column."""
    parsed = ParsedDraft(Draft(page(body, QUOTES), "hand"), brief(), (manual(),), (), ())
    assert list(open_points(parsed)) == gaps


def test_what_is_not_found_is_an_open_point() -> None:
    """Named as the plan does if it stands below the point; a passage that may answer after all is told."""
    body = "## Layers in the cache\n\nNo work says how many layers are kept *(not found)*."
    other = {"q1": "The tool signs each image after the last stage."}
    parsed = ParsedDraft(Draft(page(body, other), "hand"), brief(), (manual(),), (), ())
    assert open_points(parsed) == ("Layers in the cache: No work says how many layers are kept.",)
    from planbook.research.evidence.passages import excerpts  # noqa: PLC0415 - one test needs them

    known = {"manual": excerpts(manual(), 1)}
    found = [one for one in check_sentences(parsed, known) if one.code == "D054"]
    assert len(found) == 1
    assert "a passage of @manual may answer it" in found[0].message
    assert Ground.NOT_FOUND in {one.ground for one in parsed.sentences}

    quoting = ParsedDraft(Draft(page(body, QUOTES), "hand"), brief(), (manual(),), (), ())
    found = [one for one in check_sentences(quoting, known) if one.code == "D054"]
    assert found == [], "its writer has read what the page quotes"


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("With `--layers`, the cache has a limit [@manual, q2].", []),
        ("With `--turbo`, the cache has a limit [@manual, q2].", ["D056"]),
        ("With `KILN_TURBO` the cache has a limit [@manual, q2].", ["D056"]),
        ("Pass `--turbo` always *(advice)*.", ["D056"]),
        ("Run `kiln build --turbo` always *(advice)*.", ["D056"]),
        ("Run `docker build --pull` first *(advice)*.", []),
        ("Set `kiln_turbo` *(advice)*.", ["D051"]),
        ("Run `kiln build --turbo` *(example, not run)*.", []),
        ("Run `kiln --turbo` *(example, not run)*.", ["D051"]),
        ("| Do | With |\n| --- | --- |\n| build | `kiln build --turbo` *(example, not run)* |", []),
        ("No work has `--turbo` *(not found)*.", []),
        ("| Option | Effect |\n| --- | --- |\n| `--turbo` | a limit [@manual, q2] |", ["D056"]),
        ("Layers are kept [@manual, q2]:\n\n```sh\nkiln build --turbo\n```", ["D056"]),
        ("Layers are kept [@manual, q2]:\n\n```sh\nkiln build --layers 12\n```", []),
        ("Layers are kept *(example, not run)*:\n\n```sh\nkiln --turbo\n```", ["D051"]),
        ("Layers are kept *(example, not run)*:\n\n```sh\nkiln build --turbo\n```", []),
        ("Layers are kept:\n\n```sh\nkiln build --turbo\n```", ["D056"]),
        (
            "Keep them:\n\n```sh\nKILN_DIR=/srv docker run --rm kiln # --turbo\n```\n\nThe folder is `KILN_DIR`.",
            ["D051"],
        ),
        ("1. Keep them:\n\n    ```sh\n    kiln build --turbo\n    ```", ["D056"]),
        ("\n\n> kiln build --turbo [@manual, q2]", []),
    ],
)
def test_what_no_work_has_is_refused(body: str, codes: list[str]) -> None:
    """An option, variable or figure that is in no work that was read, whatever its ground; examples may have it."""
    assert [code for code, _, _ in findings(f"Kiln reads. {body}")] == codes


SETTINGS = "Set queue.size, queue.type, queue.maxFileSize, queue.fullDelaymark and queue.saveOnShutdown."


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('They are set *(example, not run)*:\n\n```\nqueue.size="9" queue.type="Disk"\n```', []),
        ('They are set *(example, not run)*:\n\n```\nqueue.saveOnExit="on"\n```', ["has “queue.saveOnExit”"]),
        ('They are set *(example, not run)*:\n\n```\nkiln.saveOnExit="on"\n```', []),
        (
            "Raise `queue.fullDelayMark` *(advice)*.",
            ["has “queue.fullDelayMark”; they have “queue.fullDelaymark”: only the case differs"],
        ),
    ],
)
def test_a_setting_that_no_work_has_is_reported(body: str, told: list[str]) -> None:
    """In code, if the works have others below its prefix; the message says how they write it."""
    fetched = replace(manual().fetched, text=SETTINGS, visible=SETTINGS)
    found = check_draft(Draft(page(body, {}), "hand"), brief(), (Source("manual", fetched),), set())
    messages = [one.message.partition("no work that was read ")[2] for one in found if one.code == "D051"]
    assert [message for message in messages if message] == told


def test_nothing_is_refused_for_a_work_that_nobody_read() -> None:
    """It may have what the others lack: that is told."""
    text = page("Pass `--turbo` [@manual, q1]. A book says more [@book].", QUOTES)
    assert "references:\n  - id: manual\n" in text
    text = text.replace("references:\n", "references:\n  - {id: book, title: A book}\n")
    found = check_draft(Draft(text, "hand"), brief(), (manual(),), set())
    assert [(one.code, is_blocking(one)) for one in found if one.code in {"D051", "D056"}] == [("D051", False)]
    found = check_draft(Draft(text, "hand"), brief(), (), set())
    assert [one.code for one in found if one.code in {"D051", "D056"}] == []


def test_grounds_are_counted_on_pages_that_name_them() -> None:
    """In one order, without those that no sentence has; lines that announce, and marks in code, are none."""
    cited = "Layers are kept [@m, q1]. They are shared [@m, q2].\n\n"
    body = (
        f"# T\n\n{cited}So they agree *(deduced)*. Name them *(advice)*. It is fast. These matter:\n\n- `*(advice)*`\n"
    )
    assert count_grounds(body) == (("quoted", 2), ("deduced", 1), ("advice", 1), ("none", 2))
    assert count_grounds(f"# T\n\n{cited}") == ()
    assert count_grounds(f"# T\n\n{cited}Write `*(advice)*` behind it.\n") == ()
    assert count_grounds(f"# T\n\n{cited}```text\nSo it is *(deduced)*.\n```\n") == ()


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("Use --keep-daily first.", True),
        ("Use \u2011\u2011keep\u2011daily first.", True),
        ("Use \u2014keep-daily first.", True),
        ("It has --keep-daily-max.", True),
        ("Use [--[no-]keep-daily] first.", True),
        ("It has --no-keep-daily.", True),
        ("The line has --keep-\n    daily in it.", True),
        ("The key `keep-daily` is read.", True),
        ("It has --keep and --daily.", False),
        ("It keeps a daily copy.", False),
    ],
)
def test_an_option_is_found_as_sources_write_it(text: str, has: bool) -> None:
    """With other dashes, cut at the end of a line, with its negation, or as a key."""
    assert WorkTexts([text]).has_setting("--keep-daily") is has


@pytest.mark.parametrize(
    ("option", "has"), [("--webhookTimeout", True), ("--webhookTimeouts", False), ("--timeout", False)]
)
def test_tables_list_options_without_their_hyphens(option: str, has: bool) -> None:
    """A name with a capital in it is no other word; one in lower case may be any."""
    works = WorkTexts(["| Flag | Default |\n| --- | --- |\n| `webhookTimeout` | 10 |\n\nThe timeout is short."])
    assert works.has_setting(option) is has


def notes(body: str, quotes: Mapping[str, str], work: Source) -> tuple[Problem, ...]:
    """What is found on a page that a person submits."""
    return check_draft(Draft(page(body, quotes), "hand"), brief(), [work], ())


TWICE = "# Kiln\n\n**cool**\n\nSpecify 0 to fire once. It cools.\n\n**heat**\n\nSpecify 0 to fire once. It heats.\n"


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        (
            "Specify 0 to fire once.",
            [
                "quotes that are in their source several times: q1 of @manual (2); "
                "the site opens the first place; where it matters, quote more"
            ],
        ),
        ("Specify 0 to fire once. It heats.", []),
    ],
)
def test_a_quote_in_several_places_is_noted(quote: str, told: list[str]) -> None:
    """A reader is led to the first of them, which may be about something else."""
    work = Source("manual", replace(manual().fetched, text=TWICE, visible=words(TWICE)))
    found = notes("With 0 it fires once [@manual, q1].", {"q1": quote}, work)
    assert [one.message for one in found if one.code == "D041"] == told


def test_a_row_with_a_cell_too_many_is_noted() -> None:
    """Bars in code and escaped ones end no cell."""
    rows = "| a \\| b | `c | d` |\n| a | b | c |\n| a |"
    found = notes(f"| One | Two |\n| --- | --- |\n{rows}", QUOTES, manual())
    told = [(one.message, one.line) for one in found if one.code == "D066"]
    assert [message for message, _ in told] == ["this row has 3 cells, and its table 2 columns: the last is not shown"]


def test_sentences_without_a_ground_are_named() -> None:
    """By their words, and no other sentence."""
    body = "The default is 40 [@manual, q1].\n\nWait *(advice)*. Fire it slowly and look at it once in a while."
    found = [one for one in notes(body, QUOTES, manual()) if one.code == "D059"]
    (note,) = found
    assert note.message == (
        "the page's head counts sentences without a source; cite them, mark them, or leave them: "
        "“Fire it slowly and look at it once …”"
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("The default is 40 [@manual, q1]. Layers are kept [@manual, q2].", []),
        (
            "The default is 40 [@manual, q1].",
            ["quotes that no citation has: q2 of @manual; cite them where they belong, or remove them"],
        ),
    ],
)
def test_a_quote_that_is_never_cited_is_noted(body: str, told: list[str]) -> None:
    """Its sentence was changed, or cites another one by mistake."""
    assert [one.message for one in notes(body, QUOTES, manual()) if one.code == "D037"] == told


def test_a_quote_that_differs_in_capitals_is_told_so() -> None:
    """With the words to write; other differences are shown by their place."""
    work = Source("manual", replace(manual().fetched, text=TWICE, visible=words(TWICE)))
    found = notes("With 0 it fires once [@manual, q1].", {"q1": "specify 0 to fire once. It heats."}, work)
    (problem,) = [one for one in found if one.code == "D040"]
    told = "differs from its source in capitals alone: write \u201cSpecify 0 to fire once. It heats.\u201d"
    assert problem.message.endswith(told)


def test_quotes_in_several_places_are_one_note() -> None:
    """It is on the line of the first."""
    work = Source("manual", replace(manual().fetched, text=TWICE, visible=words(TWICE)))
    quotes = {"q1": "Specify 0 to fire once.", "q2": "It heats.", "q3": "0 to fire once"}
    found = notes("With 0 it fires once [@manual, q1; @manual, q2; @manual, q3].", quotes, work)
    (note,) = [one for one in found if one.code == "D041"]
    assert "several times: q1 of @manual (2), q3 of @manual (2); the site opens the first place" in note.message


@pytest.mark.parametrize(
    ("path", "is_known"),
    [("status.renewalTime", True), ("status.doorTime", True), ("status.renewTime", False), ("a.time", False)],
)
def test_a_path_is_known_by_its_field(path: str, *, is_known: bool) -> None:
    """Documents name a field alone, or as Go does, with a capital."""
    works = WorkTexts(["Kiln sets `status.RenewalTime`. `doorTime` is that of the door."])
    assert works.has_setting(path) == is_known
