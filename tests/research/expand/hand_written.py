"""A page that a person has written."""

from __future__ import annotations

WORDS = "Soft water keeps the leaves bright for an hour."


PAGE = """---
title: Which water
description: Which water keeps the leaves.
plan: tea
part: 1
tags: [tea]
created: 2026-11-20
reviewed: null
references:
  - id: spring
    type: webpage
    title: The spring
    URL: {url}
    accessed: {{date-parts: [[2026, 11, 20]]}}
    custom:
      quotes: {{q1: "{words}"}}
---

# Which water

Which water is best, in one page.

## Water for tea

Of the waters that were tried, the soft one did best. One source says so in plain words, and tells for how long.

> {words} [@spring, q1]
{more}
"""


MORE = "".join(
    f"\nThe {n}th cup was no other than the one before it, and nobody could tell them apart.\n" for n in range(2, 25)
)
