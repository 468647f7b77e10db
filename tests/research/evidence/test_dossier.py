"""Dossiers: what is kept of the evidence for a page, and how a brief shows it within its size."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planbook.citations.quotes import Readings, contains_quote, words
from planbook.model import Query
from planbook.research.drafts import Evidence, Source
from planbook.research.evidence.brief import (
    RELEVANT,
    choose_passages,
    compose_brief,
    describe_doubt,
    plain_line,
    quotable_text,
    render_brief,
    render_passage,
)
from planbook.research.evidence.dossier import Dossier, DossierStore, PassageIndex, UnreadWork
from planbook.research.evidence.printed_works import PLACE, Request, numbers_in, part_around, render_found, render_work
from planbook.research.evidence.work_scores import CHARS_PER_TOKEN
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.web.model import Fetched, Outcome
from tests.research.documents import brief, source, sources


def dossier() -> Dossier:
    """A dossier with all documents that were made up, a search and a document that was not read."""
    searched = (Searched(Query("web", "small images"), "local", Outcome.OK, (Hit("https://x.example/", "X"),)),)
    unread = (UnreadWork("https://gone.example/", Outcome.GONE, "404"),)
    return Dossier(brief(), "2026-11-20T10:00:00Z", sources(), searched, unread)


def test_a_dossier_is_read_as_it_was_written(tmp_path: Path) -> None:
    """With texts, searches and what was not read; another page of the same plan has none."""
    store = DossierStore(tmp_path)
    store.save(dossier())
    assert store.load(brief()) == dossier()
    assert store.load(brief(2)) is None
    texts = len(list((tmp_path / "texts").iterdir()))
    store.save(dossier())
    assert len(list((tmp_path / "texts").iterdir())) == texts


@pytest.mark.parametrize("name", ["dossiers", "texts"])
def test_a_damaged_dossier_is_none(tmp_path: Path, name: str) -> None:
    """Evidence whose text is not the one that was read is no evidence: it is gathered again."""
    store = DossierStore(tmp_path)
    store.save(dossier())
    path = next(path for path in (tmp_path / name).rglob("*.*") if path.is_file())
    path.write_bytes(path.read_bytes()[:-20])
    assert store.load(brief()) is None
    path.unlink()
    assert store.load(brief()) is None


def test_works_that_were_added_stay() -> None:
    """Gathering again replaces what was found and keeps what somebody added, each work once."""
    own = source("hostile")
    older = dossier().with_source(own)
    newer = replace(dossier(), sources=sources("stages"), gathered="2026-11-21T10:00:00Z")
    ids = [one.id for one in older.regathered(newer).sources]
    assert ids == [source("stages").id, own.id]
    assert older.regathered(newer).added == {own.id}
    found_too = replace(newer, sources=(*newer.sources, own))
    assert [one.id for one in older.regathered(found_too).sources] == ids


def test_every_passage_of_the_evidence_has_an_id() -> None:
    """The id leads back to the same text, whatever number the passage has among those that were ranked."""
    whole = dossier()
    for point in whole.evidence:
        for ranked in point.ranked:
            name = whole.passages.id_of(ranked.excerpt)
            assert whole.passages.by_id[name].text == ranked.excerpt.text
            assert name.startswith(f"{ranked.excerpt.source}#")


ABOVE_PASSAGE = 200
"""Characters of a passage's id, headings and fence, at most."""


@example(1959)
@given(st.integers(min_value=500, max_value=20_000))
def test_a_brief_keeps_to_its_size(tokens: int) -> None:
    """Beyond the task, the rules and the list of works, it has as much evidence as fits; the best passages first."""
    whole = dossier()
    text = render_brief(brief(), whole, tokens=tokens)
    least = len(render_brief(brief(), whole, tokens=0))
    assert len(text) <= max(tokens * CHARS_PER_TOKEN, least) + 200 * len(whole.evidence)
    room = tokens * CHARS_PER_TOKEN - least
    homes = choose_passages(whole.evidence, room)
    first = {point.ranked[0].excerpt for point in whole.evidence if point.ranked}
    shortest = min(len(excerpt.text) for excerpt in first)
    has_room_for_a_best_one = room > shortest + ABOVE_PASSAGE
    assert not homes or first.intersection(homes) or not has_room_for_a_best_one


