"""Rewriting a page: only sentences whose quote changed differ, and only the fields of references that must."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.citations.quotes import contains_quote
from generator.drafts import Source
from generator.expand.rewrite import Action, Finding, rewrite
from generator.expand.stale import Change, find_elsewhere, find_match, find_stale, is_same_statement
from generator.research.verify import read_claims
from generator.web.model import Fetched, Outcome

DAY = date(2026, 11, 23)
OLD = "Green tea is steeped for 120 seconds in water of 80 degrees."
NEW = "Green tea is steeped for 150 seconds in water of 80 degrees."
OTHER = "Green tea is never steeped in water of more than 80 degrees."
AROUND = "A kettle holds a litre of water. {} Cups are warmed before the tea is poured."


def fetched(text: str, url: str = "https://tea.test/time") -> Fetched:
    """A document as it is now."""
    return Fetched(url, Outcome.OK, text=text, visible=text, title="Times of tea", fetched="2026-11-23T06:00:00Z")


def page(body: str, quote: str = OLD, newline: str = "\n", fields: str = "") -> str:
    """A page with one reference, `time`, and what its author wrote around it."""
    head = (
        "---\ntitle:  Tea # spaced\nreviewed: null\nreferences:\n  # checked\n  - id: time  # ours\n"
        "    title: 'Times: of tea'\n    URL: https://tea.test/time\n    custom:\n"
        f'      quotes: {{q1: "{quote}"}}   # one\n{fields}'
        "  - {id: milk, title: Milk, URL: 'https://tea.test/milk'}\ntags: [a,  b]\n---\n"
    )
    return head.replace("\n", newline) + body


def refreshed(text: str, now: str) -> tuple[str, tuple[Finding, ...]]:
    """The page after its source `time` changed to `now`."""
    stale = [one for claim in read_claims(text, "tea.md")[:1] for one in find_stale(claim, [fetched(now)])]
    return rewrite(text, "tea.md", stale, DAY)


def replaced(sentence: str, new: str) -> tuple[str, Action]:
    """A sentence of a page whose quote is `new` now, and what was done."""
    before, after = "# Tea\n\nFirst, water. ", " Then, cups [@milk].\n"
    text, (finding,) = refreshed(page(f"{before}{sentence}{after}"), AROUND.format(new))
    start, end = text.index(before) + len(before), len(text) - len(after)
    assert text[end:] == after
    return text[start:end], finding.action


SENTENCES: Mapping[str, tuple[str, str, str, Action]] = {
    "a number is carried over": (
        "It takes 120 seconds [@time, q1].",
        NEW,
        "It takes 150 seconds [@time, q1].",
        Action.REPLACED,
    ),
    "a number in words becomes a quotation": (
        "It takes two minutes [@time, q1].",
        NEW,
        f"“Times: of tea” states: “{NEW}” [@time, q1].",
        Action.REPLACED,
    ),
    "a number that occurs twice becomes a quotation": (
        "Of 120 seconds, all 120 count. [@time, q1]",
        NEW,
        f"“Times: of tea” states: “{NEW}” [@time, q1].",
        Action.REPLACED,
    ),
    "a sentence that the new quote supports stays": (
        "Green tea is steeped for 120 seconds in water of 80 degrees [@time, q1].",
        "Green tea is steeped for 120 seconds in water of 80 degrees, which is warm.",
        "Green tea is steeped for 120 seconds in water of 80 degrees [@time, q1].",
        Action.KEPT,
    ),
    "other punctuation changes no sentence": (
        "Steep it briefly [@time, q1].",
        OLD.replace("120 seconds", "“120” seconds"),
        "Steep it briefly [@time, q1].",
        Action.KEPT,
    ),
    "another statement becomes a quotation": (
        "Steep it briefly; e.g. two minutes, [says Ann][1] [@time, q1].",
        OLD.replace("is steeped", "must not be steeped"),
        "“Times: of tea” states: “Green tea must not be steeped for 120 seconds in water of 80 degrees.” [@time, q1].",
        Action.REPLACED,
    ),
    "other words for the same change no sentence": (
        "Steep it briefly [@time, q1].",
        OLD.replace("is steeped", "is then steeped"),
        "Steep it briefly [@time, q1].",
        Action.KEPT,
    ),
    "a word with another meaning does": (
        "Steep it hot, as people do [@time, q1].",
        OLD.replace("Green", "Black"),
        "“Times: of tea” states: “Black tea is steeped for 120 seconds in water of 80 degrees.” [@time, q1].",
        Action.REPLACED,
    ),
    "a sentence of the source becomes that of today": (
        f"{OLD} [@time, q1]",
        OLD.replace("is steeped", "must not be steeped"),
        "Green tea must not be steeped for 120 seconds in water of 80 degrees. [@time, q1]",
        Action.REPLACED,
    ),
    "a label states nothing": ("Ann [@time, q1].", OLD.replace("Green", "Black"), "Ann [@time, q1].", Action.KEPT),
    "a sentence with other evidence stays": (
        "Steep it briefly [@time, q1], with milk [@milk].",
        OLD.replace("is steeped", "must not be steeped"),
        "Steep it briefly [@time, q1], with milk [@milk].",
        Action.LEFT,
    ),
    "but its number is carried over": (
        "It takes 120 seconds [@time, q1], with milk [@milk].",
        NEW,
        "It takes 150 seconds [@time, q1], with milk [@milk].",
        Action.REPLACED,
    ),
    "unless both are cited for it": (
        "It takes 120 seconds [@time, q1; @milk].",
        NEW,
        "It takes 120 seconds [@time, q1; @milk].",
        Action.LEFT,
    ),
    "a sentence with a link of its own stays": (
        "Steep it briefly, see [Ann](https://ann.test/) [@time, q1].",
        OLD.replace("is steeped", "must not be steeped"),
        "Steep it briefly, see [Ann](https://ann.test/) [@time, q1].",
        Action.LEFT,
    ),
    "a number of the citation is none of the sentence": (
        "It takes long [@time, q1].",
        NEW,
        f"“Times: of tea” states: “{NEW}” [@time, q1].",
        Action.REPLACED,
    ),
}


@pytest.mark.parametrize(("sentence", "quote", "new", "action"), SENTENCES.values(), ids=SENTENCES)
def test_a_sentence_gets_what_its_new_quote_says(sentence: str, quote: str, new: str, action: Action) -> None:
    """Numbers are carried over, else the sentence becomes a quotation; nothing else of its paragraph changes."""
    assert replaced(sentence, quote) == (new, action)


BLOCKS = {
    "a block quote": (f"> {OLD} [@time, q1]", f"> {NEW} [@time, q1]"),
    "a block quote over two lines": (
        f"> {OLD[:20]}\n> {OLD[21:]}\n> [@time, q1]",
        f"> {NEW} [@time, q1]",
    ),
    "a list item": (
        "- one\n- takes 120 seconds [@time, q1]\n  - and more",
        "- one\n- takes 150 seconds [@time, q1]\n  - and more",
    ),
    "a table": (
        "| a | b |\n| - | - |\n| 1 | Take your time [@time, q1] |",
        f"| a | b |\n| - | - |\n| 1 | “Times: of tea” states: “{NEW}” [@time, q1] |",
    ),
    "our attribution": (
        f"“Times: of tea” (tea.test), under “Old”, line 3:\n\n> {OLD} [@time, q1]",
        f"“Times: of tea” (tea.test):\n\n> {NEW} [@time, q1]",
    ),
    "a person's attribution": (
        f"Ann says, line 3:\n\n> {OLD} [@time, q1]",
        f"Ann says:\n\n> {NEW} [@time, q1]",
    ),
    "code": (f"Ann [@time, q1]:\n\n```text\n{OLD}\n```", f"Ann [@time, q1]:\n\n```text\n{NEW}\n```"),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("before", "after"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_get_the_new_quote(before: str, after: str, newline: str) -> None:
    """Quotations are replaced as such, items and cells within their lines."""
    text = page(f"# Tea\n\n{before}\n\nEnd".replace("\n", newline), newline=newline)
    new, (finding,) = refreshed(text, AROUND.format(NEW))
    assert finding.action is Action.REPLACED
    assert new == page(f"# Tea\n\n{after}\n\nEnd".replace("\n", newline), NEW, newline)


def test_more_than_the_quote_stays() -> None:
    """A block quote that shows other words too is left to a person."""
    text = page(f"> {OLD} So be it. [@time, q1]\n")
    new, (finding,) = refreshed(text, AROUND.format(NEW))
    assert (new, finding.action) == (text, Action.LEFT)
    assert finding.reason == "the block quote shows more than the quote, or the text above it names the source"


def test_a_quote_is_settled_everywhere_or_nowhere() -> None:
    """If one of the sentences that cite a quote cannot be settled, none is."""
    text = page("It takes 120 seconds [@time, q1].\n\nSteep it for:\n\n- a long time [@time, q1] and [@milk]\n")
    new, (finding,) = refreshed(text, AROUND.format(NEW))
    assert (new, finding.action) == (text, Action.LEFT)


AROUND_A_SENTENCE = {
    "an item with a list": ("- ", "\n  - and more", Action.REPLACED),
    "an item to tick": ("- [x] ", "\n", Action.REPLACED),
    "an admonition": ("!!! note\n    ", "\n", Action.LEFT),
    "further text of an admonition": ("!!! note\n\n    ", ". More.\n", Action.REPLACED),
    "a heading": ("## ", "\n", Action.LEFT),
    "an underlined heading": ("", "\n====\n", Action.LEFT),
}


@pytest.mark.parametrize(("above", "below", "action"), AROUND_A_SENTENCE.values(), ids=AROUND_A_SENTENCE)
def test_what_is_around_a_sentence_in_its_block_stays(above: str, below: str, action: Action) -> None:
    """A list below it, a box to tick, the title of a block; where a title is part of it, it is left to a person."""
    sentence, new = "Steep it hot, as people do [@time, q1]", OLD.replace("Green", "Black")
    text, (finding,) = refreshed(page(f"{above}{sentence}{below}"), AROUND.format(new))
    now = f"“Times: of tea” states: “{new}” [@time, q1]" if action is Action.REPLACED else sentence
    assert finding.action is action
    assert text.endswith(f"---\n{above}{now}{below}")


FIELDS = (
    "      sha256: {hash}\n      status: 200\n      checked: 2026-01-02 # by Ann\n"
    "      fragments: {{q1: 'Green,degrees'}}\n"
    "    accessed: {{date-parts: [[2026, 1, 2]]}}\n"
)


def test_fields_that_name_the_text_follow() -> None:
    """Hash, dates and fragment are those of the new text; fields that are not there are not added."""
    now = AROUND.format(NEW)
    text = page("It takes 120 seconds [@time, q1].\n", fields=FIELDS.format(hash="0" * 64))
    new, _ = refreshed(text, now)
    expected = page("It takes 150 seconds [@time, q1].\n", NEW, fields=FIELDS.format(hash=fetched(now).sha256))
    for old, after in (
        ("checked: 2026-01-02", "checked: 2026-11-23"),
        ("[[2026, 1, 2]]", "[[2026, 11, 23]]"),
        ("'Green,degrees'", f"'{'%20'.join(NEW.rstrip('.').split())}.'"),
    ):
        expected = expected.replace(old, after)
    assert new == expected


def test_an_entry_of_a_list_of_sources_follows_its_reference() -> None:
    """After a move, the entry has the new address too; the same address in a sentence stays, for it may be a date's."""
    url, new_url = "https://tea.test/time", "https://tea.test/times"
    text = page(f"See [it]({url}) as of May [@time, q1].\n\n- [Times]({url}) [@time]\n")
    (claim, _) = read_claims(text, "tea.md")
    moved = fetched(AROUND.format(OLD))
    (stale,) = find_stale(claim, [Fetched(url, Outcome.MOVED, text=moved.text, visible=moved.text, moved_to=new_url)])
    new, (finding,) = rewrite(text, "tea.md", [stale], DAY)
    assert (finding.action, finding.stale.change) == (Action.KEPT, Change.MOVED)
    expected = text.replace(f"URL: {url}", f"URL: {new_url}").replace(f"- [Times]({url})", f"- [Times]({new_url})")
    assert new == expected


