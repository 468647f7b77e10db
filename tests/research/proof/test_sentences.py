"""The sentences of a page that a person or a program wrote: their quotes, their numbers and names, the judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from planbook.citations.quotes import words
from planbook.library.pages import render_page
from planbook.research.drafts import SentenceProblem, Source
from planbook.research.proof.sentences import CitedSentence
from planbook.research.web.model import Fetched, Outcome
from planbook.research.writers import Unwritten
from tests.research.documents import source
from tests.research.proof.kiln import MANUAL, faults, manual, page


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("The default is 40. It is so for each cache [@manual, q].", []),
        ("The default is 50. It is so for each cache [@manual, q].", ["D051"]),
        ("Then Docker has caches. The default is 50 [@manual, q].", ["D051", "D048"]),
        ("The cache is like this [@manual, q]:\n\n- It holds 40 layers.\n- Then Docker fills it.", ["D051"]),
        ("The caches of Docker are full *(advice)*. The default is 40 [@manual, q].", []),
    ],
)
def test_a_sentence_before_a_citation_is_compared_with_it(body: str, codes: list[str]) -> None:
    """What it has and the quotes lack is a warning: it may rest on something else."""
    text = page(body, {"q": "Keeps at most so many layers in the cache; the default is 40."})
    assert [one.code for one in faults(text, [manual()])] == codes


@pytest.mark.parametrize(("version", "codes"), [("3.1", []), ("3.2", []), ("3.3", ["D048"])])
def test_a_quote_that_stands_at_several_places_has_all_headings_above_it(version: str, codes: list[str]) -> None:
    """Any of the places may be meant; another figure is refused."""
    said = "The door of each oven must be shut."
    text = f"# Kiln\n\n## Version 3.1\n\n{said}\n\n## Version 3.2\n\n{said}\n"
    url = manual().fetched.url
    source = Source("manual", Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))
    body = f"Doors must be shut since version {version} [@manual, q]."
    assert [one.code for one in faults(page(body, {"q": said}), [source])] == codes


@pytest.mark.parametrize(
    ("said", "quote", "codes"),
    [
        ("The timeout is `0.2s`", "The timeout is 200 ms.", []),
        ("The timeout is `0.3s`", "The timeout is 200 ms.", ["D048"]),
    ],
)
def test_a_figure_in_code_may_have_another_unit(said: str, quote: str, codes: list[str]) -> None:
    """It is read as in prose."""
    assert [one.code for one in faults(page(f"{said} [@manual, q].", {"q": quote}), [manual()])] == codes


def test_the_message_on_a_row_names_the_line_above_its_table() -> None:
    """A row has no paragraph."""
    body = "They are [@manual, q]:\n\n| Most | Of |\n| --- | --- |\n| `--many` | Docker layers |"
    messages = [one.message for one in faults(page(body, {"q": "so many layers in the cache"}), [manual()])]
    assert any("the citation above its table does not; cite it in the row" in one for one in messages), messages


@pytest.mark.parametrize(
    ("said", "quote", "codes"),
    [
        ("Then the CRD is kept", "A custom resource definition is kept.", []),
        ("Then CRDs are kept", "Each Custom-Resource-Definition is kept.", []),
        ("Then the CRD is kept", "A resource definition is kept.", ["D047"]),
        ("Then the CRD is kept", "The cups are red and deep.", ["D047"]),
        ("Then CRDs are kept", "Each CustomResourceDefinition is kept.", []),
        ("Then the PVC and its PV are kept", "A PersistentVolumeClaim and its PersistentVolume are kept.", []),
        ("Then the PV is kept", "Each persistent vase is kept.", ["D047"]),
        ("Then all RecurringJobs are kept", "Each recurring job is kept.", []),
        ("Then all RecurringJobs are kept", "Each job that is recurring is kept.", ["D047"]),
    ],
)
def test_an_abbreviation_stands_for_its_words(said: str, quote: str, codes: list[str]) -> None:
    """If they stand side by side in a quote."""
    text = MANUAL + f"\n{quote}\n"
    work = Source("manual", replace(manual().fetched, text=text, visible=words(text)))
    assert [one.code for one in faults(page(f"{said} [@manual, q].", {"q": quote}), [work])] == codes


@pytest.mark.parametrize(
    ("name", "codes"),
    [("kiln_heat_total", []), ("kiln_lids_total", ["D047"]), ("ash_heat_total", ["D047"]), ("ash_lids_total", [])],
)
def test_names_stand_behind_the_prefix_that_their_section_states(name: str, codes: list[str]) -> None:
    """Once for all of them; that of another section is another name."""
    text = (
        "# Metrics\n\n## Heat\n\nAll these metrics are prefixed with `kiln_`.\n\n"
        "The counter `heat_total` is about heat.\n\n"
        "## Lids\n\nAll these metrics are prefixed with `ash_`.\n\nThe counter `lids_total` is about lids.\n"
    )
    work = Source("manual", replace(manual().fetched, text=text, visible=words(text)))
    quotes = {"q": f"The counter {name.partition('_')[2]} is about {name.split('_')[1]}."}
    assert [one.code for one in faults(page(f"It is `{name}` [@manual, q].", quotes), [work])] == codes


def test_a_citation_may_have_three_quotes_for_each_of_its_sentences() -> None:
    """One of a single sentence has no more than three."""
    said = ["Keeps at most so many layers", "layers in the cache", "the default is 40", "The tool signs each image"]
    quotes = {f"q{n}": text for n, text in enumerate(said)}
    cited = "; ".join(f"@manual, {name}" for name in quotes)
    assert [
        one.code for one in faults(page(f"Caches are kept. Images are signed [{cited}].", quotes), [manual()])
    ] == []
    (told,) = faults(page(f"Images are signed [{cited}].", quotes), [manual()])
    assert "it has 4 quotes; give one to 3" in told.message


@pytest.mark.parametrize(
    "body",
    [
        "The cache keeps {} layers. [@manual, q]",
        "- The cache keeps {} layers [@manual, q].",
        "1. First:\n\n    - The cache keeps {} layers. [@manual, q]",
        "* A paragraph.\n\n  The cache keeps {} layers. [@manual, q]",
        "| Option | Default |\n| --- | --- |\n| `--layers` | {} layers [@manual, q] |",
        "| Option | Default |\n| --- | --- |\n| `--layers` | {} layers [@manual, q]; 9 in all. |",
        "| Option | Default |\n| --- | --- |\n| `--layers` | layers [@manual, q]: {}, in all |",
        "| # | Layers | Source |\n| --- | --- | --- |\n| 7 | {} | [@manual, q] |",
        '??? note "Layers"\n    | Of | Layers |\n    | --- | --- |\n    | 7 | seven |\n    | x | {} [@manual, q] |',
    ],
)
def test_each_cited_sentence_is_compared(body: str) -> None:
    """In a paragraph, an item of a list or a cell of a table, a number that its quotes lack is refused."""
    quotes = {"q": "Keeps at most so many layers in the cache; the default is 40."}
    assert [one.code for one in faults(page(body.format(40), quotes), [manual()]) if one.code == "D048"] == []
    found = [one for one in faults(page(body.format(55), quotes), [manual()]) if one.code == "D048"]
    assert [one.message.rpartition(": ")[2] for one in found] == ["“55” is not in its quotes; they have “40”"]


def test_a_page_is_compared_with_its_quotes() -> None:
    """What a sentence cites is noted where a figure differs; what the front matter lists must be right."""
    stages = source("stages")
    quote = " ".join(words(stages.fetched.text).split()[20:32])
    item = {
        "id": stages.id,
        "type": "webpage",
        "title": "T",
        "URL": stages.fetched.url,
        "custom": {"quotes": {"q1": quote}},
    }
    rows = [
        {"sentence": "Kiln is a builder.", "quotes": [{"id": stages.id, "q": quote}]},
        {"sentence": "It is not on the page.", "quotes": [{"id": stages.id, "q": quote}]},
        {"sentence": "Kiln has 77 stages.", "quotes": [{"id": stages.id, "q": quote}]},
        {"sentence": "Kiln is a tool.", "quotes": [{"id": stages.id, "q": "words that nobody ever wrote here"}]},
    ]
    body = f"# T\n\nKiln is a builder. Kiln has 77 stages. Kiln is a tool. It takes 9 minutes. [@{stages.id}, q1]\n"
    page = render_page({"title": "T", "references": [item], "evidence": rows}, body)
    found = faults(page, [stages])
    assert [problem.message.rpartition(": ")[2] for problem in found if problem.code == "D048"] == [
        "the sentence is not on the page",
        "“77” is not in its quotes",
        "the quote “words that nobody ever wrote here” is in none of its sources",
        "“9 minutes” is not in its quotes",
    ]


def test_what_stands_above_a_quote_counts() -> None:
    """The term that it defines, and its headings, as for the sentences of a model; the judge sees them, too."""
    asked: list[CitedSentence] = []

    def judge(sentences: Sequence[CitedSentence]) -> Mapping[CitedSentence, str]:
        asked.extend(sentences)
        return dict.fromkeys(sentences, "")

    text = page(
        "With `--layers`, Kiln keeps at most 40 layers by default [@manual, q1]. It keeps 41 layers [@manual, q1].",
        {"q1": "Keeps at most so many layers in the cache; the default is 40."},
    )
    (found,) = faults(text, [manual()], judge)
    assert (found.code, found.message) == ("D048", "“It keeps 41 layers”: “41” is not in its quotes; they have “40”")
    (sentence,) = asked
    assert (sentence.quotes[0].term, sentence.quotes[0].heading) == ("--layers N", "Kiln > Options")


def test_the_date_of_a_work_counts() -> None:
    """As far as the reference has it; the judge sees it beside the title."""
    asked: list[CitedSentence] = []

    def judge(sentences: Sequence[CitedSentence]) -> Mapping[CitedSentence, str]:
        asked.extend(sentences)
        return dict.fromkeys(sentences, "")

    body = "On 20 August 2026 it kept 40 layers [@manual, q1]. On 21 August 2026 it kept 40 layers [@manual, q1]."
    quotes = {"q1": "Keeps at most so many layers in the cache; the default is 40."}
    dated = page(body, quotes, issued={"date-parts": [[2026, 8, 20]]})
    (found,) = faults(dated, [manual()], judge)
    assert found.message.startswith("“On 21 August 2026 it kept 40 layers”: “21” is not in its quotes")
    (sentence,) = asked
    assert sentence.quotes[0].issued == "20 August 2026"
    assert "(20 August 2026)" in json.dumps(sentence.content)


def test_a_judge_that_does_not_confirm_or_answer() -> None:
    """Each sentence is told with its line; a judge that cannot be reached is told once."""
    text = page("The tool signs images at once [@manual, q1].", {"q1": "signs each image after the last stage"})
    (found,) = faults(text, [manual()], lambda sentences: dict.fromkeys(sentences, "it says after the last stage"))
    assert (found.code, text.splitlines()[found.line - 1][:8]) == ("D049", "The tool")

    def silent(sentences: Sequence[CitedSentence]) -> Mapping[CitedSentence, str]:
        raise Unwritten("no answer")

    (found,) = faults(text, [manual()], silent)
    assert (found.code, found.message) == ("D049", "sentences not judged: no answer")


def test_a_sentence_begins_behind_the_stop_of_the_one_before() -> None:
    """Also if that one's citation stands before its stop; a name that begins with a dot keeps it."""
    body = "Layers are kept [@manual, q]. Here Docker keeps 40, too [@manual, q]. `.kiln` keeps 41 [@manual, q]."
    quotes = {"q": "Keeps at most so many layers in the cache; the default is 40."}
    assert [one.message for one in faults(page(body, quotes), [manual()])] == [
        "“Here Docker keeps 40, too”: “Docker” is not in its quotes",
        "“.kiln keeps 41”: “.kiln”, “41” are not in its quotes; they have “40”",
    ]