def test_a_passage_stands_below_the_point_that_it_answers_best() -> None:
    """It stands there once: other points name it."""
    whole = dossier()
    text = render_brief(brief(), whole, tokens=20_000)
    for name in whole.passages.by_id:
        assert text.count(f"\n`{name}`") <= 1
    homes = choose_passages(whole.evidence, 1_000_000)
    for excerpt, place in homes.items():
        ranks = [
            [one.excerpt for one in point.ranked].index(excerpt)
            for point in whole.evidence
            if excerpt in {one.excerpt for one in point.ranked}
        ]
        own = [one.excerpt for one in whole.evidence[place].ranked].index(excerpt)
        assert own == min(ranks)


def test_a_question_finds_passages_of_all_works() -> None:
    """By its words, best first; words that no work has find nothing."""
    found = dossier().find("How the layer cache is reused")
    assert found
    assert found[0].excerpt.source == "kiln-layer-cache"
    assert dossier().find("xylophone") == ()


def work(path: str, text: str) -> Source:
    """A work in Markdown at a path."""
    url = f"https://kiln.example/{path}"
    return Source("kiln", Fetched(url, Outcome.OK, text=text, visible=words(text), media_type="text/markdown"))


def test_a_passage_is_shown_as_it_may_be_quoted() -> None:
    """Without escapes, which nobody means to quote; emphasis and code stay, and the result is a quote of its source."""
    own = work(
        "marks", "# Marks\n\nA count has the form \\<int\\> in **all** names like kiln\\_a, but `a\\*` is code.\n"
    )
    (excerpt,) = PassageIndex([own]).by_id.values()
    shown = quotable_text(excerpt)
    assert shown == "A count has the form <int> in **all** names like kiln_a, but `a\\*` is code."
    assert contains_quote(shown, Readings(own.fetched.visible, own.fetched.text))


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("How the --keep rules are applied", "How the --keep rules are applied"),
        ("Use a_b if 1 < 2 & `--c` is on", "Use a_b if 1 < 2 & `--c` is on"),
        ("- not a list", "\\- not a list"),
        ("# not a heading", "\\# not a heading"),
        ("1. ```", "1\\. `"),
    ],
)
def test_a_line_is_shown_to_be_copied(line: str, plain: str) -> None:
    """It is as a reader sees it, unless it would begin a block of Markdown."""
    assert plain_line(line) == plain


CHANGES = """\
# Changes

## Version 1.2

The cache keeps forty layers, no longer thirty, as most builds need more.

- `--layers` takes a number.
- Signing is faster for images with many layers.
"""


def test_a_change_log_is_read_if_somebody_asks_for_it() -> None:
    """A word says what it is; briefs leave it out. A text without passages says why it has none."""
    log = work("changelog", CHANGES)
    assert PassageIndex([log]).by_id == {}
    request = Request(2_000, more=f"planbook read {PLACE}", place="kiln")
    told = render_work(log, request).text
    assert "This is a change log: what it says is true of one version" in told
    assert "The cache keeps forty layers" in told
    assert "`--layers` takes a number." in told
    assert "Signing is faster" in render_work(log, request, "signing").text
    assert "No passage shares these words." in render_work(log, request, "ovens").text
    empty = render_work(work("empty", " "), request).text
    assert "No passage can be quoted: it has no main text" in empty
    menu = render_work(work("menu", "- Home\n- About\n- Help\n"), request).text
    assert "No passage can be quoted: its 22 characters have no sentence of five words" in menu


LONG = "# Kiln\n\n" + "".join(
    f"## Part {n}\n\nThe kiln of part {n} burns for {n} hours and keeps its heat for {'very ' * 40}long.\n\n"
    for n in range(1, 60)
)


