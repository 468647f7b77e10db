"""`planbook audit`: claims in the styles of public reports, and what their sources say of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from planbook.research.audit.claims.cited_claims import read_cited_claims
from planbook.research.writers.llm_api import Api
from tests.files import put, warc
from tests.repositories import DAY, make_repository
from tests.research.model_server import Stub
from tests.research.web.server import Reply, Web

HERE = "127.0.0.2"
"""On this machine, but not a name that reports use for examples."""
WORDS = "Water at 80 degrees keeps the catechins in the leaf."
TEA = f"<h1>Steeping</h1><p>{WORDS}</p><p>Hotter water draws bitter compounds out within the first 3 minutes.</p>" + (
    "<p>A kettle with a thermometer makes this simple for everybody at home.</p>" * 4
)
REFERENCES = "\n\n## References\n\n1. [Steeping](https://tea.test/steeping)\n2. Oats, https://oats.test/\n"


@pytest.fixture
def tea() -> Iterator[Web]:
    """A web with a page on tea, one that moved, and one that is gone."""
    with Web(here=HERE) as web:
        web.html("/tea", TEA, title="Steeping")
        web.redirect("/old", "/tea", 301)
        web.put("/gone", Reply(410))
        yield web


def run(*args: str) -> Result:
    """The command, in a hurry."""
    return CliRunner().invoke(main, ["audit", "--pause", "0", "--allow-loopback", *args])


def audited(root: Path, monkeypatch: pytest.MonkeyPatch, text: str, *args: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and the claims of a report as JSON."""
    monkeypatch.chdir(root)
    (root / "report.md").write_text(text, encoding="utf-8")
    done = run("report.md", "--format", "json", *args)
    return done.exit_code, json.loads(done.stdout)["claims"]


# --- claims ------------------------------------------------------------------------------------------------------

STYLES = {
    "number behind the full stop": ("Water keeps the leaf green.[1] Oats are not tea.", 1),
    "number with a space": ("Water keeps the leaf green. [1]", 1),
    "number before the full stop": ("Water keeps the leaf green [1, 2]. Oats are not tea.", 2),
    "numbers side by side": ("Water keeps the leaf green.[1][2]", 2),
    "numbers side by side, before the full stop": ("Water keeps the leaf green [1][2]. Oats are not tea.", 2),
    "numbers behind a word": ("Water keeps the leaf green[1][2].", 2),
    "number, escaped": (r"Water keeps the leaf green \[1\].", 1),
    "number, linked to the entry": ("Water keeps the leaf green [[1]](#ref1).", 1),
    "number, raised": ("Water keeps the leaf green<sup>[1](#ref1)</sup>.", 1),
    "number, linked to the source": ("Water keeps the leaf green [[7]](https://tea.test/steeping).", 1),
    "footnote": ("Water keeps the leaf green.[^tea]\n\n[^tea]: Steeping, https://tea.test/steeping", 1),
    "inline link": ("Water [keeps the leaf](https://tea.test/steeping) green.", 1),
    "link in brackets": ("Water keeps the leaf green ([Steeping](https://tea.test/steeping)).", 1),
    "link in brackets behind": ("Water keeps the leaf green. ([Steeping](https://tea.test/steeping))", 1),
    "reference link": ("Water [keeps the leaf][t] green.\n\n[t]: https://tea.test/steeping", 1),
    "bare address": ("Water keeps the leaf green (https://tea.test/steeping).", 1),
    "list item": ("Notes:\n\n- Oats are not tea.\n- Water keeps the leaf\n  green [1].", 1),
}


@pytest.mark.parametrize(("text", "sources"), STYLES.values(), ids=STYLES)
def test_a_claim_is_the_sentence_that_carries_the_citation(text: str, sources: int) -> None:
    """In each style one claim is found, without its citation, and its sources with it."""
    listed = "[1" in text or "[1\\]" in text
    [claim] = read_cited_claims(f"# Tea\n\n{text}{REFERENCES if listed else ''}", "report.md")
    assert claim.text == "Water keeps the leaf green."
    assert len(claim.urls) == sources
    assert claim.urls[0] == "https://tea.test/steeping"