def test_the_mark_of_a_ground_ends_its_sentence() -> None:
    """Names of a marked sentence are not looked for in the quotes of the next one."""
    text = "No work gives a default for `LayerWait`. *(not found)*\nThe cache keeps 40 layers. [@manual, q1]"
    found = faults(page(text, {"q1": "the default is 40"}), [manual()])
    assert [one.message for one in found if "LayerWait" in one.message] == []
    wrong = text.replace("The cache keeps", "`LayerWait` keeps")
    found = faults(page(wrong, {"q1": "the default is 40"}), [manual()])
    assert any("LayerWait" in one.message for one in found)


@pytest.mark.parametrize("name", ["_INBOX.>", "$MQTT.sub.>", "orders.*", "from_a.puba.>", "robot$", "C#"])
def test_a_name_that_ends_in_signs_is_found_in_its_quote(name: str) -> None:
    """Also at the end of the quote, and without the marks of code."""
    url = "https://kiln.example/manual"
    text = f"Clients listen on (`{name}`), and nowhere else.\n"
    read = Source("manual", Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))
    for body in (f"A client listens on `{name}`. [@manual, q1]", f'The tool writes "{name}" there. [@manual, q1]'):
        found = faults(page(body, {"q1": f"Clients listen on (`{name}`)"}), [read])
        assert found == [], body


