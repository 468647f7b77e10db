"""CSL items as pages have them: read as far as they can be, and never an error."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from citeproc.source.json import CiteProcJSON
from hypothesis import given
from hypothesis import strategies as st

from generator.views.csl.items import readable_item, text_of


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({}, {}),
        ({"title": " On\n rye ", "custom": {"a": 1}, "note": None, "abstract": ["x"]}, {"title": "On rye"}),
        ({"volume": 3, "page": 2.5, "edition": True}, {"volume": "3", "page": "2.5"}),
        ({"type": "book", "id": "x"}, {"type": "book"}),
        (
            {"author": [{"family": "Miller", "given": "Anna", "x": "y"}]},
            {"author": [{"family": "Miller", "given": "Anna"}]},
        ),
        ({"author": "The Oat Board"}, {"author": [{"literal": "The Oat Board"}]}),
        ({"author": {"literal": "The Oat Board"}}, {"author": [{"literal": "The Oat Board"}]}),
        ({"author": ["A", {"given": "Plato"}, {}, None, 3]}, {"author": [{"literal": n} for n in ("A", "Plato", "3")]}),
        ({"author": [{"literal": "L", "family": "F"}]}, {"author": [{"literal": "L"}]}),
        ({"editor": [{"family": "Berg", "non-dropping-particle": "van den"}]}, None),
        ({"issued": {"date-parts": [[2020, 5, 1]]}}, None),
        ({"issued": {"date-parts": [["2020", "05"]]}}, {"issued": {"date-parts": [[2020, 5]]}}),
        ({"issued": {"date-parts": [[2020, 13, 1]]}}, {"issued": {"date-parts": [[2020]]}}),
        ({"issued": {"date-parts": [[2019], [2020], [2021]]}}, {"issued": {"date-parts": [[2019], [2020]]}}),
        ({"issued": {"date-parts": [[]], "literal": "spring"}}, {"issued": {"literal": "spring"}}),
        ({"issued": {"raw": "2020-05"}}, {"issued": {"date-parts": [[2020, 5]]}}),
        ({"issued": date(2020, 5, 1)}, {"issued": {"date-parts": [[2020, 5, 1]]}}),
        ({"issued": "2020-05-01T10:00:00Z"}, {"issued": {"date-parts": [[2020, 5, 1]]}}),
        ({"issued": 2020}, {"issued": {"date-parts": [[2020]]}}),
        ({"issued": "a while ago"}, {"issued": {"literal": "a while ago"}}),
        (
            {"issued": {"date-parts": [[2020]], "circa": True, "season": 2}},
            {"issued": {"date-parts": [[2020]], "circa": 1, "season": 2}},
        ),
        ({"issued": {}}, {}),
        ({"issued": {"date-parts": "2020"}}, {}),
        ({"citation-number": 9, "year-suffix": "x", "locator": "y", "page-first": "z"}, {}),
        ({"title": "a\ufdd0b\ufde0"}, {"title": "ab"}),
    ],
)
def test_an_item_is_read(written: dict[str, Any], read: dict[str, Any] | None) -> None:
    """Texts in one line, names in parts or whole, dates in parts where a calendar has them; what is ours is left."""
    expected = written if read is None else read
    assert readable_item(written, "k1") == {"type": "document", **expected, "id": "k1"}


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9999, 99999)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates(),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["family", "given", "literal", "suffix", "date-parts", "season", "circa", "raw", "x"]),
            below,
            max_size=3,
        )
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["id", "type", "title", "author", "editor", "issued", "accessed", "page", "URL", "DOI", "custom", "note"]
)


@given(st.dictionaries(KEYS, VALUES))
def test_citeproc_takes_whatever_is_left(item: dict[str, Any]) -> None:
    """No item makes it fail or warn, for a warning fails this test."""
    CiteProcJSON([readable_item(item, "k1")])


def test_text_is_of_scalars_only() -> None:
    """Lists, mappings and truth values have none."""
    assert [text_of(value) for value in ("a", 1, 2.5, True, None, [1], {"a": 1})] == ["a", "1", "2.5", "", "", "", ""]