def test_lines_are_those_of_the_file() -> None:
    """Also below front matter, within a wrapped paragraph, and in a table, whose cells with a link are citations."""
    text = (
        "---\ntitle: Tea\n---\n\n# Tea\n\nOats are not tea.\nWater keeps the leaf\ngreen [1]. So\n"
        "it is said by all [2].\n\n"
        "| what | how | source |\n| --- | --- | --- |\n| Green tea | at 80 degrees | [Steeping](https://tea.test/s) |\n"
        f"{REFERENCES}"
    )
    found = read_cited_claims(text, "report.md")
    assert [(claim.line, claim.text) for claim in found] == [
        (8, "Water keeps the leaf green."),
        (9, "So it is said by all."),
        (14, "Green tea | at 80 degrees"),
    ]


def test_an_attribution_belongs_to_what_is_quoted() -> None:
    """The line below a quotation, and the line that introduces a list."""
    text = (
        f"> {WORDS}\n>\n> — [Steeping](https://tea.test/s)\n\nFrom [Oats](https://oats.test/) (accessed 2026-10-02):\n"
        "- Oats grow in cool weather\n- They are cut in August\n"
    )
    found = read_cited_claims(text, "report.md")
    assert [(claim.text, claim.urls) for claim in found] == [
        (WORDS, ("https://tea.test/s",)),
        ("Oats grow in cool weather", ("https://oats.test/",)),
        ("They are cut in August", ("https://oats.test/",)),
    ]
    assert found[0].quotes == (WORDS,)


def test_a_citation_in_brackets_of_its_own_covers_its_paragraph() -> None:
    """Agents write their reports like this. One within the last sentence belongs to that sentence alone."""
    text = "Tea is made of green leaves. Oats are sown in spring. (https://tea.test/a, https://oats.test/b)\n"
    claims = [(claim.text, len(claim.urls)) for claim in read_cited_claims(text, "r.md")]
    assert claims == [("Tea is made of green leaves.", 2), ("Oats are sown in spring.", 2)]
    (alone,) = read_cited_claims("Tea is one. Oats are sown in spring (https://oats.test/b).\n", "r.md")
    assert alone.text == "Oats are sown in spring."


def test_a_line_with_the_source_of_a_table_belongs_to_its_rows() -> None:
    """The line itself claims nothing."""
    text = "| Version | Day |\n| --- | --- |\n| v0.30.0 | 2025-09-07 was a Sunday |\n\nSource: GitHub Releases. (https://git.test/releases)\n"
    assert [(claim.line, claim.urls) for claim in read_cited_claims(text, "r.md")] == [
        (3, ("https://git.test/releases",))
    ]


def test_an_address_in_code_is_part_of_the_claim() -> None:
    """Only addresses outside of code are citations."""
    text = "- Install it with `uv tool install specify --from git+https://git.test/spec.git`, then run it (https://git.test/)\n"
    (claim,) = read_cited_claims(text, "r.md")
    assert claim.urls == ("https://git.test/",)
    assert claim.text == "Install it with uv tool install specify --from git+https://git.test/spec.git, then run it"


def test_only_an_attributed_block_is_a_quotation() -> None:
    """Notes and warnings stand in quotes too, a sentence at a time, and code keeps its words."""
    text = (
        "> [!NOTE]\n> Tea is old. In China, [tea was drunk](https://tea.test/) early.\n\n"
        "- `tea brew`: it [brews tea](https://b.test/)\n\n"
        "> Oats are older than that. All of you should refer to https://oats.test/\n"
    )
    found = read_cited_claims(text, "report.md")
    assert [(claim.text, claim.quotes) for claim in found] == [
        ("In China, tea was drunk early.", ()),
        ("tea brew: it brews tea", ()),
    ]


def test_references_in_front_matter_count() -> None:
    """Pages of a base cite by id."""
    head = "---\nreferences:\n  - {id: tea, title: Steeping, URL: https://tea.test/s}\n---\n"
    [claim] = read_cited_claims(f"{head}\nWater keeps it green [@tea, q1].\n", "report.md")
    assert (claim.text, claim.urls) == ("Water keeps it green.", ("https://tea.test/s",))


@pytest.mark.parametrize(
    "text",
    [
        "See [the docs](https://tea.test/) for more information on this.",
        "[Steeping](https://tea.test/)",
        "[![build](https://img.test/x.svg)](https://ci.test/tea)",
        "```\nWater keeps it green, https://tea.test/\n```",
        "`Water keeps it green, https://tea.test/`",
        "Water keeps it green with `tea.dev/leaf/green` in it",
        "Water keeps it green, as more documents say [here](https://tea.test/).",
        "All of you should refer to https://tea.test/",
        "## Water keeps the leaf green, see [Steeping](https://tea.test/)",
        "Is it true that [water](https://tea.test/) is hot?",
        "<!-- Water keeps the leaf green, https://tea.test/ -->",
        "## Sources\n\n- [Steeping](https://tea.test/) tells how to make good tea.",
    ],
)
def test_no_claim_is_made_by(text: str) -> None:
    """A pointer, a badge, code, a heading, a question, a comment, an entry of a list of sources."""
    assert read_cited_claims(f"# Tea\n\n{text}\n", "report.md") == ()


