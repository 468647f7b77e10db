"""Pages out of evidence: their form, their truth, and that nothing in a source can break out of its quote."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import markdown
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from generator.citations.identifiers import work_id
from generator.citations.in_text import find_citations, with_links
from generator.citations.quotes import contains_quote, fold, readings, words
from generator.citations.references import read_references
from generator.drafts import Draft, Evidence, ModelUsage, PassageKind, Source
from generator.markdown.front_matter import split_front_matter
from generator.markdown.normalize import mend
from generator.model import LineBudget, PageUri
from generator.page.links import rebased_links, resolved, written_links
from generator.page.parse import parse_page
from generator.problems import is_blocking, requirement
from generator.research.compose.page import ComposedSentence, ExtractWriter, Maker, PointContent, page_draft
from generator.research.compose.quoting import Quoter, quoted, shown
from generator.research.extract import evidence
from generator.research.extract.passages import passages
from generator.rules.draft import check_draft
from generator.web.model import Origin, Outcome
from tests.conftest import ROOT
from tests.markdown.test_verbatim import EXTENSIONS, HOSTILE
from tests.research.documents import BASE, NAMES, brief, document, source, sources

GOLDEN = ROOT / "tests" / "golden" / "research"
DAY = date(2026, 11, 20)
WRITER = ExtractWriter()


def written(*given: Source) -> Draft:
    """The page that the extract writer makes of these sources."""
    return WRITER.write(brief(), given, evidence(brief(), given), DAY)


def failures(draft: Draft, given: Sequence[Source]) -> list[str]:
    """Return the failures."""
    found = check_draft(draft, brief(), given, BASE)
    return [
        f"{requirement(finding)}, line {finding.line}: {finding.message}" for finding in found if is_blocking(finding)
    ]


# --- the page ----------------------------------------------------------------------------------------------------


def test_golden(golden: Callable[[Path, str], None]) -> None:
    """A whole page, of eight documents."""
    golden(GOLDEN / "page.md", written(*sources()).text)


def test_golden_hostile(golden: Callable[[Path, str], None]) -> None:
    """The same with a ninth that means harm: it is quoted like the others, and does nothing."""
    golden(GOLDEN / "page-hostile.md", written(*sources(), source("hostile")).text)


def test_golden_empty(golden: Callable[[Path, str], None]) -> None:
    """Where nothing was read, the page says so, point by point."""
    golden(GOLDEN / "page-empty.md", written().text)


@pytest.mark.parametrize("names", [NAMES, (*NAMES, "hostile"), ("stages",), ("layers", "buildfile")], ids=len)
def test_the_gates_let_it_through(names: tuple[str, ...]) -> None:
    """What the extract writer makes of any documents holds, as far as programs can tell."""
    draft = written(*sources(*names))
    assert failures(draft, sources(*names)) == []
    assert (draft.writer, draft.is_thin, draft.usage) == ("extract", True, ModelUsage())


def test_a_page_without_evidence_does_not_get_through() -> None:
    """A page that cites nothing is no page."""
    reason = "citations, line 1: no citations; cite the source of each statement as [@id]"
    assert failures(written(), ()) == [reason]


def test_the_site_reads_it_as_it_was_meant() -> None:
    """Title, description, links and works, by the readers that the site uses."""
    draft = written(*sources())
    page, problems = parse_page(draft.text, brief().page)
    references, more = read_references(draft.text, brief().page)
    meta, body = split_front_matter(draft.text)
    assert (*problems, *more) == ()
    assert page.title == "Small images with Kiln"
    assert page.description == brief().part.goal
    linked = dict.fromkeys(resolved(address, brief().page) for address in written_links(body))
    assert tuple(linked) == ("images/02-small-disks.md", "images/01-layers.md")
    assert {reference.id for reference in references} == {c.reference for c in find_citations(body)}
    assert (meta["plan"], meta["part"], meta["created"], meta["reviewed"]) == ("small-images", 1, DAY, None)
    assert meta["tags"] == ["images", "small"]


def test_every_quote_is_cited_where_it_is_shown() -> None:
    """Each key is used, once in the text, and in the table only if it is; each quote stands in its source."""
    draft = written(*sources())
    references, _ = read_references(draft.text, brief().page)
    _, body = split_front_matter(draft.text)
    table, below = body[: body.index("\n## ")], body[body.index("\n## ") :]
    cited = [(c.reference, c.locator) for c in find_citations(below) if c.locator]
    assert {(c.reference, c.locator) for c in find_citations(table)} <= set(cited)
    assert sorted(cited) == sorted((r.id, key) for r in references for key, _ in r.quotes)
    for reference in references:
        fetched = next(s.fetched for s in sources() if s.id == reference.id)
        texts = readings(fetched.visible, fetched.text)
        assert all(contains_quote(quote, texts) for _, quote in reference.quotes)


def test_the_same_snapshots_give_the_same_bytes() -> None:
    """Whatever the order in which sources came."""
    given_backwards = tuple(reversed(sources()))
    assert written(*given_backwards).text == written(*sources()).text


def test_a_point_that_one_source_alone_answers_names_it() -> None:
    """It is cited, linked in the table, and not quoted."""
    found = (Evidence(0, "What a builder stage is for", (), ("kiln-build-stages",)),)
    draft = WRITER.write(brief(), sources("stages"), found, DAY)
    assert "page would then be the words of one site: “Build stages” [@kiln-build-stages]." in draft.text
    assert draft.gaps == ()
    assert "## What was not found" not in draft.text


def test_points_without_evidence_are_gaps() -> None:
    """They are open in the table, listed once at the end with a query to try, and told to the drop."""
    draft = written(*sources())
    assert draft.gaps == ("The carbon footprint of idle registries",)
    assert "| The carbon footprint of idle registries | open |" in draft.text
    assert "### The carbon footprint" not in draft.text
    query = "“carbon footprint idle registries small images kiln”"
    assert draft.text.endswith(f"\n\n- The carbon footprint of idle registries: {query}\n")


def test_a_page_opens_with_a_table_of_its_points() -> None:
    """Each point has a sentence of a quote that stands below it, to the letter; or the kind of that quote."""
    draft = written(*sources())
    quotes = {(r.id, key): quote for r in read_references(draft.text, brief().page)[0] for key, quote in r.quotes}
    _, body = split_front_matter(draft.text)
    assert body.lstrip().startswith("# Small images with Kiln\n\n| Point | Closest sentence found |\n| --- | --- |\n")
    rows = [line.split(" | ") for line in body[: body.index("\n\nPassages")].splitlines()[-8:]]
    assert len(rows) == 8
    for point, cell in rows[:7]:
        (citation,) = find_citations(cell)
        section = body[body.index(f"\n###{point[1:]}") + 1 :].split("\n### ")[0].split("<details")[0]
        assert f"@{citation.reference}, {citation.locator}]" in section
        sentence = words(cell[: citation.start])
        assert sentence == "code below" or sentence in quotes[citation.reference, citation.locator or ""]


def test_a_section_without_answers_leads_to_what_was_not_found() -> None:
    """Its heading is there, as the plan wants it, with a line that leads to the list."""
    found = (Evidence(0, "What a builder stage is for"), Evidence(1, "Cache mounts", passages(source("cache"), 1)[:1]))
    draft = WRITER.write(brief(), sources("cache"), found, DAY)
    title = brief().outline[0].title
    assert f"## {title}\n\nOpen: see [What was not found](#what-was-not-found).\n" in draft.text
    assert draft.text.count("What a builder stage is for") == 2


def test_the_first_quotes_of_a_point_are_shown_and_further_ones_folded() -> None:
    """An excerpt stays whole; the fold says how many quotes it holds, each with its source."""
    first, second, third = passages(source("stages"), 1)[:3]
    other = passages(source("cache"), 2)[0]
    found = (Evidence(0, "A point", (replace(first, follows=None), replace(second, follows=None), third, other)),)
    _, body = split_front_matter(WRITER.write(brief(), sources("stages", "cache"), found, DAY).text)
    shown_first, folded = body.split('\n\n<details markdown="1">\n<summary>')
    assert words(first.text) in words(shown_first)
    assert folded.startswith("3 further quotes</summary>\n\n“Build stages” (docs.kiln.test)")
    assert folded.split("\n\n</details>\n")[0].count("q") >= 3


@pytest.mark.parametrize(
    "html",
    [
        '<details markdown="1" open>\n<summary>1 further quote</summary>',
        '<details markdown="1" onclick="x()">\n<summary>1 further quote</summary>',
        '<details markdown="1">\n<summary><img src=x></summary>',
        "</details><p>",
        "Text <details> in a line.",
    ],
)
def test_other_html_than_a_fold_is_refused(html: str) -> None:
    """Only the very lines of a fold pass."""
    draft = written(*sources())
    odd = replace(draft, text=draft.text.replace('<details markdown="1">\n<summary>1 further quote</summary>', html, 1))
    assert odd != draft
    assert any(found.startswith("markup") for found in failures(odd, sources()))


def test_a_title_may_stand_in_a_page_s_head() -> None:
    """Neither tag nor straight quote of a plan gets into what themes put there as it is."""
    part = replace(brief().part, goal='Say "no" to <script>alert(1)')
    odd = replace(brief(), title='A <img src=x onerror=alert(1) & "B"', part=part)
    meta, _ = split_front_matter(WRITER.write(odd, (), (), DAY).text)
    assert meta["title"] == "A &lt;img src=x onerror=alert(1) & “B”"
    assert meta["description"] == "Say “no” to alert(1)"


@pytest.mark.parametrize(("budget", "lines", "quotes"), [(200, 194, 19), (120, 135, 12), (80, 98, 8), (20, 85, 7)])
def test_a_page_keeps_to_its_budget(budget: int, lines: int, quotes: int) -> None:
    """Further quotes of a point go first, then code and tables; each point that was answered stays answered."""
    asked = replace(brief(), part=replace(brief().part, lines_budget=LineBudget(budget, budget)))
    draft = WRITER.write(asked, sources(), evidence(brief(), sources()), DAY)
    references, _ = read_references(draft.text, brief().page)
    assert parse_page(draft.text, brief().page)[0].lines == lines
    assert sum(len(reference.quotes) for reference in references) == quotes
    assert draft.gaps == ("The carbon footprint of idle registries",)
    assert draft.is_thin


# --- references --------------------------------------------------------------------------------------------------


def reference(given: Source) -> dict[str, Any]:
    """The first reference of a page of this source."""
    (passage, *_) = passages(given, 1)
    draft = WRITER.write(brief(), (given,), (Evidence(0, "x", (passage,)),), DAY)
    items = cast("list[dict[str, Any]]", split_front_matter(draft.text)[0]["references"])
    return items[0]


def test_a_reference_says_what_is_known() -> None:
    """And nothing that is not."""
    item = reference(source("blog"))
    custom = item.pop("custom")
    assert item == {
        "id": "ember-small-images",
        "type": "webpage",
        "title": "How we got our images small",
        "author": [{"literal": "Jo Wilder"}],
        "issued": {"date-parts": [[2025, 9, 2]]},
        "language": "en",
        "URL": "https://blog.ember.test/2025/small-images/",
        "accessed": {"date-parts": [[2026, 11, 18]]},
    }
    assert (custom["sha256"], custom["status"], list(custom["quotes"])) == (source("blog").fetched.sha256, 200, ["q1"])


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://rye.test/a", "webpage"),
        ("https://arxiv.org/abs/2301.01234", "article"),
        ("https://doi.org/10.1234/rye", "article-journal"),
        ("file:///home/mill/rye.md", "document"),
    ],
)
def test_a_work_s_type(url: str, kind: str) -> None:
    """By its address; a document of a local folder has none on the page."""
    item = reference(document("Rye flour drinks a lot of water.", url=url))
    assert item["type"] == kind
    assert item.get("URL") == (url if url.startswith("http") else None)
    assert "/home/mill" not in yaml.dump(item)


def test_a_work_that_moved_has_its_new_address() -> None:
    """Else it would be told as moved as soon as it is checked."""
    given = source("stages")
    moved = replace(given.fetched, outcome=Outcome.MOVED, moved_to="https://docs.kiln.test/v2/stages/")
    assert reference(replace(given, fetched=moved))["URL"] == "https://docs.kiln.test/v2/stages/"
    assert failures(written(replace(given, fetched=moved)), (replace(given, fetched=moved),)) == []


# --- quotes ------------------------------------------------------------------------------------------------------

QUOTES = {
    "A `FROM` begins *a stage* of \\*its\\* own here.": "> A `FROM` begins a stage of \\*its\\* own here. [@rye, q1]",
    "Steps to take are these:\n\n1. Mix `flour` in.\n2. Wait\n   for it.\n\n   A day.\n3. Bake it.": (
        "> Steps to take are these:\n>\n> 1. Mix `flour` in.\n> 2. Wait for it. A day.\n> 3. Bake it.\n>\n> [@rye, q1]"
    ),
    "4. The fourth of all things.\n5. The fifth of all things.": (
        "> 4. The fourth of all things.\n> 5. The fifth of all things.\n>\n> [@rye, q1]"
    ),
    "- Bread of the north\n    - of rye flour\n- Bread of the south": (
        "> - Bread of the north\n> - of rye flour\n> - Bread of the south\n>\n> [@rye, q1]"
    ),
    "| a | b \\| c |\n| --- | --- |\n| `x` |  |\n| d e f g | h i |": (
        "> | a | b &#124; c |\n> | --- | --- |\n> | `x` |  |\n> | d e f g | h i |\n>\n> [@rye, q1]"
    ),
    "```py\nif rye:\n    bake(rye)\n```": "```\nif rye:\n    bake(rye)\n```",
}


@pytest.mark.parametrize(("text", "block"), QUOTES.items())
def test_a_quote_as_it_is_shown(text: str, block: str) -> None:
    """Code stays code, lists keep their numbers, tables their cells; marks of emphasis go."""
    given = document(text)
    (passage,) = passages(given, 1)
    quote = quoted(passage, readings(given.fetched.visible, given.fetched.text))
    assert shown(quote, "[@rye, q1]") == block


# --- sentences of a writer's own ---------------------------------------------------------------------------------


def test_sentences_stand_with_what_they_rest_on() -> None:
    """Other writers say sentences: they become a paragraph, each with its citations; quotes may stand between."""
    stages, cache = source("stages"), source("cache")
    quoter, second = Quoter((stages, cache)), passages(cache, 1)[0]
    first, other = quoter.quote(passages(stages, 2)[0]), quoter.quote(second)
    blocks = (
        ComposedSentence("A stage leaves `nothing` behind.", (first,)),
        ComposedSentence("Layers are kept, *and* [taken](x) again.", (other, first)),
        second,
        ComposedSentence("So it is.", ()),
    )
    answers = [PointContent(0, "What a builder stage is for", blocks)]
    draft = page_draft(brief(), quoter, answers, DAY, Maker("llm", {"model": "m"}, "A model wrote it."))
    _, body = split_front_matter(draft.text)
    assert (
        "A stage leaves `nothing` behind. [@kiln-build-stages, q1] Layers are kept, \\*and\\* &#91;taken\\](x) again. "
        "[@kiln-layer-cache, q1; @kiln-build-stages, q1]\n\n“The layer cache” (docs.kiln.test):\n\n> Each instruction"
    ) in body
    assert "A model wrote it. It has not been reviewed." in body
    assert draft.writer == "llm"
    findings = check_draft(replace(draft, is_thin=True), brief(), (stages, cache), BASE)
    assert {requirement(finding) for finding in findings if is_blocking(finding)} == {"sections"}


# --- repositories ------------------------------------------------------------------------------------------------


def test_a_file_of_a_repository_is_cited_by_commit_and_lines() -> None:
    """Where the fetch says where a text lies, the reference says it too, and in which lines each quote stands."""
    given = source("buildfile")
    origin = Origin("ember/images", "runtime/Dockerfile", "main", "4f2a9c1d7e", "MIT")
    in_repository = replace(given, fetched=replace(given.fetched, origin=origin))
    custom = reference(in_repository)["custom"]
    assert {key: custom[key] for key in custom if key not in {"sha256", "status", "quotes"}} == {
        "repository": "ember/images",
        "path": "runtime/Dockerfile",
        "commit": "4f2a9c1d7e",
        "licence": "MIT",
        "permalink": "https://github.com/ember/images/blob/4f2a9c1d7e/runtime/Dockerfile",
        "lines": {"q1": [1, 3]},
    }
    assert written(in_repository).text.count("lines 9 to 11, in code") == 1
    assert failures(written(in_repository), (in_repository,)) == []


# --- nothing breaks out ------------------------------------------------------------------------------------------

TOPICS = ("A builder stage and a runtime stage are for", "COPY --from joins two stages", "cache mounts for pip and apt")


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.found.append((tag, dict(attrs)))


def as_site(draft: Draft) -> list[tuple[str, dict[str, str | None]]]:
    """The elements that the site shows of the page's text."""
    _, body = split_front_matter(draft.text)
    mended = mend(body, rebased_links(written_links(body), brief().page, frozenset(BASE)))
    linked = with_links(mended, find_citations(mended), read_references(draft.text, brief().page)[0])
    return Elements(markdown.markdown(linked, extensions=EXTENSIONS)).found