def test_a_long_work_is_listed_before_it_is_read() -> None:
    """By sections with their sizes, in a tenth of its own; passages by number, by words, or all by a size."""
    long = work("long", LONG)
    request = Request(2_000, more=f"planbook read {PLACE}", place="kiln")
    listed = render_work(long, request).text
    assert re.search(r"^- `#7` Part 7 \(\d+\)$", listed, re.MULTILINE)
    assert "burns for 7 hours" not in listed
    with_passages = render_work(long, replace(request, only_ids=True)).text
    assert re.search(r"^- `#7` Part 7 \(\d+\)\n    - `#7`: The kiln of part 7 burns", with_passages, re.MULTILINE)
    begun = render_work(long, request, is_shown=lambda name, _: name == "kiln#7").text
    assert re.search(r"^- `#7` Part 7 \(\d+, shown before\)$", begun, re.MULTILINE)
    assert len(listed) < len(LONG) / 2
    some = render_work(long, request, numbers=frozenset({3, 4, 90}))
    assert [name for name, _ in some.whole] == ["kiln#3", "kiln#4"]
    by_words = render_work(long, request, "part 7")
    assert by_words.whole[0][0] == "kiln#7"
    every = render_work(long, Request(20_000, is_sized=True))
    assert (len(every.whole), every.omitted_count) == (59, 0)
    part = render_work(long, Request(2_000, is_sized=True, more=f"planbook read {PLACE}", place="kiln"))
    assert 0 < len(part.whole) < 59
    assert f"{part.omitted_count} passages more: planbook read kiln --tokens 4000" in part.text


def test_the_rest_of_a_range_is_named_by_its_numbers() -> None:
    """So that reading on prints no passage twice; for words, whose passages have no order, by a size."""
    long = work("long", LONG)
    request = Request(1_000, more=f"planbook read {PLACE} --for k 1", place="kiln", has_id=True)
    first = render_work(long, request, numbers=frozenset({*range(1, 50), 55}))
    last = first.whole[-1][0]
    number = int(last.removeprefix("kiln#"))
    assert f"\n{first.omitted_count} passages more: planbook read kiln#{number + 1}-49,55 --for k 1\n" in first.text
    rest = render_work(long, Request(20_000), numbers=frozenset({*range(number + 1, 50), 55}))
    assert not {name for name, _ in first.whole} & {name for name, _ in rest.whole}
    by_words = render_work(long, replace(request, tokens=100), "kiln burns hours")
    assert "passages more: planbook read kiln --for k 1 --tokens 200" in by_words.text


@pytest.mark.parametrize(
    ("place", "numbers"),
    [
        ("kiln-manual#3", {3}),
        ("kiln#3-5,9", {3, 4, 5, 9}),
        ("https://kiln.example/x#3", None),
        ("documents/a b.md", None),
        ("kiln#", None),
        ("kiln#a", None),
    ],
)
def test_passages_have_numbers(place: str, numbers: set[int] | None) -> None:
    """One, several or ranges behind the id of a work; anything else is a place."""
    found = numbers_in(place)
    assert (found[1] if found else None) == (frozenset(numbers) if numbers else None)


def test_the_passages_of_a_long_section_are_listed() -> None:
    """By their first words, below the section; whoever has some of them sees which."""
    text = "# Kiln\n\n" + "".join(f"The kiln of step {n} burns for {'very ' * 90}long.\n\n" for n in range(30))
    request = Request(2_000, more=f"planbook read {PLACE}", place="kiln")
    listed = render_work(work("long", text), request, is_shown=lambda name, _: name == "kiln#2").text
    assert "- `#1-30` Kiln (" in listed
    assert "\n    - `#2` (shown before): The kiln of step 1 burns" in listed