# --- verdicts ----------------------------------------------------------------------------------------------------


def test_verdicts_of_claims(tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not judged, other figures, and nothing similar; the closest passage says why."""
    url = tea.url("/tea", HERE)
    code, found = audited(
        tmp_path,
        monkeypatch,
        f"In a leaf, catechins are kept by water at 80 degrees [1].\n\n"
        f"It is hotter water that draws bitter compounds out within the first 5 minutes [1].\n\n"
        f"Green tea helps against most kinds of headache [1].\n\n## References\n\n1. [Steeping]({url})\n",
    )
    assert code == 1
    assert [claim["verdict"] for claim in found] == ["not judged", "figures differ", "not judged"]
    assert found[0]["passage"]["text"].startswith(WORDS)
    assert found[0]["passage"]["URL"] == url
    assert "the claim says “5 minutes”" in found[1]["reason"]
    assert "3 minutes" in found[1]["reason"]
    assert found[2]["reason"] == "no passage of its sources is similar; read them"
    assert [claim["codes"] for claim in found] == [["A007"], ["A006"], ["A007"]]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The library requires Python 3.8+", "The library requires Python 3.9+ on all systems."),
        ("The page size defaults to 250 entries", "The page size defaults to 100 entries."),
        ("The timeout of a request is 30 seconds", "The timeout of a request is 30 milliseconds."),
        ("The library requires Python 3.9 or newer", "The library requires Python 3.9+ on all systems."),
        ("The page size defaults to 1000 entries", "The page size defaults to 1,000 entries."),
    ],
)
def test_figures_are_compared(
    tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch, *, claim: str, source: str
) -> None:
    """Versions, numbers with separators, units."""
    tea.html("/figures", f"<main><h1>Facts</h1><p>{source}</p><p>{'Another sentence on cups. ' * 9}</p></main>")
    _, (found,) = audited(tmp_path, monkeypatch, f"{claim} ([facts]({tea.url('/figures', HERE)})).\n")
    differs = not any(same in claim for same in ("3.9", "1000"))
    assert (found["verdict"] == "figures differ") is differs


def test_a_judge_decides_what_a_program_cannot(tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked about claims whose figures and names are in the closest passages, with these as quotes."""
    with Web() as server:
        stub = Stub(server, Api.OPENAI, judge=_denies_cold)
        options = f"      expand:\n        judge: stub-1\n        llm_url: {stub.url}\n        allow_loopback: true\n"
        (tmp_path / "mkdocs.yml").write_text(f"site_name: Tea\nplugins:\n  - planbook:\n{options}", encoding="utf-8")
        url = tea.url("/tea", HERE)
        text = (
            f"Catechins stay in the leaf in water at 80 degrees ([a]({url})).\n\n"
            f"Cold water draws bitter compounds out within the first 3 minutes ([a]({url})).\n"
        )
        _, found = audited(tmp_path, monkeypatch, text)
        assert [claim["verdict"] for claim in found] == ["supported", "not found"]
        assert found[1]["reason"] == "cold is not hotter"
        assert len(stub.bodies) == 1


def _denies_cold(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    rows = [(one["id"], "Cold" in one["sentence"]) for one in asked["items"]]
    return {
        "verdicts": [
            {"id": name, "reason": "cold is not hotter", "verdict": "not supported" if is_cold else "supported"}
            for name, is_cold in rows
        ]
    }


def test_quotes_are_found_or_not(tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ellipsis may stand for words, and marks may differ; other words make another quote."""
    url = tea.url("/tea", HERE)
    quotes = [
        WORDS,
        "Water at 80 degrees … in the leaf",
        "Water at 80 degrees -- keeps the catechins",
        "draw[s] [many] compounds out within the first 3 minutes",
        "water at 80 degrees keeps catechins in the leaf",
        "tea was first brought to Europe by Dutch merchants",
    ]
    text = "\n\n".join(f"The board writes: “{quote}” ([Steeping]({url}))." for quote in quotes)
    code, found = audited(tmp_path, monkeypatch, text)
    assert code == 1
    assert [claim["verdict"] for claim in found] == ["found verbatim"] * 4 + ["inexact quote", "not found"]
    assert [claim["codes"] for claim in found] == [[]] * 4 + [["A007"], ["A004"]]


NUMBERS = f"{WORDS} It earns $7K a month from ten thousand kettles since July 2025. Readers liked it 500 times."
AROUND = {
    "same figure": (f'Of $7,000, "{WORDS}"', "found verbatim", ""),
    "words and months": (f'Since 2025-07 with 10,000 kettles: "{WORDS}"', "found verbatim", ""),
    "another figure": (f'With $87M a year: "{WORDS}"', "not found", "but “87M” is nowhere in its sources"),
    "number of an item and of a source": (f'12) It says "{WORDS}" [1]', "found verbatim", ""),
    "dates of publication and access": (f'Rye (2019), accessed 2026-10-02: "{WORDS}"', "found verbatim", ""),
    "line": (f'At line 83: "{WORDS}"', "found verbatim", ""),
    "within the quote": (f'It says "{WORDS} It earns $7K a month"', "found verbatim", ""),
}


@pytest.mark.parametrize(("claim", "verdict", "reason"), AROUND.values(), ids=AROUND)
def test_figures_around_a_quote_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str, reason: str
) -> None:
    """A quote that is found vouches for itself alone; equal notations of a number are the same figure."""
    put(tmp_path, {"raw/tea.md": f"# Tea\n\n{NUMBERS}\n"})
    _, (found,) = audited(tmp_path, monkeypatch, f"# Tea\n\n- {claim} ^[raw/tea.md]\n", "--offline")
    assert found["verdict"] == verdict
    assert reason in found["reason"]


def test_a_figure_around_a_quote_may_be_in_a_source_that_was_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nobody knows, and the claim is not checked."""
    put(tmp_path, {"raw/tea.md": f"# Tea\n\n{NUMBERS}\n"})
    text = f'# Tea\n\nWith $87M: "{WORDS}" ^[raw/tea.md] (https://tea.test/steeping).\n'
    _, (found,) = audited(tmp_path, monkeypatch, text, "--offline")
    assert found["verdict"] == "unreadable"
    assert "“87M” is not in the sources that could be read" in found["reason"]


def test_sources_are_told_apart(tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, moved, unreachable and forbidden; an absent quote is not reported if a source was not read."""
    (tea_url, old, gone) = (tea.url(path, HERE) for path in ("/tea", "/old", "/gone"))
    text = (
        f"Water keeps the leaf green ([a]({gone})). Oats grow in cool weather ([b]({old})).\n"
        f'They say "this is said in no source that was read" ([a]({gone}), [c]({tea_url})).\n'
    )
    code, found = audited(tmp_path, monkeypatch, text)
    assert code == 1
    assert [claim["sources"] for claim in found] == [
        [{"URL": gone, "state": "missing", "detail": "the server returned 410"}],
        [{"URL": old, "state": "moved", "detail": tea_url}],
        [
            {"URL": gone, "state": "missing", "detail": "the server returned 410"},
            {"URL": tea_url, "state": "read", "detail": ""},
        ],
    ]
    assert found[2]["codes"] == ["A001", "A007"]
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(main, ["audit", "--pause", "0", "--format", "json", "report.md"])
    states = {source["state"] for claim in json.loads(refused.stdout)["claims"] for source in claim["sources"]}
    assert states == {"unreachable"}  # addresses of this machine are not asked unasked
    assert refused.exit_code == 0


def test_mirrors_answer_for_repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a commit or on a branch, without a request; what a branch does not have is missing."""
    repository = make_repository(tmp_path / "tea")
    commit = repository.commit({"docs/water.md": f"# Water\n\n{WORDS}\n"})
    tip = repository.commit({"docs/oats.md": "# Oats\n"})
    mirror = repository.mirror(tmp_path / "tea.git")
    base = "https://github.com/leaf/tea/blob"
    text = "\n\n".join(
        f"{WORDS[:-1]} ([water]({base}/{where}))."
        for where in (f"{commit}/docs/water.md", "main/docs/water.md", "main/x.md")
    )
    code, found = audited(tmp_path, monkeypatch, text, "--offline", "--mirror", f"leaf/tea={mirror}")
    assert code == 1
    assert [claim["verdict"] for claim in found] == ["found verbatim", "found verbatim", "unreadable"]
    assert [claim["sources"][0]["detail"] for claim in found] == [
        f"commit {commit[:12]} of {DAY}",
        f"commit {tip[:12]} of {DAY}",
        "there is no file x.md at that commit",
    ]


def test_a_mirror_that_cannot_be_read_is_no_missing_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command fails, as `verify` does: nothing is known of the source."""
    (tmp_path / "tea.git").mkdir()
    (tmp_path / "report.md").write_text(f"{WORDS[:-1]} ([a](https://github.com/leaf/tea/blob/main/a.md)).\n")
    monkeypatch.chdir(tmp_path)
    done = run("report.md", "--offline", "--mirror", "leaf/tea=tea.git")
    assert done.exit_code == 1
    assert done.output.startswith("Error: ")
    assert "tea.git" in done.output


def test_saved_copies_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy is read instead of the address."""
    copies = tmp_path / "copies"
    copies.mkdir()
    record = ("https://tea.test/tea", "2026-10-02", "200 OK", f"<html><body>{TEA}</body></html>".encode())
    (copies / "tea.warc").write_bytes(warc(record))
    (tmp_path / "report.md").write_text(f"{WORDS[:-1]} ([Steeping](https://tea.test/tea)).\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = run("report.md", "--copies", "copies", "--offline", "--format", "json")
    [claim] = json.loads(done.stdout)["claims"]
    assert (claim["uri"], claim["verdict"]) == ("report.md", "found verbatim")
    assert claim["sources"] == [{"URL": "https://tea.test/tea", "state": "read", "detail": "copy of 2026-10-02"}]
    assert done.exit_code == 0


def test_documents_of_the_project_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page may cite a file in ``documents/``, which has no address; one that is not there is an error."""
    put(tmp_path, {"documents/tea.md": f"# Steeping\n\n{WORDS}\n"})
    works = "".join(f"  - {{id: {key}, title: T, custom: {{file: documents/{key}.md}}}}\n" for key in ("tea", "oats"))
    text = f"---\nreferences:\n{works}---\n\n{WORDS[:-1]} [@tea, q1].\n\nOats are not tea at all [@oats].\n"
    code, found = audited(tmp_path, monkeypatch, text, "--offline")
    sources = [(claim["verdict"], source["URL"]) for claim in found for source in claim["sources"]]
    assert sources == [("found verbatim", "documents/tea.md"), ("unreadable", "documents/oats.md")]
    assert code == 1


# --- the command -------------------------------------------------------------------------------------------------


def test_a_folder_has_markdown(tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """All below, without hidden files; each source is asked for once."""
    url = tea.url("/tea", HERE)
    put(tmp_path, dict.fromkeys(("a/one.md", "a/two.markdown", "a/.three.md"), f"{WORDS[:-1]} ([s]({url})).\n"))
    monkeypatch.chdir(tmp_path)
    done = run("a")
    assert [line for line in done.output.splitlines() if not line.startswith("  closest: ")] == [
        f"a/one.md:1: found verbatim {WORDS}",
        f"a/two.markdown:1: found verbatim {WORDS}",
        "2 claims: 2 found verbatim",
        "1 source: 1 read",
        "file            claims  found  inexact  wrong  open  not read  no source",
        "a/one.md             1      1        0      0     0         0          0",
        "a/two.markdown       1      1        0      0     0         0          0",
    ]
    assert done.exit_code == 0
    assert tea.asked("/tea") == 1


def test_nothing_to_audit_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report without citations, a folder without reports, a file that is not there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.md").write_text("Tea is green.\n", encoding="utf-8")
    assert run("report.md").output == "no claims found that cite the web or a file\n"
    (tmp_path / "empty").mkdir()
    assert "empty has no files named" in run("empty").output
    assert run("none.md").exit_code == 2
    (tmp_path / "report.html").write_text("<p>Tea is green.</p>", encoding="utf-8")
    for report in ("report.html", "https://tea.test/report"):
        assert "save a web page as Markdown first" in run(report).output


SOURCE = (
    "# Tea\n\nML \u7b97\u5b50\u5e94\u4f5c\u4e3a\u6570\u636e\u5e93"
    "\u539f\u751f\u7b97\u5b50\uff0c\u800c\u975e UDF\u3002\n\n"
    f"{WORDS} You can't brew what you don't understand. The cup is JS-rendered on the page of `boil_tea`.\n\n"
    "Pass the ball short, or long: it is the player who plays it, and nobody else does so in 2018 to 2019.\n"
)
UNSURE = {
    "a term": ('Teas for the "people who never have any time" are green', "not judged"),
    "a question that nobody asked": ('It cannot ask "should he have run to the other side?"', "not judged"),
    "an altered short quote": (
        'As all of the people here know well: "You can\'t brew what you do understand"',
        "not found",
    ),
    "an altered word": ('"You can\'t brew what you do understand" is so', "not found"),
    "words of a person": ('The manual says "tea is for people without any time"', "not found"),
    "long words": ('Of it, "tea is for all the people who never have any time at all", and more', "not judged"),
    "a product": ("If the cup is rendered with JavaScript on the page, tell so", "not judged"),
    "a class": ("The cup is rendered on the page with `JavaTea`, as it is", "not judged"),
    "an instruction": ("Import `boil_coffee` for the cup on the page", "not judged"),
    "a function": ("The cup on the page is of `boil_coffee` and rendered", "not judged"),
    "a symbol": ("The cup on the page is of `f_cup` and rendered", "not judged"),
    "a generation": ("The cup is rendered on the page by kettles of Gen 12", "not judged"),
    "a formula": ('The manual says "the cup is rendered with $x^2 + y_1$ on every page"', "not judged"),
    "other words of a script without blanks": (
        "\u201cML \u7b97\u5b50 \u505a\u6210 \u6570\u636e\u5e93"
        "\u539f\u751f\u7b97\u5b50 \uff0c\u800c\u4e0d\u662f UDF\u201d \u2014 ML",
        "not judged",
    ),
    "a small number in words": ("The cup is rendered on the page with zero effort", "not judged"),
    "a season": ("It is the player who plays the ball in 2018-19, and nobody else", "not judged"),
    "a year of publication": ("It is the player who plays the ball (2017), and nobody else", "not judged"),
    "a number": ("It is the player who plays the ball 470 times, and nobody else", "not found"),
    "a unit": ("It is the player who plays the ball for 500 minutes, and nobody else", "not found"),
}


@pytest.mark.parametrize(("claim", "verdict"), UNSURE.values(), ids=UNSURE)
def test_only_what_a_source_would_have_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Other words in quotation marks, names of products and of what readers make are not checked."""
    put(tmp_path, {"raw/tea.md": SOURCE})
    _, (found,) = audited(tmp_path, monkeypatch, f"# Tea\n\n{claim}. ^[raw/tea.md]\n", "--offline")
    assert found["verdict"] == verdict, found["reason"]


def test_a_citation_in_a_cell_is_that_of_the_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a cell of its own, it is that of the row."""
    rows = "| `boil_tea` ^[raw/tea.md] | 404 cups |\n| `boil_tea` | 404 cups | ^[raw/tea.md] |\n"
    put(tmp_path, {"raw/tea.md": SOURCE})
    text = f"| Function of the page | Rendered cups | |\n| --- | --- | --- |\n{rows}"
    _, found = audited(tmp_path, monkeypatch, text, "--offline")
    assert [claim["verdict"] for claim in found] == ["not judged", "not judged"]
    assert ["nowhere" in claim["reason"] for claim in found] == [False, True]


CODES = {
    "an absent quote": ('The board writes: "tea was first brought to Europe by Dutch merchants"', (["A004"], 1)),
    "another figure": ("Hotter water draws bitter compounds out within the first 5 minutes", (["A006"], 1)),
    "an absent figure": (f'The board writes: "{WORDS}" for 4,711 cups', (["A008"], 0)),
    "an inexact quote": ('The board writes: "water at 80 degrees keeps catechins in the leaf"', (["A007"], 0)),
    "other words": ("In a leaf, catechins are kept by water at 80 degrees", (["A007"], 0)),
}


@pytest.mark.parametrize(("claim", "outcome"), CODES.values(), ids=CODES)
def test_each_kind_of_defect_has_a_code(
    tmp_path: Path, tea: Web, monkeypatch: pytest.MonkeyPatch, claim: str, outcome: tuple[list[str], int]
) -> None:
    """What is absent is told from what is not checked, and an error sets the exit status."""
    code, (found,) = audited(tmp_path, monkeypatch, f"{claim} ([Steeping]({tea.url('/tea', HERE)})).\n")
    assert (found["codes"], code) == outcome, found["reason"]
