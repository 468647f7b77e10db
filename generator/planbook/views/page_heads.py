"""The front matter of generated pages."""

from __future__ import annotations

import json

RANKED_LOW = "search:\n  boost: 0.3"
"""Searches rank the page below those that it lists."""
NOT_SEARCHED = "search:\n  exclude: true"


def generated_head(*lines: str) -> str:
    """Return front matter of these lines of YAML, with the empty line below it."""
    return "\n".join(("---", *lines, "---", "", ""))


def text_line(key: str, text: str) -> str:
    """Return a line of YAML for a text that may have any character."""
    return f"{key}: {json.dumps(text, ensure_ascii=False)}"  # a string of JSON is one of YAML


def list_head(title: str, description: str, search: str = RANKED_LOW) -> str:
    """Return the front matter of a page that lists others."""
    return generated_head(text_line("title", title), text_line("description", description), search)