ROWS = """\
# Kiln

| Field | Description | Editable |
| --- | --- | --- |
| MaxLayers | The most layers that are kept; the default is 40. | Yes |
| MaxHeat | The most heat that is allowed; the default is 900. | No |
"""


@pytest.mark.parametrize(
    ("said", "missing"),
    [("`MaxLayers` has the default 40", ()), ("`MaxHeat` has the default 40", ("MaxHeat",))],
)
def test_a_cell_of_a_table_is_about_the_name_of_its_row(said: str, missing: tuple[str, ...]) -> None:
    """A sentence may have the name of the row that a quote is from, and not that of another row."""
    work = Source("manual", replace(manual().fetched, text=ROWS, visible=words(ROWS)))
    quote = {"q1": "The most layers that are kept; the default is 40."}
    found = faults(page(f"{said} [@manual, q1].", quote), [work])
    assert [one.missing for one in found if isinstance(one, SentenceProblem)] == ([missing] if missing else [])


MODES = """\
# Kiln

## Modes

**--soft**

Touches neither the shelf nor the fire.

**--hard**

Empties the shelf within 40 minutes, and puts out the fire.
"""


@pytest.mark.parametrize(
    ("label", "code", "missing"),
    [
        ("`--soft`", "", ()),
        ("`--soft`, 40 minutes", "D048", ("40 minutes",)),
        ("`--hard`", "D048", ("--hard",)),
        ("--hard", "D047", ("--hard",)),
        ("`--hard` [@manual, q2]", "", ()),
        ("`--hard` *(example)*", "", ()),
        ("The gentle mode", "", ()),
        ("7", "D048", ("7",)),
    ],
)
def test_the_label_of_a_row_is_compared_with_the_quotes_of_the_row(
    label: str, code: str, missing: tuple[str, ...]
) -> None:
    """A name of a first cell that no quote of its row has is a warning; in place of their term, it is refused."""
    work = Source("manual", replace(manual().fetched, text=MODES, visible=words(MODES)))
    quotes = {
        "q1": "Touches neither the shelf nor the fire.",
        "q2": "Empties the shelf within 40 minutes, and puts out the fire.",
    }
    table = f"| Mode | Shelf | Fire |\n| --- | --- | --- |\n| {label} | not touched [@manual, q1] | stays |"
    found = faults(page(table, quotes), [work])
    told = [(one.code, one.missing) for one in found if isinstance(one, SentenceProblem)]
    assert told == ([(code, missing)] if missing else [])


