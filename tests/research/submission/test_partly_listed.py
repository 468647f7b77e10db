"""Tables and lists in the works of a page that it has in part."""

from __future__ import annotations

import pytest

from planbook.research.drafts import Draft
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.submission.partly_listed import find_partly_listed
from tests.research.documents import brief
from tests.research.expand.kiln_works import work
from tests.research.proof.kiln import page

TABLE = """\
# Kiln

## States

Each kiln is in one of these states, which its lamp shows.

| State | Lamp |
| --- | --- |
| `heating` | red |
| `holding` | yellow |
| `cooling` | blue |
| `failed` | none |
"""
LIST = TABLE.partition("| State")[0] + (
    "- `heating`: the lamp is red.\n- **holding**: it is yellow.\n- `cooling` is blue for an hour.\n"
    "- `failed`: the lamp is off.\n"
)
SENTENCE = "# Kiln\n\n## States\n\nThe lamp of a kiln shows `heating`, `holding`, `cooling` or `failed` by its color.\n"
COMMENT = (
    "# Kiln\n\n## States\n\n```yaml\n# Valid values are heating, holding,\n# cooling and failed.\nstate: heating\n```\n"
)
QUOTE = {"q1": "which its lamp shows"}


def missing(body: str, text: str) -> list[tuple[str, ...]]:
    """The names that a page lacks, of each list."""
    manual = work(text=text)
    parsed = ParsedDraft(Draft(page(body, QUOTE), "hand"), brief(), (manual,), (), ())
    return [one.missing for one in find_partly_listed(parsed, (manual, work("other", text)))]


@pytest.mark.parametrize("text", [TABLE, LIST, SENTENCE, COMMENT], ids=["table", "list", "sentence", "comment"])
def test_the_names_that_a_page_lacks_are_listed(text: str) -> None:
    """Once, of works that it cites."""
    body = "It is `heating`, then `holding`, and `failed` if it breaks [@manual, q1]."
    assert missing(body, text) == [("cooling",)]


@pytest.mark.parametrize(
    "body",
    [
        "A kiln may be `failed` [@manual, q1].",
        "It is heating, holding, cooling or failed [@manual, q1].",
        "It glows [@manual, q1].",
        "It is `heating` or `holding`.",
    ],
    ids=["one name", "all names", "no name", "no citation"],
)
def test_a_page_without_such_a_list_is_left_alone(body: str) -> None:
    """A page that names one state has no list of them, and one that names all lacks none."""
    assert missing(body, TABLE) == []