def headings(body: str) -> list[str]:
    """The headings of a Markdown text, by CommonMark."""
    tokens = MarkdownIt("commonmark").parse(body)
    return [words(after.content) for token, after in pairwise(tokens) if token.type == "heading_open"]


ALLOWED = frozenset(
    {
        *("h1", "h2", "h3", "p", "ul", "ol", "li", "a", "span", "blockquote", "code", "pre", "div", "table", "thead"),
        *("tbody", "tr", "th", "td", "em", "strong", "details", "summary"),
    }
)


def test_what_is_folded_is_markdown_on_the_site() -> None:
    """In a fold the site shows quotes and code as it does elsewhere."""
    draft = written(*sources())
    tags = [tag for tag, _ in as_site(draft)]
    folds = [n for n, tag in enumerate(tags) if tag == "details"]
    assert len(folds) == draft.text.count("</details>") == 5
    assert all(tags[n + 1 : n + 3] == ["summary", "p"] for n in folds)
    assert all({"blockquote", "pre"} & set(tags[n : n + 12]) for n in folds)
    assert "table" in tags[folds[1] : folds[2]]


FRAGMENTS = st.sampled_from(HOSTILE) | st.sampled_from(
    [
        *(
            "```\n",
            "~~~~\n",
            "---\nreviewed: 2026-01-01\n---\n",
            "\n## Sources\n\n",
            "\n# Evil\n\n",
            "    code\n",
            "| a |\n",
        ),
        *(
            "- ",
            "1. ",
            "> ",
            "\n\n",
            "[x]: https://evil.test\n",
            "<div markdown>\n",
            "</div>\n",
            "\\",
            "`",
            "*",
            "&#91;",
        ),
        *("From [Evil](https://evil.test/a) (accessed 2026-11-20):\n", "arXiv:2301.01234 ", "q1: x\n", "\u202e"),
    ]
)


