"""Works as other programs read them: each form is read back by a program that is not ours."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Entry
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.references import day_in
from planbook.model import Reference
from planbook.views.bibliography.bibtex import bibtex
from planbook.views.bibliography.csl import csl_item, csl_items, csl_json

WEB = Reference("rye", "Rye & <oats> 100%", "https://rye.example/a_b?c=%20#d", "2026-11-20", (3, 9), publisher="Mill")
PAPER = Reference("arxiv-rye", "On rye", "https://arxiv.org/abs/2307.08691", None, (4,))
ARTICLE = Reference("doi-rye", "Rye_2", "https://doi.org/10.1000/rye", "2026-11-20")
LOCAL = Reference("notes", "Our own {notes} \\ 50 % #1", None)
ALL = tuple(csl_item(reference) for reference in (WEB, PAPER, ARTICLE, LOCAL))

BOOK = {
    "id": "miller",
    "type": "chapter",
    "title": "Of mills",
    "author": [
        {"family": "Miller", "given": "Ada"},
        {"family": "Berg", "given": "Bo", "non-dropping-particle": "van den"},
        {"literal": "The Guild of Millers and Bakers"},
    ],
    "editor": [{"family": "Baker", "given": "C."}],
    "container-title": "All of bread",
    "publisher": "Mill & Sons",
    "issued": {"date-parts": [[2024, 8]]},
    "page": "3-9",
    "ISBN": "978-0-00-000000-2",
    "URL": "https://mill.example/{book}",
    "accessed": {"date-parts": [[2026, 11, 20]]},
}


def entries(text: str) -> dict[str, Entry]:
    """The entries of a ``.bib`` file by key, as bibtexparser reads it; it must understand all of it."""
    library = parse_string(text)
    assert library.failed_blocks == []
    assert len(library.blocks) == len(library.entries)
    return library.entries_dict


# --- CSL ------------------------------------------------------------------------------------------------------------


def test_what_the_author_wrote_is_kept_as_json_can_hold_it() -> None:
    """Dates in parts, nothing lost, ids as text; works of the prose follow."""
    item = {"id": "rye", "title": "Mine", "issued": date(2024, 8, 5), "note": "kept", "custom": {"quotes": {"q1": "x"}}}
    first, second = csl_items([item, "odd", {"title": "no id"}], (WEB, PAPER))
    assert first == {
        "id": "rye",
        "type": "webpage",
        "title": "Mine",
        "issued": {"date-parts": [[2024, 8, 5]]},
        "accessed": {"date-parts": [[2026, 11, 20]]},
        "note": "kept",
        "custom": {"quotes": {"q1": "x"}},
    }
    assert second == csl_item(PAPER)
    assert json.loads(csl_json([first, second])) == [first, second]
    assert csl_json([]) == "[]\n"


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ({"date-parts": [[2024, 8, 5]]}, "2024-08-05"),
        ({"date-parts": [["2024", "8"]]}, "2024-08"),
        ({"date-parts": [[2024], [2025]]}, "2024"),
        ({"raw": "2024-08-05"}, "2024-08-05"),
        (date(2024, 8, 5), "2024-08-05"),
        (2024, "2024"),
        ("2024-08-05 10:00", "2024-08-05"),
        ({"literal": "in spring"}, ""),
        ({"date-parts": [[]]}, ""),
        ({"date-parts": 7}, ""),
        ("20245", ""),
        (None, ""),
    ],
)
def test_dates(value: object, day: str) -> None:
    """As far as they are known, and nothing where they are no dates."""
    assert day_in(value) == day


# --- BibTeX ---------------------------------------------------------------------------------------------------------


def test_bibtex_has_all_that_is_known() -> None:
    """Type, people, dates, where it stands; addresses as they are."""
    found = entries(bibtex([BOOK, *ALL]))
    assert list(found) == ["miller", "rye", "arxiv-rye", "doi-rye", "notes"]
    assert found["miller"].entry_type == "incollection"
    fields = {field.key: field.value for field in found["miller"].fields}
    assert fields == {
        "title": "{Of mills}",
        "author": "Miller, Ada and van den Berg, Bo and {The Guild of Millers and Bakers}",
        "editor": "Baker, C.",
        "date": "2024-08",
        "booktitle": "All of bread",
        "publisher": "Mill \\& Sons",
        "pages": "3-9",
        "isbn": "978-0-00-000000-2",
        "url": "https://mill.example/%7Bbook%7D",
        "urldate": "2026-11-20",
    }
    assert found["rye"].fields_dict["url"].value == "https://rye.example/a_b?c=%20#d"
    assert found["arxiv-rye"].fields_dict["eprint"].value == "2307.08691"
    assert found["doi-rye"].fields_dict["doi"].value == "10.1000/rye"
    assert [found[key].entry_type for key in ("rye", "doi-rye", "notes")] == ["online", "article", "misc"]


def test_keys_are_such_as_bibtex_takes_and_unlike_each_other() -> None:
    """Signs that would end a key are put otherwise."""
    ids = ["a b", "a,b", "a{b}", "ü", "a:b.c/d+e_f", ""]
    found = entries(bibtex([{"id": name, "title": "T"} for name in ids]))
    assert list(found) == ["a-b", "a-b-2", "a-b-", "ü", "a:b.c/d+e_f", "work"]


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=4))
def test_no_title_name_or_address_breaks_the_file(works: list[tuple[str, str, str]]) -> None:
    """Each work is one entry that a parser reads whole, whatever its words are; braces are balanced in each line."""
    items: list[dict[str, Any]] = [
        {"id": str(n), "title": title, "author": [{"literal": name}], "URL": url}
        for n, (title, name, url) in enumerate(works)
    ]
    text = bibtex(items)
    assert len(entries(text)) == len(items)
    assert all(line.count("{") == line.count("}") for line in text.splitlines() if line.startswith("  "))
