"""Pages out of evidence: their form, their truth, and that nothing in a source can break out of its quote."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import markdown
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from planbook.citations.citation_links import NumberedCitations, link_citations
from planbook.citations.identifiers import work_id
from planbook.citations.in_text import find_citations
from planbook.citations.quotes import Readings, contains_quote, fold, words
from planbook.citations.references import read_references
from planbook.library.links import find_links, rebase_links, resolve_link
from planbook.library.pages import parse_page
from planbook.markdown.front_matter import split_front_matter
from planbook.markdown.normalize import fix_markdown
from planbook.model import LineBudget, PageUri
from planbook.problems import is_blocking, requirement
from planbook.research.drafts import Draft, Evidence, Excerpt, PassageKind, Ranked, Source, Usage
from planbook.research.evidence.passages import excerpts
from planbook.research.evidence.rank import find_evidence
from planbook.research.proof.draft_rules import check_draft
from planbook.research.web.model import Origin, Outcome
from planbook.research.writers.page import (
    ComposedSentence,
    Maker,
    PointContent,
    compose_quotes,
    extract_points,
    page_draft,
)
from planbook.research.writers.quoting import Quoter, make_quote, render_block_quote
from tests.conftest import ROOT
from tests.markdown.hostile_texts import EXTENSIONS, HOSTILE, Reader
from tests.research.documents import BASE, NAMES, brief, document, passages, source, sources

GOLDEN = ROOT / "tests" / "golden" / "research"
DAY = date(2026, 11, 20)


def written(*given: Source) -> Draft:
    """The page that the extract writer makes of these sources."""
    return compose_quotes(brief(), given, find_evidence(brief(), given), DAY)


def failures(draft: Draft, given: Sequence[Source]) -> list[str]:
    """Return the failures."""
    found = check_draft(draft, brief(), given, BASE)
    return [
        f"{requirement(finding)}, line {finding.line}: {finding.message}" for finding in found if is_blocking(finding)
    ]


# --- the page ----------------------------------------------------------------------------------------------------


def test_golden(golden: Callable[[Path, str], None]) -> None:
    """A whole page of eight documents is as it was reviewed."""
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
    assert (draft.writer, draft.usage) == ("extract", Usage())


def test_the_site_reads_it_as_it_was_meant() -> None:
    """Title, description, links and works, by the readers that the site uses."""
    draft = written(*sources())
    page, problems = parse_page(draft.text, brief().page)
    references, more = read_references(draft.text, brief().page)
    meta, body = split_front_matter(draft.text)
    assert (*problems, *more) == ()
    assert page.title == "Small images with Kiln"
    assert page.description == brief().part.goal
    linked = dict.fromkeys(resolve_link(address, brief().page) for address in find_links(body))
    assert tuple(linked) == ("images/02-small-disks.md",)
    assert {reference.id for reference in references} == {c.reference_id for c in find_citations(body)}
    assert (meta["plan"], meta["part"], meta["created"], meta["reviewed"]) == ("small-images", 1, DAY, None)
    assert meta["tags"] == ["images"]


def test_every_quote_is_cited_where_it_is_shown() -> None:
    """Each key is used in the text; each quote stands in its source."""
    draft = written(*sources())
    references, _ = read_references(draft.text, brief().page)
    _, body = split_front_matter(draft.text)
    cited = {(c.reference_id, c.locator) for c in find_citations(body) if c.locator}
    assert cited == {(r.id, key) for r in references for key, _ in r.quotes}
    for reference in references:
        fetched = next(s.fetched for s in sources() if s.id == reference.id)
        texts = Readings(fetched.visible, fetched.text)
        assert all(contains_quote(quote, texts) for _, quote in reference.quotes)


def test_the_same_snapshots_give_the_same_bytes() -> None:
    """They do in whatever order the sources came."""
    given_backwards = tuple(reversed(sources()))
    assert written(*given_backwards).text == written(*sources()).text


def test_the_best_passage_of_a_point_is_no_further_one_of_another() -> None:
    """It is quoted where it answers, and the definition of a name in the point comes first."""
    text = (
        "# Kiln\n\nThe kiln is heated slowly and for many hours before it is used for firing.\n\n"
        "## Firing\n\nFiring with **--rise** is slow in a cold kiln.\n\n"
        "## Options\n\n**--rise**\n\nThe degrees by which the heat rises in an hour.\n"
    )
    first, second, third = excerpts(document(text), 1)
    named = Evidence(0, "Slow firing with `--rise`", (Ranked(second, 9.0, 1), Ranked(third, 8.0, 1)), is_found=True)
    other = Evidence(0, "Firing", (Ranked(second, 9.0, 1.0), Ranked(first, 8.0, 1.0)), is_found=True)
    found = list(extract_points([named, other]))
    assert found[0].blocks == (third,)
    assert found[0].also == (second,)
    assert found[1].blocks[0] == second


def test_a_section_without_answers_leads_to_the_open_questions() -> None:
    """Its heading is there, as the plan wants it, with a line that leads to the list."""
    cache = tuple(Ranked(excerpt, 1.0, 1.0) for excerpt in excerpts(source("cache"), 1)[:1])
    found = (Evidence(0, "What a builder stage is for"), Evidence(1, "Cache mounts", cache, is_found=True))
    draft = compose_quotes(brief(), sources("cache"), found, DAY)
    title = brief().outline[0].title
    assert f"## {title}\n\nOpen: see [Open questions](#open-questions).\n" in draft.text
    assert draft.text.count("What a builder stage is for") == 1


def test_excerpts_that_differ_are_shown_and_the_rest_is_linked() -> None:
    """Up to three of them, whole; what repeats them is a link to its words."""
    every = [excerpts(source(name), n)[0] for n, name in enumerate(("stages", "cache", "layers", "stages"), 1)]
    ranked = tuple(Ranked(excerpt, 1.0, 1.0) for excerpt in every)
    found = (Evidence(0, "A point", ranked, is_found=True),)
    _, body = split_front_matter(compose_quotes(brief(), sources("stages", "cache", "layers"), found, DAY).text)
    assert all(words(excerpt.passages[0].text) in words(body) for excerpt in every[:3])
    assert body.count("\nAlso: ") == 1
    assert "#:~:text=" in body


def test_a_long_further_excerpt_is_folded() -> None:
    """The best one never is."""
    code = "\n".join(f"line_{n} = {n}" for n in range(25))
    given = [
        document(f"```py\n{code}\nname = '{name}'\n```", name=name, url=f"https://{name}.test") for name in ("a1", "b2")
    ]
    ranked = [Ranked(excerpts(one, n)[0], 1.0, 1.0) for n, one in enumerate(given, 1)]
    other = Ranked(excerpts(source("stages"), 3)[0], 1.0, 1.0)
    found = (Evidence(0, "A point", (other, ranked[0]), is_found=True), Evidence(0, "B", (ranked[1],), is_found=True))
    draft = compose_quotes(brief(), (*given, source("stages")), found, DAY)
    assert draft.text.count('<details markdown="1">\n<summary>') == 1
    _, body = split_front_matter(draft.text)
    assert body.index("name = 'a1'") < body.index("</details>") < body.index("name = 'b2'")


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
    odd = replace(draft, text=draft.text.replace("\nAlso: ", f"\n{html}\n\nAlso: ", 1))
    assert odd != draft
    assert any(found.startswith("markup") for found in failures(odd, sources()))


def test_a_title_may_stand_in_a_page_s_head() -> None:
    """Neither tag nor straight quote of a plan gets into what themes put there as it is."""
    part = replace(brief().part, goal='Say "no" to <script>alert(1)')
    odd = replace(brief(), title='A <img src=x onerror=alert(1) & "B"', part=part)
    meta, _ = split_front_matter(compose_quotes(odd, (), (), DAY).text)
    assert meta["title"] == "A &lt;img src=x onerror=alert(1) & “B”"
    assert meta["description"] == "Say “no” to alert(1)"


@pytest.mark.parametrize("budget", [200, 120, 80])
def test_a_page_keeps_to_its_budget(budget: int) -> None:
    """Further excerpts of a point go first, then the ends of long ones; each point that was answered stays answered."""
    asked = replace(brief(), part=replace(brief().part, lines_budget=LineBudget(budget, budget)))
    draft = compose_quotes(asked, sources(), find_evidence(brief(), sources()), DAY)
    assert parse_page(draft.text, brief().page)[0].lines <= 1.25 * max(budget, 90)
    assert draft.gaps == ("The carbon footprint of idle registries",)


# --- references --------------------------------------------------------------------------------------------------


def reference(given: Source) -> dict[str, Any]:
    """The first reference of a page of this source."""
    found = Evidence(0, "x", (Ranked(excerpts(given, 1)[0], 1.0, 1.0),), is_found=True)
    draft = compose_quotes(brief(), (given,), (found,), DAY)
    items = cast("list[dict[str, Any]]", split_front_matter(draft.text)[0]["references"])
    return items[0]


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
    """Its address tells; a document of a local folder has none on the page."""
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
    "```py\nif rye:\n    bake(rye)\n```": "> ```\n> if rye:\n>     bake(rye)\n> ```\n>\n> [@rye, q1]",
}


@pytest.mark.parametrize(("text", "block"), QUOTES.items())
def test_a_quote_as_it_is_shown(text: str, block: str) -> None:
    """Code stays code, lists keep their numbers, tables their cells; marks of emphasis go."""
    given = document(text)
    (passage,) = passages(given, 1)
    quote = make_quote(passage, Readings(given.fetched.visible, given.fetched.text))
    assert render_block_quote([quote], "[@rye, q1]") == block


# --- sentences of a writer's own ---------------------------------------------------------------------------------


def test_sentences_stand_with_what_they_rest_on() -> None:
    """Other writers say sentences: they become a paragraph, each with its citations; quotes may stand between."""
    stages, cache = source("stages"), source("cache")
    quoter, second = Quoter((stages, cache)), passages(cache, 1)[0]
    first, other = quoter.quote(passages(stages, 2)[0]), quoter.quote(second)
    blocks = (
        ComposedSentence("A stage leaves `nothing` behind.", (first,)),
        ComposedSentence("Layers are kept, *and* [taken](x) again.", (other, first)),
        Excerpt((second,)),
        ComposedSentence("So it is.", ()),
    )
    answers = [PointContent(0, "What a builder stage is for", blocks)]
    draft = page_draft(brief(), quoter, answers, DAY, Maker("llm", {"model": "m"}))
    _, body = split_front_matter(draft.text)
    assert (
        "A stage leaves `nothing` behind. [@kiln-build-stages, q1] Layers are kept, \\*and\\* &#91;taken\\](x) again. "
        "[@kiln-layer-cache, q1; @kiln-build-stages, q1]\n\n“The layer cache” (docs.kiln.test):\n\n> Each instruction"
    ) in body
    assert body.startswith(f"# {brief().title}\n\nRelated pages"), "the head of the page says who wrote it"
    assert draft.writer == "llm"
    findings = check_draft(draft, brief(), (stages, cache), BASE)
    assert {requirement(finding) for finding in findings if is_blocking(finding)} == {"sections"}


def point_contents(*blocks: ComposedSentence | Excerpt, points: int = 5, **more: Any) -> list[PointContent]:
    """As many points as are given, each with these blocks."""
    return [PointContent(0, f"Point {n}", blocks, **more) for n in range(1, points + 1)]


def body_of(answers: list[PointContent], *given: Source, maker: str = "llm") -> str:
    """The text of a page with these answers."""
    return split_front_matter(page_draft(brief(), Quoter(given), answers, DAY, Maker(maker)).text)[1]


def test_more_than_four_points_begin_with_short_answers() -> None:
    """The first sentence of each point, in a table, cited; what is open or uncertain is called so."""
    cache = source("cache")
    quote = Quoter((cache,)).quote(passages(cache, 1)[0])
    said = ComposedSentence("Layers are `kept` | again.", (quote,))
    answers = [
        *point_contents(said, points=4),
        PointContent(0, "Point 5"),
        PointContent(0, "Point 6", (said,), remark="?"),
    ]
    body = body_of(answers, cache)
    table = body[body.index("| Point | In short |") :].split("\n\n")[0].splitlines()
    assert table[2] == "| Point 1 | Layers are `kept` &#124; again. [@kiln-layer-cache, q1] |"
    assert table[6:] == [
        "| Point 5 | Open: see [Open questions](#open-questions). |",
        "| Point 6 | Uncertain: see below. |",
    ]
    assert "| Point | In short |" not in body_of(answers[:4], cache)


def test_the_short_answer_of_a_passage_is_its_sentence_on_the_point() -> None:
    """The short answer has the sentence verbatim, and cut if it is long."""
    text = (
        "# Kiln\n\nThe kiln is old. Firing takes nine hours. "
        f"The glaze {'and the clay ' * 20}are mixed by hand, and the chimney is swept.\n"
    )
    given = document(text)
    (only,) = excerpts(given, 1)
    names = ("How long firing takes", "Who sweeps the chimney", "A", "B", "C")
    answers = [PointContent(0, name, (only,)) for name in names]
    body = body_of(answers, given)
    assert "| How long firing takes | “Firing takes nine hours.” [@rye, q1] |" in body
    swept = next(line for line in body.splitlines() if line.startswith("| Who sweeps"))
    assert " …” [@rye, q1] |" in swept


def test_what_a_sentence_announces_is_below() -> None:
    """It answers nothing by itself."""
    given = document("# Kiln\n\nA cold kiln is fired with this command:\n\n```\nkiln fire --rise 90\n```\n")
    (only,) = excerpts(given, 1)
    body = body_of([PointContent(0, f"How a cold kiln is fired {n}", (only,)) for n in range(5)], given)
    assert "| How a cold kiln is fired 0 | See below. [@rye, q1] |" in body


def test_code_and_tables_of_a_written_page_are_not_quoted() -> None:
    """They stand below their place, whose marker opens the quote; the program compares them with it."""
    given = document(
        "# Kiln\n\n```\nkiln fire --rise 90\nkiln cool --slow\n```\n\n| Step | Hours |\n| --- | --- |\n| Firing | 9 |\n"
    )
    blocks = [Excerpt((passage,)) for passage in passages(given, 1)]
    said = ComposedSentence("The kiln is fired slowly.", (Quoter((given,)).quote(passages(given, 1)[0]),))
    body = body_of(point_contents(said, *blocks, points=1, is_written=True), given)
    assert "[@rye, q1]:\n\n```\nkiln fire --rise 90\nkiln cool --slow\n```\n" in body
    assert "[@rye, q2]:\n\n| Step | Hours |\n| --- | --- |\n| Firing | 9 |\n" in body
    assert "\n>" not in body


# --- repositories ------------------------------------------------------------------------------------------------


def test_a_file_of_a_repository_is_cited_by_commit_and_lines() -> None:
    """Where the fetch says where a text lies, the reference says it too, and in which lines each quote stands."""
    given = source("buildfile")
    origin = Origin("ember/images", "runtime/Dockerfile", "main", "4f2a9c1d7e")
    in_repository = replace(given, fetched=replace(given.fetched, origin=origin))
    custom = reference(in_repository)["custom"]
    assert {key: custom[key] for key in custom if key not in {"sha256", "status", "quotes"}} == {
        "repository": "ember/images",
        "path": "runtime/Dockerfile",
        "commit": "4f2a9c1d7e",
        "permalink": "https://github.com/ember/images/blob/4f2a9c1d7e/runtime/Dockerfile",
        "lines": {"q1": [1, 3], "q2": [5, 7], "q3": [9, 11]},
    }
    assert "lines 1 to 3" in written(in_repository).text
    assert failures(written(in_repository), (in_repository,)) == []


# --- nothing breaks out ------------------------------------------------------------------------------------------

TOPICS = ("A builder stage and a runtime stage are for", "COPY --from joins two stages", "cache mounts for pip and apt")


def as_site(draft: Draft) -> list[tuple[str, dict[str, str | None]]]:
    """The elements that the site shows of the page's text."""
    _, body = split_front_matter(draft.text)
    fixed = fix_markdown(body, rebase_links(find_links(body), brief().page, frozenset(BASE)))
    references = read_references(draft.text, brief().page)[0]
    linked = link_citations(fixed, NumberedCitations.of(references, find_citations(fixed)))
    return Reader(markdown.markdown(linked, extensions=EXTENSIONS)).elements


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


