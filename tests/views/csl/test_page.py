"""A page's citations and references in a style: tags, links and anchors, and nothing that a text could smuggle in."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.page.citations import find_citations, with_shown
from generator.views.csl.style import StyleError, read_style
from tests.views.csl.pages import REFERENCES, STYLES, TEXT, plain, shown, style, words_of

NAMES = ("author-date", "note", "numeric")
VOID = frozenset({"br", "hr", "img", "input", "meta", "link"})


class Tree(HTMLParser):
    """Elements of a piece of HTML, with their attributes; it must be whole."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(str(html))  # not `Markup`, which escapes what it is joined with
        self.close()
        assert self.open == [], "each tag is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It is the one opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.text += data

    def all(self, tag: str, key: str) -> list[str | None]:
        """The attribute of all elements of a kind."""
        return [attrs.get(key) for name, attrs in self.tags if name == tag]


def rendered(text: str, name: str) -> Tree:
    """The paragraph of a page, its citations in a style, as Python-Markdown shows it."""
    body = text.partition("---\n\n")[2]
    made = shown(text, name)
    return Tree(
        markdown.markdown(
            with_shown(body, find_citations(body), made.groups), extensions=["attr_list", "sane_lists", "tables"]
        )
    )


def page(cite: str, more: str = "") -> str:
    """A page with one work, which quotes it, and what it says of it."""
    return (
        "---\nreferences:\n- id: rye\n  title: On rye\n  URL: https://rye.example/a\n"
        f'  author: [{{family: Miller, given: Anna}}]\n{more}  custom: {{quotes: {{q1: "dark, and sour"}}}}\n---\n\n'
        f"A {cite}.\n"
    )


def test_each_work_in_a_group_is_a_link_with_a_preview() -> None:
    """Within the style's own brackets; with an anchor to come back to, by work and number."""
    made = rendered(REFERENCES + TEXT, "author-date")
    assert made.all("a", "href")[:7] == [
        *("#ref-docker", "#ref-Rye", "#ref-Rye", "#ref-Rye", "#ref-Rye", "#ref-oats", "#ref-Rye"),
    ]
    assert made.all("a", "id")[:7] == [
        *("cite-docker-1", "cite-Rye-1", "cite-Rye-2", "cite-Rye-3", "cite-Rye-4", "cite-oats-1", "cite-Rye-5"),
    ]
    assert made.all("a", "title")[1] == "On rye"
    assert "Two (The Oat Board 2019; Miller & Baker 2020b), three" in made.text
    assert set(made.all("a", "class")) == {"pb-cite"}


def test_a_group_keeps_the_order_in_which_it_is_cited() -> None:
    """Where the style does not sort; and the anchors count by place in the text, whatever the style sorts."""
    made = rendered(REFERENCES + "A [@oats; @docker; @Rye; @docker].", "numeric")
    assert made.text == "A1,2,2,3."
    assert made.all("a", "id") == ["cite-oats-1", "cite-docker-1", "cite-docker-2", "cite-Rye-1"]
    made = rendered(REFERENCES + "A [@oats; @Rye, p. 3; @docker, p. 1].", "author-date")
    assert made.text == "A (The Oat Board 2019; Miller & Baker 2020b, p. 3; Docker n.d.b, p. 1)."


@pytest.mark.parametrize(
    ("cite", "text"),
    [
        ('[@rye, sec. "Two <parts>"]', "A (Miller n.d., sec. “Two <parts>”)."),
        ("[@rye, q1]", "A (Miller n.d.)."),
        ("[@rye, q2]", "A (Miller n.d., q2)."),
        ("[@rye, p. 3]", "A (Miller n.d., p. 3)."),
        ("[@rye, lines 10-20]", "A (Miller n.d., ll. 10–20)."),
        ("[@rye, L10-L20]", "A (Miller n.d., L10-L20)."),
        ("[@rye, 3, 5 and more]", "A (Miller n.d., pp. 3, 5 and more)."),
        ("[-@rye, p. 3]", "A (n.d., p. 3)."),
        ("[@rye; @ray]", "A (Miller n.d.) @ray?."),
        ("[@ray; @roy]", "A [@ray?; @roy?]."),
    ],
)
def test_locators_come_through(cite: str, text: str) -> None:
    """Numbers as the style has them, else the author's words; a quote is named in the preview, an unknown id shown."""
    made = rendered(page(cite), "author-date")
    assert made.text == text
    if cite == "[@rye, q1]":
        assert made.all("a", "title") == ["On rye – “dark, and sour”"]