def test_a_lost_quote_is_cited_from_where_it_is_now() -> None:
    """The same words in another source: the sentence stays, the citation and the reference change; none is orphaned."""
    text = page("Steep it briefly [@time, q1]. Then [@milk].\n")
    (claim, _) = read_claims(text, "tea.md")
    gone = Fetched("https://tea.test/time", Outcome.GONE, "the server returned 410")
    (stale,) = find_stale(claim, [gone])
    assert (stale.change, stale.needs_research) == (Change.GONE, True)
    other = Source("", fetched(AROUND.format(OLD), "https://leaf.test/steeping-times"))
    new, (finding,) = rewrite(text, "tea.md", [find_elsewhere(stale, [other])], DAY)
    assert finding.action is Action.REPLACED
    items = yaml.safe_load(new.split("---\n")[1])["references"]
    assert [item["URL"] for item in items] == ["https://leaf.test/steeping-times", "https://tea.test/milk"]
    assert items[0]["custom"]["quotes"] == {"q1": OLD}
    assert f"Steep it briefly [@{items[0]['id']}, q1]. Then [@milk].\n" in new
    assert "title:  Tea # spaced" in new


def test_nothing_better_changes_nothing() -> None:
    """Without a match, the sentence stays with its citation, and the finding says so."""
    text = page("Steep it briefly [@time, q1].\n")
    new, (finding,) = refreshed(text, AROUND.format("Coffee is another matter."))
    assert new == text
    assert (finding.action, finding.stale.change) == (Action.LEFT, Change.REMOVED)
    assert finding.sentences == (("Steep it briefly [@time, q1].",) * 2,)


