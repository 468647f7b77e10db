"""The index of messages: marked columns of tables, and the page that lists them."""

from __future__ import annotations

import pytest

from planbook.library import MESSAGES, link_tree
from planbook.library.pages import find_marked_messages
from planbook.markdown.row_ids import add_row_ids
from planbook.model import Message, Tree
from planbook.views.cards import card_files, page_cards
from planbook.views.checks import PageCheck
from planbook.views.folders import folder_indexes
from planbook.views.frame import Site
from planbook.views.messages import messages_page
from planbook.views.navigation import insert_tree
from planbook.views.portable import Form, portable_tree
from planbook.views.top_views import made_top_pages

PAGE = """\
# Ovens

## When it fails { #faults }

| Message { #messages-oven .messages } | Number | Cause { .meaning } |
| --- | --- | --- |
| `door is open`, then `no \\| heat` | `7` | the latch, see [doors](doors.md) [@oven, q1] |
| nothing on the screen | | no power |

!!! note
    | It happens { .meaning } | It says { .messages } |
    | --- | --- |
    | at night | `too late` |

`not a message`
"""

OVEN = "`door is open`, then `no | heat`"
NUMBER = (("Number", "`7`"),)


def test_code_in_a_marked_column_is_a_message() -> None:
    """With the meaning of its row, without citations, and its section, also in a block; other code is none."""
    assert find_marked_messages(PAGE) == (
        Message(
            "door is open", "the latch, see doors", "When it fails", "#messages-oven", OVEN, NUMBER, "#messages-oven.1"
        ),
        Message(
            "no | heat", "the latch, see doors", "When it fails", "#messages-oven", OVEN, NUMBER, "#messages-oven.1"
        ),
        Message("too late", "at night", "When it fails", "", "`too late`"),
    )
    for text in (
        "The class `.messages` marks a column.\n",
        f"```markdown\n{PAGE}```\n",
        "| A { .messages } |\n| B |\n",
    ):
        assert find_marked_messages(text) == ()


def test_the_page_lists_every_message_with_its_place() -> None:
    """They are in the order of the pages, and counted; hostile text is text."""
    hostile = PAGE.replace("too late", "<b>[x](y)").replace("Ovens", "<i>Ovens")
    library = link_tree(Tree({}, {}, {"b/10.md": hostile.encode(), "b/9.md": PAGE.encode(), "a.md": b"# A\n"}))
    page = messages_page(library.pages)
    assert "**6 messages** on 2 pages" in page
    assert page.index("b/9.md") < page.index("b/10.md")
    assert "| `door is open` | the latch, see doors | [When it fails](b/9.md#messages-oven) |" in page
    assert "[When it fails](b/10.md) |" in page
    assert "| `<b>[x](y)` | at night | " in page


def test_a_base_without_messages_has_no_such_page() -> None:
    """Neither in the navigation; a page of the author's takes its place."""
    without = link_tree(Tree({}, {}, {"a.md": b"# A\n"}))
    assert MESSAGES not in made_top_pages(without, Site("Bread"), {})
    assert MESSAGES not in insert_tree(None, folder_indexes(without))
    own = link_tree(Tree({}, {}, {"a.md": PAGE.encode(), MESSAGES: b"# Mine\n"}))
    assert MESSAGES in made_top_pages(own, Site("Bread"), {"a.md"})
    assert MESSAGES not in made_top_pages(own, Site("Bread"), {"a.md", MESSAGES})
    assert insert_tree(None, folder_indexes(own), known_uris={MESSAGES}).count(MESSAGES) == 1


def test_an_export_has_anchors_in_place_of_marks() -> None:
    """Engines without attributes would show them; the links of the index lead there."""
    library = link_tree(Tree({}, {}, {"a.md": PAGE.encode()}))
    files = portable_tree(library, {"a.md": PAGE}, frozenset(), Site("Bread"), Form())
    assert '| Message <a id="messages-oven"></a> | Number | Cause  |' in files["a.md"]
    assert "](a.md#messages-oven) |" in files["messages.md"]