@settings(max_examples=60)
@given(
    st.lists(FRAGMENTS, max_size=12), st.lists(FRAGMENTS, max_size=12), st.text(max_size=60), st.sampled_from(TOPICS)
)
@example(["</blockquote><script>alert(1)</script>"], [], "x](javascript:alert(1))", TOPICS[0])
def test_nothing_breaks_out(before: list[str], behind: list[str], title: str, topic: str) -> None:
    """Whatever a source holds: the gates find no fault, the outline is the plan's, the site shows no other element."""
    text = f"{topic} {' '.join(before)} this and that.\n\n{topic}:\n\n"
    text += f"```\n{''.join(behind)}\nCOPY --from=builder x\n```\n\n"
    text += f"- {topic} {' '.join(behind)}\n- more\n\n{topic} is a matter of its own.\n"
    odd = document(text, url="https://evil.test/a", name="evil-a")
    odd = replace(odd, fetched=replace(odd.fetched, title=title, author=title, visible=words(text)))
    draft = written(odd, *sources("stages", "cache", "variants"))
    assert failures(draft, (odd, *sources("stages", "cache", "variants"))) == []
    _, body = split_front_matter(draft.text)
    plan = [section.title for section in brief().outline], [p for s in brief().outline[:3] for p in s.points]
    assert set(headings(body)) <= {brief().title, *plan[0], *(words(point) for point in plan[1]), "What was not found"}
    references, problems = read_references(draft.text, brief().page)
    assert problems == ()
    assert {reference.id for reference in references} <= {"evil-a", *(s.id for s in sources())}
    for tag, attributes in as_site(draft):
        assert tag in ALLOWED
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
        assert attributes.get("style", "text-align: right;") == "text-align: right;"
        assert re.match(
            r"#|https://(?:evil|docs\.kiln|hub\.hearth)\.test/|\d\d-[\w-]+\.md", attributes.get("href") or "#"
        )