BASE = "The daemon of Docker is always started before the cache of 32 MB can be read by all users of the host."
OTHERS = {
    "is always": "isn't always",
    "always": "never",
    "can be": "cannot be",
    "can": "must",
    "before": "after",
    "Docker": "Podman",
    "32 MB": "64 MB",
    " MB": " Mb",
    "read": "written",
    "all users": "some users",
    "started": "stopped",
    "always started": "started",
}


@pytest.mark.parametrize(("old", "new"), OTHERS.items(), ids=str)
def test_another_statement_is_told_apart(old: str, new: str) -> None:
    """One word makes the difference: a negation, a limit, a name, a number, a unit, a verb."""
    assert not is_same_statement(BASE, BASE.replace(old, new))
    assert not is_same_statement(BASE.replace(old, new), BASE)


@pytest.mark.parametrize(
    "new",
    [
        BASE.replace("The daemon", "A daemon"),
        BASE.replace("users of", "users on"),
        BASE.replace("of the host", "of a host"),
        BASE.replace("cache", "shared cache"),
        BASE.replace("read", "reads"),
        BASE.replace("started", "“started”,"),
    ],
)
def test_the_same_statement_in_other_words(new: str) -> None:
    """Articles, forms of a word, marks, and a word that is added make no difference."""
    assert is_same_statement(BASE, new)


