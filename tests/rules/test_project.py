"""Which Problems are told: the configuration's word, the command line's, and that of comments."""

from __future__ import annotations

import pytest

from planbook.rules.project import CodeFilter, parse_codes, read_code_filter
from tests.rules.project import PAGE, SOUND, told

NO_DATE = PAGE.replace(" (accessed 2026-11-20)", "")


@pytest.mark.parametrize(
    ("code_filter", "told_codes"),
    [
        (CodeFilter(), {"P021", "K022", "K035"}),
        (CodeFilter(select=("K",)), {"K022", "K035"}),
        (CodeFilter(ignore=("K",)), {"P021"}),
        (CodeFilter(select=("K",), ignore=("K02",)), {"K035"}),
        (CodeFilter(select=("K022",), ignore=("K",)), {"K022"}),
        (CodeFilter(select=("P021",), ignore=("P021",)), set()),
    ],
)
def test_the_longer_beginning_wins(code_filter: CodeFilter, told_codes: set[str]) -> None:
    """`select` and `ignore` hold codes or beginnings of codes."""
    assert {code for code in ("P021", "K022", "K035") if code_filter.has(code)} == told_codes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ignor": []}, "unknown option `ignor`"),
        ({"ignore": 3}, "`ignore` must be a list of codes"),
        ({"select": ["X"]}, "unknown code 'X'"),
        ({"select": ["K999"]}, "unknown code 'K999'"),
    ],
)
def test_a_wrong_configuration_is_told(options: dict[str, object], words: str) -> None:
    """With the key, and where it stands."""
    with pytest.raises(ValueError, match=r"x\.toml") as raised:
        read_code_filter(options, "x.toml")
    assert words in str(raised.value)


def test_codes_of_the_command_line() -> None:
    """Codes of one option have commas or blanks between them."""
    assert parse_codes("K02, P", "--select") == ("K02", "P")


def test_comments_take_back() -> None:
    """A comment speaks for its line and the next, or for the file."""
    page = "docs/tea/01-water.md"
    assert told({**SOUND, page: NO_DATE}) == [f"{page}:11:1 K022"]
    beside = NO_DATE.replace("/tea)", "/tea) <!-- planbook-ignore: K022 -->")
    assert told({**SOUND, page: beside}) == []
    assert told({**SOUND, page: beside.replace("K022 -->", "K023 -->")}) == [f"{page}:11:1 K022"]
    assert told({**SOUND, page: f"{NO_DATE}\n<!-- planbook-ignore-file: K020, K022 -- dates are not known -->\n"}) == []