@settings(max_examples=60)
@given(st.lists(FRAGMENTS, max_size=8))
def test_what_is_shown_reads_as_it_is_quoted(pieces: list[str]) -> None:
    """By CommonMark, each block quote's words are those of the front matter, and those of the source."""
    given = document("\n\n".join(f"These words lead to more words of {piece} as it goes on." for piece in pieces))
    texts = readings(given.fetched.visible, given.fetched.text)
    for passage in passages(given, 1):
        quote = quoted(passage, texts)
        assert contains_quote(quote.words, texts)
        if passage.kind is not PassageKind.CODE:
            assert words(shown(quote, "")) == fold(quote.words)


# --- ids ---------------------------------------------------------------------------------------------------------


@given(st.text(), st.text())
def test_any_id_of_a_work_can_be_cited(address: str, title: str) -> None:
    """What `work_id` makes is read back by the citations' own reader."""
    name = work_id(f"https://rye.test/{address}", title)
    (citation,) = find_citations(f"x [@{name}, q1] y")
    assert (citation.reference, citation.locator) == (name, "q1")


def test_known_pages_are_linked_from_where_the_page_lies() -> None:
    """Also where a page's name has a blank, or lies in another folder."""
    odd = replace(brief().known[0], page=PageUri("tools/a b.md"), title="A [b]")
    draft = WRITER.write(replace(brief(), known=(odd,)), sources(), (), DAY)
    assert "- [A &#91;b\\]](../tools/a%20b.md)" in draft.text
    assert [resolved(address, brief().page) for address in written_links(draft.text)] == ["tools/a b.md"]
