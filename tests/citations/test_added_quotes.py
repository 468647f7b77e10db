"""Quotes are added to the references of a page where they stand; the rest of the page stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.added_quotes import add_quotes
from planbook.markdown.front_matter import FrontMatterError, split_front_matter

MORE = {"kiln": {"q2": 'It says: "no" # never', "q3": "two\nlines"}}
BODY = "\n---\n\n# Kilns\n\nWarm [@kiln, q1].\n"


def page(references: str) -> str:
    """A page with these lines as its references."""
    return f"---\ntitle: Kilns # mine\n{references}{BODY}"


def quotes_of(text: str, name: str = "kiln") -> Any:
    """The quotes of a reference."""
    listed: Any = split_front_matter(text)[0]["references"]
    return next(item["custom"]["quotes"] for item in listed if item["id"] == name)


@pytest.mark.parametrize(
    ("written", "before"),
    [
        ("references:\n  - id: kiln\n    custom:\n      quotes:\n        q1: warm # best\n", {"q1": "warm"}),
        ("references:\n- id: kiln\n  custom:\n    quotes: {q1: warm}\n    file: a.md # mine", {"q1": "warm"}),
        ("references:\n  - {id: kiln, custom: {quotes: {q1: warm}}}", {"q1": "warm"}),
        ("references:\n  - id: kiln\n    custom:\n      quotes:\n        q1: |-\n          warm", {"q1": "warm"}),
        ("references:\n  - id: kiln # no quotes\n    title: Kiln", {}),
        ("references:\n  - id: kiln\n    custom: {file: a.md}", {}),
        ("references:\n  - id: kiln\n    custom:\n      file: a.md\n", {}),
        ("references:\n  - id: kiln\n    custom:\n      quotes:\n      file: a.md", {}),
        ("references:\n  - id: kiln\n    custom:", {}),
        ("references:\n  - id: oven\n    title: &t Ovens\n    note: *t\ntags: [a] # tags", {}),
        ("references: []", {}),
        ("tags: [a]", {}),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_quotes_are_added_in_any_form(written: str, before: dict[str, str], newline: str) -> None:
    """All that was there is there, with its comments; the body is the same, to the byte."""
    text = page(written).replace("\n", newline)
    after = add_quotes(text, MORE)
    assert quotes_of(after) == {**before, **MORE["kiln"]}
    assert after.endswith(BODY.replace("\n", newline))
    assert after.count("\n") - after.count("\r\n") == (0 if newline == "\r\n" else after.count("\n"))
    for comment in ("# mine", "# best", "# no quotes", "&t Ovens", "# tags"):
        assert (comment in after) == (comment in text)
    meta = split_front_matter(text)[0]
    assert {key: value for key, value in split_front_matter(after)[0].items() if key != "references"} == {
        key: value for key, value in meta.items() if key != "references"
    }


@pytest.mark.parametrize(
    "written",
    [
        "shared: &q {q1: warm}\nreferences:\n  - id: kiln\n    custom:\n      quotes: *q",
        "references:\n  - id: kiln\n    custom:\n      quotes: [warm]",
        "references:\n  - id: kiln\n    custom: words",
        "references: {kiln: warm}",
    ],
    ids=["anchor", "list", "text", "mapping"],
)
def test_what_cannot_take_a_quote_is_refused(written: str) -> None:
    """Nothing is guessed: the message says which form can."""
    with pytest.raises(FrontMatterError, match="references"):
        add_quotes(page(written), MORE)


@given(st.dictionaries(st.sampled_from(["q2", "q7"]), st.text(min_size=1).filter(str.strip), min_size=1))
def test_any_words_are_read_as_they_were_written(quotes: dict[str, str]) -> None:
    """Quotation marks, line ends, signs of YAML and characters that YAML does not print."""
    whole = {key: text.encode("utf-8", "replace").decode() for key, text in quotes.items()}
    for written in ("references:\n  - id: kiln\n    custom:\n      quotes:\n        q1: warm", "tags: [a]"):
        assert whole.items() <= quotes_of(add_quotes(page(written), {"kiln": whole})).items()