SETTINGS = """\
# Kiln

| Name | Default | Under load | Since |
| --- | --- | --- | --- |
| heat | 300s | 10s | 3.1 |
| hold | 20 | 1 | 2.6 |

Heat may harm a few pots.
"""
SETTING = {"q1": "| heat | 300s | 10s | 3.1 |", "q2": "Heat may harm a few pots.", "q3": "| hold | 20 | 1 | 2.6 |"}
HEAD = "| Setting | Normal | Load | Price |\n| --- | --- | --- | --- |\n"
LAST = "harms pots [@manual, q1; @manual, q2] |"
ROW_CASES = [
    (f"{HEAD}| heat | 300s | 10s | {LAST}", []),
    (f"{HEAD}| heat | 400s | 10s | {LAST}", ["D048"]),
    (f"{HEAD}| heat | `400s` | 10s | {LAST}", ["D048"]),
    (f"{HEAD}| heat | 300s | 15 | {LAST}", ["D048"]),
    (f"{HEAD}| heat, since 3.7 | 300s | 10s | {LAST}", ["D048"]),
    (f"{HEAD}| 300 | heat | 10s | {LAST}", []),
    (f"{HEAD}| 421 | heat | 10s | {LAST}", ["D048"]),
    (f"{HEAD}| heat | 400s | 10s | [@manual, q1; @manual, q2] |", ["D048"]),
    (f"{HEAD}| heat | 400s | 10s [@manual, q1] | harms pots [@manual, q2] |", ["D048"]),
    (f"{HEAD}| heat | 400s *(measured)* | 10s | {LAST}", []),
    (f"{HEAD}| heat | [400s](#trial) | 10s | {LAST}", ["D047"]),
    (f"{HEAD}| heat | 300s | 10s [@manual, q1] | 99 pots |", ["D047"]),
    (f"{HEAD}| heat | 300s | 10s | {LAST}\n| hold | 20 | 1 | none [@manual, q3] |", []),
    (f"{HEAD}| heat | 300s | 10s | {LAST}\n| hold | 37 | 1 | none [@manual, q3] |", ["D048"]),
    (f"{HEAD.replace('Setting', 'No.')}| 7 | 300s | 10s | {LAST}", []),
    (f"{HEAD}| 1 | 300s | 10s | {LAST}\n| 2 | 20 | 1 | hold [@manual, q3] |", []),
    (f"{HEAD.replace('Normal', 'Since 3.1')}| heat | 300s | 10s | {LAST}", []),
    (f"{HEAD.replace('Normal', 'Since 3.7')}| heat | 300s | 10s | {LAST}", ["D047"]),
    (f"It is so [@manual, q1; @manual, q3]:\n\n{HEAD}| heat | 300s | 10s | |\n| hold | 20 | 1 | |", []),
    (f"It is so [@manual, q1; @manual, q3]:\n\n{HEAD}| heat | 400s | 10s | |\n| hold | 37 | 1 | |", ["D048"] * 2),
    (f"It is so [@manual, q1]:\n\n{HEAD}| a lid | 400s | 10s | |", ["D051"]),
    ("It is so [@manual, q1; @manual, q1; @manual, q2; @manual, q3]:\n\n- Heat lasts 400s.", ["D047", "D051"]),
]