def test_a_range_leaves_out_what_its_reader_has() -> None:
    """It is named; who asks for nothing else has lost it, and gets it again."""
    long = work("long", LONG)
    request = Request(6_000, more=f"planbook read {PLACE}", place="kiln")
    seen = {"kiln#3", "kiln#4"}
    some = render_work(long, request, is_shown=lambda name, _: name in seen, numbers=frozenset({2, 3, 4, 5}))
    assert [name for name, _ in some.whole] == ["kiln#2", "kiln#5"]
    assert some.text.startswith("Shown before: `kiln#3-4`\n\n`kiln#2`")
    small = replace(request, tokens=200, has_id=True)
    cut = render_work(long, small, is_shown=lambda name, _: name in seen, numbers=frozenset(range(2, 8)))
    assert [name for name, _ in cut.whole] == ["kiln#2", "kiln#5"]
    assert "2 passages more: planbook read kiln#6-7\n" in cut.text
    lost = render_work(long, request, is_shown=lambda name, _: name in seen, numbers=frozenset({3, 4}))
    assert [name for name, _ in lost.whole] == ["kiln#3", "kiln#4"]


def test_what_is_far_from_a_question_is_left_out() -> None:
    """Also if a size is asked for, which is the most that a reader wants; what its reader has is named."""
    whole = dossier()
    question = "How the layer cache is reused"
    near, sized = (render_found(whole, question, Request(20_000, is_sized=is_sized)) for is_sized in (False, True))
    assert near.whole == sized.whole
    assert 0 < len(near.whole) < len(whole.find(question))
    first = near.whole[0]
    again = render_found(whole, question, Request(20_000), lambda name, _: name == first[0])
    assert [name for name, _ in again.whole] == [name for name, _ in near.whole[1:]]
    assert f"Shown before: `{first[0]}`\n" in again.text
    assert render_passage(*first) not in again.text


def test_a_brief_names_the_passages_in_it() -> None:
    """Each is printed once, is relevant to its point, and its work is listed with its place."""
    whole = dossier()
    composed = compose_brief(brief(), whole, tokens=20_000)
    for name in composed.passages:
        assert composed.text.count(f"\n`{name}`") == 1
        assert f"\n- `{name.partition('#')[0]}`: " in composed.text
    homes = choose_passages(whole.evidence, 1_000_000)
    for excerpt, place in homes.items():
        (score,) = (one.score for one in whole.evidence[place].ranked if one.excerpt == excerpt)
        assert score >= RELEVANT * whole.evidence[place].ranked[0].score


def test_a_doubt_names_the_passage_that_has_the_words() -> None:
    """If the first one lacks a word of the point, and a later one does not."""
    texts = {
        "push": "# Push\n\nChoose push cups for push tables: push, choose and push again, as a push cup is quick.\n",
        "both": "# Kinds\n\nWhoever has many guests pours from a cup that they pull, and the others from push cups.\n",
    }
    works = tuple(replace(work(name, text), id=name) for name, text in texts.items())
    whole = Dossier(brief(), sources=works)
    point = "Pull or push cups: which to choose"
    ranked = whole.find(point)
    assert [one.excerpt.source for one in ranked] == ["push", "both"]
    found = Evidence(0, point, ranked, False, True, ("Pull",))
    assert describe_doubt(found, whole) == "Uncertain: the first passage does not mention “Pull”; `both#1` does."
    alone = replace(found, ranked=ranked[:1])
    assert describe_doubt(alone, whole) == "Uncertain: the first passage does not mention “Pull”."


def test_a_part_of_a_passage_is_shown_around_what_is_missing() -> None:
    """So that a reader sees the row or sentence that has it; a short text is shown whole, any other from its start."""
    text = f"{'the cup is warm ' * 40}MaxHeat is 900 here {'and so on ' * 40}"
    found = part_around(text, ["nothing", "maxheat"], 200)
    assert found.startswith("… ")
    assert found.endswith(" …")
    assert "MaxHeat is 900 here" in found
    assert len(found) < 210
    assert part_around("MaxHeat is 900", ["MaxHeat"], 200) == "MaxHeat is 900"
    assert part_around(text, [], 50).startswith("the cup is warm")