def test_what_was_there_before_is_no_replacement() -> None:
    """A sentence like the quote that the old text had too is about something else."""
    like = "Green tea is steeped for 90 seconds in water of 80 degrees."
    old = AROUND.format(f"{OLD} {like}")
    text = page("It takes 120 seconds [@time, q1].\n")
    (claim, _) = read_claims(text, "tea.md")
    (stale,) = find_stale(claim, [fetched(AROUND.format(like))], old)
    assert (stale.change, stale.match) == (Change.REMOVED, None)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00", exclude_categories=["Cs"]), max_size=60)
LINE = st.sampled_from(
    [
        "",
        "# Über",
        "- é [@milk]",
        "```sh\n[@time, q1]\n```",
        "> “x”",
        "a [b](c) *d*",
        "| a | b |\n| - | - |\n| 1 | 2 |",
        "x\\",
    ]
)


@given(
    above=st.lists(LINE | WORDS, max_size=5),
    below=st.lists(LINE | WORDS, max_size=5),
    newline=st.sampled_from(["\n", "\r\n"]),
    end=st.sampled_from(["", "\n", "  "]),
    bom=st.sampled_from(["", "\ufeff"]),
)
def test_every_other_byte_stays(above: list[str], below: list[str], newline: str, end: str, bom: str) -> None:
    """Apart from the sentence and the quote of its reference, the page is the same to the byte, whatever is around."""
    paragraph = "Zunächst “heiß”. It takes 120 seconds [@time, q1]. Ende…"
    lines = ["intro", *above, "", paragraph, "", *below]
    text = bom + page("\n".join(lines).replace("\n", newline) + end, newline=newline)
    new, findings = refreshed(text, AROUND.format(NEW))
    if any(finding.action is Action.REPLACED for finding in findings):
        body = text.replace(f'"{OLD}"', f'"{NEW}"', 1)
        assert new.encode() == body.replace("It takes 120 seconds", "It takes 150 seconds", 1).encode()
    else:  # the paragraph is code, or part of something that shows more
        assert new.encode() == text.encode()
    assert refreshed(new, AROUND.format(NEW))[0] == new


@given(st.data())
def test_a_match_is_verbatim(data: st.DataObject) -> None:
    """What replaces a quote is in the document, whatever the document is."""
    words_ = [*OLD.split(), "and", "not", "(see", "*x*)", "\n\n", "- ", "7.5", "kettle."]
    text = " ".join(data.draw(st.lists(st.sampled_from(words_), max_size=60)))
    match = find_match(OLD, fetched(text))
    assert match is None or contains_quote(match.words, [" ".join(text.split())])