FRAGMENTS = st.sampled_from(HOSTILE) | st.sampled_from(
    [
        *("```\n", "~~~~\n", "---\nreviewed: 2026-01-01\n---\n", "\n## Sources\n\n", "\n# Evil\n\n", "    code\n"),
        *("| a |\n", "- ", "1. ", "> ", "\n\n", "[x]: https://evil.test\n", "<div markdown>\n", "</div>\n", "\\", "`"),
        *("*", "&#91;", "From [Evil](https://evil.test/a) (accessed 2026-11-20):\n", "arXiv:2301.01234 ", "q1: x\n"),
        *("\u202e",),
    ]
)


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
    assert set(headings(body)) <= {brief().title, *plan[0], *(words(point) for point in plan[1]), "Open questions"}
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


@given(st.lists(FRAGMENTS, max_size=8))
def test_what_is_shown_reads_as_it_is_quoted(pieces: list[str]) -> None:
    """By CommonMark, each block quote's words are those of the front matter, and those of the source."""
    given = document("\n\n".join(f"These words lead to more words of {piece} as it goes on." for piece in pieces))
    texts = Readings(given.fetched.visible, given.fetched.text)
    for passage in passages(given, 1):
        quote = make_quote(passage, texts)
        assert contains_quote(quote.words, texts)
        if passage.kind is not PassageKind.CODE:
            assert words(render_block_quote([quote], "")) == fold(quote.words)


# --- ids ---------------------------------------------------------------------------------------------------------


@given(st.text(), st.text())
def test_any_id_of_a_work_can_be_cited(address: str, title: str) -> None:
    """What `work_id` makes is read back by the citations' own reader."""
    name = work_id(f"https://rye.test/{address}", title)
    (citation,) = find_citations(f"x [@{name}, q1] y")
    assert (citation.reference_id, citation.locator) == (name, "q1")


def test_known_pages_are_linked_from_where_the_page_lies() -> None:
    """Also where a page's name has a blank, or lies in another folder."""
    odd = replace(brief().known[0], page=PageUri("tools/a b.md"), title="A [b]")
    draft = compose_quotes(replace(brief(), known=(odd,)), sources(), (), DAY)
    assert "- [A &#91;b\\]](../tools/a%20b.md)" in draft.text
    assert [resolve_link(address, brief().page) for address in find_links(draft.text)] == ["tools/a b.md"]