CARDS = """\
---
versions: {messages-oven: 'oven 2.1', '': 'oven 2'}
generated: {writer: somebody, date: 2026-11-02}
---

# Ovens

| Message { #messages-oven .messages } | Number | Cause { .meaning } | Fix |
| --- | --- | --- | --- |
| `door is open` | 7 | the latch [@oven, q1] | see [doors](doors.md), `close()` |

| Message { .messages } |
| --- |
| `too late` |
"""


def test_a_message_has_a_card() -> None:
    """It says what to do before all but the meaning, on which versions, and when the page was checked, else written."""
    library = link_tree(Tree({}, {}, {"a.md": CARDS.encode(), "b.md": b"# B\n"}))
    checked = {"a.md": PageCheck("2026-11-20", "", 0, {})}
    [page] = page_cards(library.pages, checked, lambda uri: uri.replace(".md", "/"))
    assert (page.url, page.title, page.dated) == ("a/", "Ovens", "Sources checked 20\u00a0Nov\u00a02026")
    fix = [("Fix", "see doors, `close()`"), ("Number", "7")]
    assert page.rows() == [
        ["#messages-oven.1", "`door is open`", "the latch", fix, "oven 2.1"],
        ["", "`too late`", "", [], "oven 2"],
    ]
    [unchecked] = page_cards(library.pages, {}, str)
    assert unchecked.dated == "Written 2\u00a0Nov\u00a02026"
    assert dict(card_files([page])) == {
        "cards/0": ["a/", "Ovens", page.dated, page.rows()],
        "messages": [["door is open", "too late"]],
    }
    assert dict(card_files([])) == {}


def test_a_card_is_understood_without_its_table() -> None:
    """What a row repeats is said, a section that it leads to is named, and "below" alone is left out."""
    text = (
        "| Message { .messages } | Cause { .meaning } | Fix |\n| --- | --- | --- |\n"
        "| `one` | a | **Check**: the log<br>**Fix**: [below](#pods-that-do-not-start) |\n"
        "| `two` | b | **Check**: as above<br>**Fix**: restart |\n"
        "| `three` | c | the same |\n| `four` | d | below |\n| `five` | e |\n| `six` | f | as above |\n"
    )
    [page] = page_cards(link_tree(Tree({}, {}, {"a.md": f"# A\n\n{text}".encode()})).pages, {}, str)
    assert [row[3] for row in page.rows()] == [
        [("Fix", "Check: the log\nFix: see “Pods that do not start”")],
        [("Fix", "Check: the log\nFix: restart")],
        [("Fix", "Check: the log\nFix: restart")],
        [],
        [],
        [("Fix", "as above")],
    ]


def test_versions_may_be_those_of_a_whole_page() -> None:
    """They are a text; another value says nothing."""
    for given, said in (("oven 3", "oven 3"), ("[1]", "")):
        text = CARDS.replace("{messages-oven: 'oven 2.1', '': 'oven 2'}", given)
        [page] = page_cards(link_tree(Tree({}, {}, {"a.md": text.encode()})).pages, {}, str)
        assert [row[-1] for row in page.rows()] == [said, said]


ROWS = "<table>\n<thead>\n<tr>\n<th{attributes}>M</th>\n</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
ROW = "<tr{id}>\n<td>a</td>\n</tr>\n"


@pytest.mark.parametrize("attributes", [' class="messages" id="m"', ' id="m" class="messages"'])
def test_each_row_of_messages_has_an_id(attributes: str) -> None:
    """Below the head; other tables, and those of messages without an id, stay as they are."""
    plain = ROWS.format(attributes="", rows=2 * ROW.format(id=""))
    without_id = ROWS.format(attributes=' class="messages"', rows=ROW.format(id=""))
    marked = ROWS.format(attributes=attributes, rows=2 * ROW.format(id=""))
    named = ROWS.format(attributes=attributes, rows=ROW.format(id=' id="m.1"') + ROW.format(id=' id="m.2"'))
    assert add_row_ids(plain + marked + without_id + marked) == plain + named + without_id + named
