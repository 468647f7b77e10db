"""The small complete site with pages that cite, and with links of every kind."""

from __future__ import annotations

from pathlib import Path

from tests.files import put
from tests.plugin.conftest import copied_site

PAGES = {
    "bread/12-oats.md": """\
---
title: Oats & <b>groats</b>
description: 'What "oats" are'
tags: [grain]
references:
  - id: miller
    type: article-journal
    title: "Milling *oats*: a [study]"
    author: [{family: Miller, given: Ada}]
    issued: 2024-08
    URL: "https://oats.example/milling?a=1&b=(2)"
    accessed: {date-parts: [[2026, 11, 18]]}
    custom: {quotes: {q1: "oats keep their hull"}}
  - {id: wheat, type: document, title: Wheat of ours, URL: 10-light-wheat.md}
  - {id: notebook, type: document, title: A notebook, publisher: The Mill}
---

# Oats

They have a hull [@miller, q1], and the hull matters [@miller, sec. "On {hulls}"; @notebook].

Of wheat we know more [@wheat]. Code stays: `[@miller]`.

Good with them:
- [rye](bread/10-dark-rye.md), by a path from the root
- [the folder](index.md#bread), [the base](../index.md), [tools](../tools/index.md)
- [spelt][spelt], ![a picture](../assets/oats.svg)

[spelt]: 11-spelt.md
""",
    "bread/19-sourdough.md": """\
# Sourdough

From [A leaven, step by step](https://leaven.example/steps) (accessed 2026-11-20):

- feed it
  - by day

## References

- [Yeasts of the air](https://yeast.example/air) (accessed 2026-11-19)
- Baker, B.: "Notes of a baker"
""",
    "bread/20-broken.md": "---\ntitle: Broken: twice\n---\n\n# Broken\n\nIts front matter is none.\n",
    "old/README.md": "# Old things\n\nSee [pots](1-pots.md).\n",
    "old/1-pots.md": "# Pots\r\n\r\nBack to [old things](README.md).\r\n",
    "drafts/1-secret.md": "# Secret\n\nNot to be shown.\n",
}
"""By path below ``docs``."""
CITING = ("bread/12-oats.md", "bread/19-sourdough.md")
"""Those of them that cite."""


def cited_site(root: Path) -> Path:
    """The project at `root`; its folder ``drafts`` is excluded."""
    copied_site(root)
    put(root / "docs", {**PAGES, "assets/oats.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n'})
    config = root / "mkdocs.yml"
    config.write_text(config.read_text("utf-8") + "exclude_docs: |\n  /drafts/\n", "utf-8")
    return root