def test_a_style_without_locators_does_not_lose_them() -> None:
    """They stand behind the number, as they are written."""
    made = rendered(page("[@rye, sec. 2]"), "numeric")
    assert made.text == "A1, sec. 2."
    assert [tag for tag, _ in made.tags] == ["p", "span", "sup", "a"]


def test_raised_signs_stand_close_to_their_word() -> None:
    """Not so where a line, a cell or an item of a list begins with one: the blank there means something."""
    text = page("[@rye]").replace("A [@rye].", "A  [@rye].\n\n- [@rye]\n- a [@rye]\n\n1. [@rye]\n\n| [@rye] |\n| - |\n")
    made = rendered(text, "numeric")
    assert made.text.split() == ["A1.", "1", "a1", "1", "1"]
    assert [tag for tag, _ in made.tags if tag in {"ul", "ol", "li", "th"}] == ["ul", "li", "li", "ol", "li", "th"]
    assert rendered(page("[@rye]"), "author-date").text == "A (Miller n.d.)."


def test_works_that_look_the_same_get_letters() -> None:
    """As many as there are; in the style's own place, if it has one."""
    listed = "".join(f"- {{id: w{n}, title: Title {n:02}, publisher: Docker}}\n" for n in range(30))
    text = f"---\nreferences:\n{listed}---\n\nA [@w0; @w25; @w26; @w29].\n"
    assert rendered(text, "author-date").text == "A (Docker n.d.a; Docker n.d.z; Docker n.d.aa; Docker n.d.ad)."
    raw = (STYLES / "author-date.csl").read_bytes()
    placed = raw.replace(b'<text macro="year"/></group>', b'<text macro="year"/><text variable="year-suffix"/></group>')
    made = words_of(shown(text, read_style(placed, "x.csl")))
    assert made.citations == ("(Docker n.d. a; Docker n.d. z; Docker n.d. aa; Docker n.d. ad)",)
    assert made.entries[0] == "Docker. n.d. “Title 00.”"


def test_a_style_of_notes_leads_to_notes() -> None:
    """In the text stands a number that shows the note; the note leads to the works and back."""
    text = REFERENCES + "A [@oats, p. 2; @Rye]. B [@Rye]."
    made, whole = rendered(text, "note"), shown(text, "note")
    assert made.text == "A1. B2."
    assert made.all("a", "href") == ["#note-1", "#note-2"]
    assert made.all("sup", "id") == ["note-1-from", "note-2-from"]
    assert [*made.all("a", "id"), *made.all("span", "id")] == ["cite-oats-1", "cite-Rye-2", "cite-Rye-1"]
    assert str(made.all("a", "title")[0]).startswith("The Oat Board, Oats, a history, (York: Mill, 2019), 2; Anna B.")
    first, second = (Tree(note) for note in whole.notes)
    assert first.all("a", "href") == ["#ref-oats", "#ref-Rye"]
    assert second.text == "Miller and Baker, “On Rye,” note 1."


def test_a_style_without_a_bibliography_lists_the_works_all_the_same() -> None:
    """Links need a place to lead to: each work as it is cited first, whole."""
    raw = re.sub(rb"<bibliography>.*</bibliography>", b"", (STYLES / "note.csl").read_bytes(), flags=re.DOTALL)
    made = words_of(shown(REFERENCES + "A [@Rye]. B [@Rye].", read_style(raw, "notes.csl")))
    assert made.citations[1] == "Ibid."
    assert made.entries[0] == "Anna B. Miller and Jon Baker, “On Rye,” Journal of Bread 3 (2020)"


@pytest.mark.parametrize(
    ("name", "more", "link"),
    [
        ("author-date", "", '<a href="https://rye.example/a">https://rye.example/a</a>'),
        (
            "author-date",
            "  DOI: 10.1000/r_y\n  URL:\n",
            '<a href="https://doi.org/10.1000/r_y">https://doi.org/10.1000/r_y</a>',
        ),
        ("author-date", "  DOI: 10.1000/r_y\n", '<a href="https://rye.example/a">https://doi.org/10.1000/r_y</a>'),
        ("author-date", "  type: book\n  URL:\n", "<i>On rye</i>"),
    ],
)
def test_an_entry_leads_to_its_work(name: str, more: str, link: str) -> None:
    """By the address that the style shows."""
    ((_, entry),) = shown(page("[@rye]", more), name).entries
    assert link in entry
    assert entry.count("<a ") == link.count("<a ")


