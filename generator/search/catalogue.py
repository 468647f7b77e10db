"""Every provider there is: what it asks of whom, with which key, at what cost."""

from __future__ import annotations

from dataclasses import dataclass

from generator.search import arxiv, brave, brightdata, ddgs, exa, github, local, searxng, tavily, wikipedia


@dataclass(frozen=True, slots=True)
class Entry:
    """A provider, for the user to choose."""

    name: str
    url: str
    """Where its API answers, as long as the user names no other place; empty where the user must."""
    cost: str
    """Of one search, in words."""
    keys: tuple[str, ...] = ()
    """The environment variables that it cannot do without."""
    optional_key: str = ""
    """One that gives it more."""
    is_default: bool = True
    """Whether it is asked without being named."""


CATALOGUE = (
    Entry(local.NAME, "", "free, nobody is asked"),
    Entry(searxng.NAME, "", "free, as far as the instance allows"),
    Entry(brave.NAME, "https://api.search.brave.com", "one request of your plan", (brave.KEY,)),
    Entry(tavily.NAME, "https://api.tavily.com", "one credit of your plan", (tavily.KEY,)),
    Entry(exa.NAME, "https://api.exa.ai", "one search of your plan", (exa.KEY,)),
    Entry(brightdata.NAME, "https://api.brightdata.com", "one request of your plan", (brightdata.KEY, brightdata.ZONE)),
    Entry(wikipedia.NAME, "https://en.wikipedia.org", "free"),
    Entry(github.NAME, "https://api.github.com", "free, 10 a minute; 30 with a token", optional_key=github.KEY),
    Entry(github.CODE_NAME, "https://api.github.com", "free, 10 a minute", (github.KEY,)),
    Entry(arxiv.NAME, "https://export.arxiv.org", "free, one in 3 seconds"),
    Entry(ddgs.NAME, "", "free, best effort", is_default=False),
)
"""In the order in which they are asked unless the user says otherwise: what is near, and what the user set up first."""

BY_NAME = {entry.name: entry for entry in CATALOGUE}
