"""The keys of front matter that a page's plan knows."""

from __future__ import annotations

from datetime import date

import pytest

from planbook.research.writers.page_keys import add_missing_keys
from tests.research.documents import brief

DAY = date(2026, 11, 20)
BODY = "# Small images\n\nKiln shares the layers [@kiln-manual, q1]. They are small.\n"
PLAN = "plan: small-images\npart: 1\ncreated: 2026-11-20\nreviewed: null\n"


@pytest.mark.parametrize(
    ("written", "completed"),
    [
        (BODY, f"---\ntitle: Small images\ndescription: Kiln shares the layers.\n{PLAN}references: []\n---\n\n{BODY}"),
        (
            f"---\ntitle: Kiln\ndescription: Its images.\ntags: [a]\n---\n\n{BODY}",
            f"---\ntitle: Kiln\ndescription: Its images.\ntags: [a]\n{PLAN}references: []\n---\n\n{BODY}",
        ),
        (
            f"---\ntitle: Kiln\ndescription: Its images.\nreferences:\n  - id: kiln-manual\n---\n{BODY}",
            f"---\ntitle: Kiln\ndescription: Its images.\n{PLAN}references:\n  - id: kiln-manual\n---\n{BODY}",
        ),
    ],
)
def test_only_what_is_missing_is_added(written: str, completed: str) -> None:
    """Above the references, or at the end; a second call changes nothing, and line ends stay."""
    assert add_missing_keys(written, brief(), DAY) == completed
    assert add_missing_keys(completed, brief(), DAY) == completed
    assert add_missing_keys(written.replace("\n", "\r\n"), brief(), DAY) == completed.replace("\n", "\r\n")


@pytest.mark.parametrize("text", [f"---\ntitle: [\n---\n{BODY}", f"Title: Kiln\n\n{BODY}"])
def test_what_is_no_yaml_stays(text: str) -> None:
    """The rules report it."""
    assert add_missing_keys(text, brief(), DAY) == text