def test_an_entry_without_its_address_leads_there_by_its_title() -> None:
    """And where the style shows neither, by a word of its own."""
    raw = (STYLES / "numeric.csl").read_bytes().replace(b'<text variable="URL"/>', b"")
    ((_, entry),) = shown(page("[@rye]"), read_style(raw, "n.csl")).entries
    assert '<a href="https://rye.example/a">On rye</a>' in entry
    raw = raw.replace(b'<text variable="title"/>', b"")
    ((_, entry),) = shown(page("[@rye]"), read_style(raw, "n.csl")).entries
    assert entry.endswith(' <a href="https://rye.example/a">source</a>')


HARM = "<script>alert(1)</script> \"' & </a> <b onclick=x> *a* _b_ `c` [d](e) {.f} \ufdd0\ufde0 0\ufde1 &amp; ~g~"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_a_work_is_markup(name: str) -> None:
    """Title, names, locator and address are shown to the letter, in the text, in notes and in entries."""
    harm = HARM.replace("\\", "").replace("'", "''")
    text = (
        f"---\nreferences:\n- id: rye\n  title: '{harm}'\n  author: [{{literal: '{harm}'}}]\n"
        f"  publisher: '{harm}'\n  container-title: '{harm}'\n  URL: 'https://rye.example/\"<b>?a=1&b=2'\n"
        "---\n\nA [@rye, x <i>*y*</i> & z].\n"
    )
    made = shown(text, name)
    trees = [rendered(text, name), *map(Tree, made.notes), *(Tree(entry) for _, entry in made.entries)]
    allowed = {"p", "span", "sup", "a", "i"}
    for tree in trees:
        assert {tag for tag, _ in tree.tags} <= allowed
        assert all(set(attrs) <= {"class", "id", "href", "title"} for _, attrs in tree.tags)
    assert any('<script>alert(1)</script> "' in tree.text for tree in trees)
    assert all(not re.search("[\ufdd0-\ufdef]", tree.text) for tree in trees)


@given(
    st.sampled_from(NAMES),
    st.text(alphabet="ab.,;:?!“”'\"*_`<>&[]() \ufdd0\ufddf\ufde0\ufde2é", max_size=20),
    st.text(alphabet="ab3.,-<>&*_`()é \ufddf", max_size=12).filter(str.strip),
    st.booleans(),
)
def test_whatever_a_work_says_it_is_whole_html(name: str, title: str, locator: str, suppressed: bool) -> None:
    """Each tag is ours and closed, in the text as in the entry."""
    text = page(f"[{'-' if suppressed else ''}@rye, {locator}]").replace("title: On rye", f"title: {json.dumps(title)}")
    made = shown(text, name)
    for tree in (rendered(text, name), *(Tree(entry) for _, entry in made.entries), *map(Tree, made.notes)):
        assert {tag for tag, _ in tree.tags} <= {"p", "span", "sup", "a", "i", "code", "em", "strong"}


def test_pages_do_not_depend_on_each_other() -> None:
    """The same page gives the same, whatever was rendered before: citeproc-py changes a style while it renders."""
    used = style("author-date")
    first = shown(REFERENCES + TEXT, used)
    shown(page("[@rye]", "  accessed: 2026\n  issued: 2020\n"), used)
    assert shown(REFERENCES + TEXT, used) == first


def test_ids_that_differ_in_case_are_two_works() -> None:
    """citeproc-py folds the case of ids."""
    text = "---\nreferences:\n- {id: rye, title: One}\n- {id: RYE, title: Two}\n---\n\nA [@RYE], [@rye].\n"
    assert rendered(text, "numeric").text == "A1,2."
    assert [name for name, _ in shown(text, "numeric").entries] == ["RYE", "rye"]


def test_no_works_no_words() -> None:
    """A page that cites nothing is shown without an error."""
    made = shown("# Bread\n\nText [@rye].\n", "author-date")
    assert (made.entries, [plain(group) for group in made.groups]) == ((), ["[@rye?]"])


def test_what_citeproc_cannot_do_is_told() -> None:
    """With the style's file, the work and the reason: a valid style may still ask for what citeproc-py trips over."""
    raw = (
        (STYLES / "author-date.csl")
        .read_bytes()
        .replace(b'<text term="no date" form="short"/>', b'<text macro="year"/>')
    )
    with pytest.raises(StyleError, match=r"styles/x\.csl: citeproc-py cannot apply it to @rye \(RecursionError: .*\)"):
        shown(page("[@rye]"), read_style(raw, "styles/x.csl"))
