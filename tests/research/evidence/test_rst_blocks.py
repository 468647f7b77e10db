"""reStructuredText as passages: verbatim, under their headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.quotes import Readings
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.evidence.passages import excerpts
from planbook.research.web.model import Fetched, Outcome
from planbook.research.writers.quoting import make_quote, render_block_quote

TEXT = """\
.. _steeping:

########
Steeping
########

.. contents::
   :local:

Green tea is steeped for *two* minutes in water of 80 degrees, see :ref:`pots`.

Kettles
=======

.. note::

   Never boil the water twice, since it loses its oxygen and the tea tastes flat.

Set the kettle to the right temperature for green tea like this::

    kettle.heat(80)
    kettle.keep_warm(minutes=5)

Electric
--------

.. code-block:: python
   :caption: kettle.py

   kettle = Kettle(power=2_000)
   kettle.connect()

* A kettle of steel heats the water fastest of all.
* A kettle of glass shows when the water begins to boil,

  and it is easily cleaned with vinegar afterwards.

+-------+------+
| a     | b    |
+-------+------+

.. This comment is about green tea, and nobody sees it anywhere at all.

Pots
====

>>> pot.fill(litres=1.5)
'1.5 litres of water'

.. py:function:: pour(cup)

   Pour the tea into a cup, slowly and from not too high above the rim of it.
"""


def read(text: str) -> tuple[Passage, ...]:
    """The passages of a file."""
    return tuple(passage for one in read_excerpts(text) for passage in one.passages)


def read_excerpts(text: str) -> tuple[Excerpt, ...]:
    """The excerpts of a file."""
    url = "https://github.com/leaf/brew/blob/main/docs/tea.rst"
    return excerpts(Source("tea", Fetched(url, Outcome.OK, text=text, visible=text, media_type="text/plain")), 1)


def test_blocks_and_their_headings() -> None:
    """Prose, notes, code, lists, examples, and tables as they are written; no comments, targets and options."""
    told = [(p.kind, p.headings[-1], " ".join(p.text.split())[:30]) for p in read(TEXT)]
    assert told == [
        (PassageKind.PROSE, "Steeping", "Green tea is steeped for *two*"),
        (PassageKind.PROSE, "Kettles", "Never boil the water twice, si"),
        (PassageKind.CODE, "Kettles", "kettle.heat(80) kettle.keep_wa"),
        (PassageKind.CODE, "Electric", "kettle = Kettle(power=2_000) k"),
        (PassageKind.LIST, "Electric", "* A kettle of steel heats the "),
        (PassageKind.CODE, "Electric", "+-------+------+ | a | b | +--"),
        (PassageKind.CODE, "Pots", ">>> pot.fill(litres=1.5) '1.5 "),
        (PassageKind.PROSE, "Pots", "pour(cup) Pour the tea into a "),
    ]
    assert read(TEXT)[4].headings == ("Steeping", "Kettles", "Electric")


@pytest.mark.parametrize("name", ["change", "function", "versionremoved", "collapse", "note", "py:method"])
def test_the_text_in_a_directive_is_read(name: str) -> None:
    """Whatever its name is: each extension of Sphinx brings some, for changes, functions, boxes."""
    text = (
        f"Tea\n===\n\n.. {name}:: Steeping\n   :tags: tea\n\n   Leaves of oolong are steeped several times in a row.\n"
    )
    assert [p.text for p in read(text)][-1].endswith("Leaves of oolong are steeped several times in a row.")


@pytest.mark.parametrize("name", ["toctree", "include", "image", "math", "graphviz", "csv-table"])
def test_settings_and_pictures_are_no_text(name: str) -> None:
    """Lists of contents, files, pictures and formulas."""
    assert not read(f"Tea\n===\n\n.. {name}:: leaves\n\n   leaves of tea and other plants here\n")


def test_a_simple_table_is_shown_as_it_is_written() -> None:
    """Its rows are quoted as lines."""
    line = "========  ======================="
    table = f"{line}\nMode      What a client gets\n{line}\nvalidate  an error for bogus data\n{line}\n"
    (passage,) = read(f"Modes\n-----\n\n{table}")
    assert (passage.kind, passage.text) == (PassageKind.CODE, table.rstrip("\n"))


def test_code_belongs_to_the_sentence_that_leads_to_it() -> None:
    """A directive between the two does not part them; a heading does."""
    assert [[p.kind.value for p in one.passages] for one in read_excerpts(TEXT)].count(["prose", "code"]) == 1
    directive = "This is how a kettle is heated:\n\n.. code:: python\n   :linenos:\n\n   kettle.heat(80)\n"
    assert [[p.kind.value for p in one.passages] for one in read_excerpts(directive)] == [["prose", "code"]]


def test_an_option_keeps_its_name() -> None:
    """The argument of a directive that defines it is its term."""
    (one,) = read_excerpts(".. option:: --lid <size>\n\n   Cover the kettle with a lid of this size.\n")
    assert one.term.startswith("--lid")
    assert one.text.startswith("--lid <size>")


@pytest.mark.parametrize(
    ("written", "read_as", "displayed"),
    [
        ("See `the kettle guide <https://tea.test/a_b>`_ for the water.", "See the kettle guide for the water.", None),
        (
            "See `Kettles`_, `pots`__ or `<https://tea.test/>`_ for water.",
            "See Kettles, pots or https://tea.test/ for water.",
            "See Kettles, pots or https&#58;//tea.test/ for water.",
        ),
        ("Set :std:ref:`the pot <pots>` and :doc:`kettles` on.", "Set the pot and kettles on.", None),
        (
            "Call :py:func:`~tea.pots.pour` or :c:type:`kettle_t` first.",
            "Call pour or kettle_t first.",
            "Call `pour` or `kettle_t` first.",
        ),
        (
            "Call {py:func}`pour <tea.pour>` as in {doc}`/pots`, at once.",
            "Call pour as in /pots, at once.",
            "Call `pour` as in /pots, at once.",
        ),
        (
            "Images `{v}-{distro}`; there is no `latest`, `a <b>` nor `c` _here_.",
            "Images {v}-{distro}; there is no latest, a <b> nor c here.",
            "Images `{v}-{distro}`; there is no `latest`, a &lt;b&gt; nor `c` here.",
        ),
        (
            "A ratio of 1:2:`3` is, like a:b:`4`, text of its own.",
            "A ratio of 1:2:3 is, like a:b:4, text of its own.",
            "A ratio of 1&#58;2:`3` is, like a&#58;b:`4`, text of its own.",
        ),
    ],
)
def test_roles_and_named_links_are_text(written: str, read_as: str, displayed: str | None) -> None:
    """Of both reStructuredText and MyST; the quote is in its source, and the page shows names as code."""
    (passage,) = read(written)
    quote = make_quote(passage, Readings(written, written))
    assert quote.words == read_as
    assert render_block_quote([quote], "[@a]") == f"> {displayed or read_as} [@a]"


LINES = [
    *("Tea", "===", "---", ".. note::", ".. code:: c", "   x = 1", "", "* leaf", "a::", ">>> 1", "+--+", "==  =="),
    *("  :o: p", ".. |x| y::"),
]


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=8), max_size=14))
def test_any_lines(lines: list[str]) -> None:
    """Whatever the lines are, passages are verbatim and in order."""
    text = "\n".join(line.replace("\r", "") for line in lines)
    found = read(text)
    assert all(text[p.start : p.start + len(p.text)] == p.text for p in found)
    assert [p.start for p in found] == sorted(p.start for p in found)