@pytest.mark.parametrize(("table", "codes"), ROW_CASES)
def test_the_figures_of_a_row_are_compared_with_its_citation(table: str, codes: list[str]) -> None:
    """In whichever cell they stand, also below a sentence that introduces the table and cites."""
    work = Source("manual", replace(manual().fetched, text=SETTINGS, visible=words(SETTINGS)))
    assert [one.code for one in faults(page(table, SETTING), [work])] == codes


def test_a_sentence_with_too_many_quotes_is_compared_with_them() -> None:
    """Whoever cites a fourth one would get any figure past them."""
    cited = "; ".join(f"@manual, q{n}" for n in (1, 2, 3, 1))
    (fault,) = faults(page(f"Heat lasts 400s [{cited}].", SETTING), [manual()])
    assert "“400s” is not in its quotes" in fault.message


def test_a_label_is_not_compared_with_a_work_that_was_not_read() -> None:
    """It has no headings and terms that the quote may stand under."""
    table = "| Mode | Shelf |\n| --- | --- |\n| `--hard` | not touched [@manual, q1] |"
    assert faults(page(table, {"q1": "Touches neither the shelf nor the fire."}), []) == []


SHELF = """\
# pot(1) - the shelf of pots

**-h** *NAME*

Puts the pot with this name on hold, so that nobody fires it.

**-H** *NAME*

Releases the pot with this name from hold.

**-d** *NAME*

Takes the pot with this name out of the shelf for good.

**-q, -s**

Says nothing while it works on the shelf.

Set KILN_HEAT to the heat of the shelf before the first pot.
"""
ON_HOLD = "Puts the pot with this name on hold"
SILENT = "Says nothing while it works on the shelf"
HEAT = "Set KILN_HEAT to the heat of the shelf"


