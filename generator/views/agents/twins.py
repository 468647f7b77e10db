"""Each page's Markdown twin: its unchanged text, with the site's metadata in its front matter.

A twin has the path in the site that its file has in the documentation folder, so that links between files hold:
``cuda/10-x.md`` beside ``cuda/10-x/index.html``, whose address is ``cuda/10-x/``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.citations.references import references_block, with_references
from generator.markdown.front_matter import body_start, front_matter_span, split_front_matter
from generator.model import Page
from generator.page.render import render_page
from generator.views.bibliography import csl_item


def twin(text: str, page: Page | None, planned: dict[str, object]) -> str:
    """Return a page's `text` with title, description, plan, PART (as in `planned`) and works cited in its front matter.

    Existing values and the body are left unchanged, byte for byte. Unreadable front matter is treated as text.
    """
    meta: dict[str, object] = {}
    if page:
        meta = {"title": page.title, "description": page.description}
    meta |= planned
    works = [csl_item(work) for work in page.references] if page else []
    try:
        return with_front_matter(text, {key: value for key, value in meta.items() if value not in ("", None)}, works)
    except ValueError:
        return text


def with_front_matter(text: str, added: Mapping[str, object], works: Sequence[Mapping[str, Any]] = ()) -> str:
    """`text` with what its front matter lacks of `added` and of the `works` cited, which are CSL items.

    Raises ValueError where the front matter is no YAML.
    """
    meta, _ = split_front_matter(text)
    missing = {key: value for key, value in added.items() if key not in meta}
    span = front_matter_span(text)
    if meta and not span:  # MultiMarkdown's, which only MkDocs knows
        missing, text = {**meta, **missing}, text[body_start(text) :]
    lines = render_page(missing, "").removeprefix("---\n").rpartition("\n---\n")[0] + "\n" if missing else ""
    if span:
        newline = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
        return with_references(text[: span[1]] + lines.replace("\n", newline) + text[span[1] :], works)
    lines += references_block(works)  # alone, so that there is nothing that it might not fit
    return f"---\n{lines}---\n\n{text.removeprefix(chr(0xFEFF))}" if lines else text