@pytest.mark.parametrize(
    ("body", "quote", "told"),
    [
        ("`pot -h` puts a pot on hold [@manual, q].", ON_HOLD, []),
        ("`pot -H` puts a pot on hold [@manual, q].", ON_HOLD, ["D048"]),
        ("`-H` puts a pot on hold [@manual, q].", ON_HOLD, ["D048"]),
        ("`pot -d` puts a pot on hold [@manual, q].", ON_HOLD, ["D048"]),
        ("| To | Do |\n| --- | --- |\n| hold | `pot -d` *NAME* [@manual, q] |", ON_HOLD, ["D048"]),
        ("| To | Do |\n| --- | --- |\n| hold | `pot -h` *NAME* [@manual, q] |", ON_HOLD, []),
        # A warning: no work has it, another command's, the other name of one option, both options.
        ("`pot -x` puts a pot on hold [@manual, q].", ON_HOLD, ["D047"]),
        ("`lid -d` puts a pot on hold [@manual, q].", ON_HOLD, ["D047"]),
        ("`pot -s` says nothing [@manual, q].", SILENT, []),
        ("Other than `pot -d`, `pot -h` puts a pot on hold [@manual, q].", ON_HOLD, ["D047"]),
        ("Plain -d puts a pot on hold [@manual, q].", ON_HOLD, ["D047"]),
        ("| Set | to |\n| --- | --- |\n| first | `KILN_HEAT` [@manual, q] |", HEAT, []),
        ("| Set | to |\n| --- | --- |\n| first | `kiln_heat` [@manual, q] |", HEAT, ["D047"]),
        ("Set KILN\\_HEAT first [@manual, q].", HEAT, []),
        ("Set KILN\\_heat first [@manual, q].", HEAT, []),
    ],
)
def test_options_are_compared_in_their_case(body: str, quote: str, told: list[str]) -> None:
    """An option of code that stands in place of its quote's is refused; a name in code has its case, too."""
    work = Source("manual", replace(manual().fetched, text=SHELF, visible=words(SHELF)))
    assert [one.code for one in faults(page(body, {"q": quote}), [work]) if one.code in {"D047", "D048"}] == told


def test_the_option_that_stands_in_the_quote_is_named() -> None:
    """The message says which one was exchanged."""
    work = Source("manual", replace(manual().fetched, text=SHELF, visible=words(SHELF)))
    (found,) = faults(page("`pot -d` puts a pot on hold [@manual, q].", {"q": ON_HOLD}), [work])
    assert found.message == "“pot -d puts a pot on hold”: “-d” is not in its quotes; they have “-h”"
