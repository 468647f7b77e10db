"""The words of a query, in the forms that search APIs take. Pure."""

from __future__ import annotations

import re

from generator.model import Query

SITES = {"github": "github.com", "arxiv": "arxiv.org", "wikipedia": "wikipedia.org"}
"""The sites of engines: a search engine of the whole web restricts a query to them."""

_SITE = re.compile(r"-?\bsite:\S*", re.IGNORECASE)
_OPERATOR = re.compile(
    r"(?<!\S)(?:(?:AND|OR|NOT)(?!\S)|-(?=\w)|(?:filetype|ext|in|intitle|inurl|intext|lang|language|before|after):(?=\S))"
)
"""Boolean words, exclusions and fields, which mean different things to every API."""
_TERM = re.compile(r"\"([^\"]+)\"|“([^”]+)”|([^\W_][\w.+#'-]*)")
_TRAILING = ".-'"
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be best by can do does for from guide how i in into is it its latest of on or overview "
        "practices s should than that the their this to tutorial up used using via vs was we what when where which "
        "why with work works you your",
    )
)


def on_its_site(query: Query) -> str:
    """The query for a search engine of the whole web: with ``site:`` where it names an engine and no site itself."""
    site = SITES.get(query.engine)
    return query.text if site is None or _SITE.search(query.text) else f"{query.text} site:{site}"


def sites_of(query: Query) -> list[str]:
    """The sites to look at alone, for APIs that take them apart from the words; none for the whole web."""
    named = [match[0].partition(":")[2].strip('"') for match in _SITE.finditer(query.text) if match[0][0] != "-"]
    site = SITES.get(query.engine)
    return [name for name in named if name] or ([site] if site else [])


def without_site(text: str) -> str:
    """`text` without ``site:``: for the API of one site."""
    return " ".join(_SITE.sub(" ", text).split())


def bare_words(text: str) -> str:
    """`text` without the operators of search engines: for APIs that have none, or others."""
    text = _OPERATOR.sub(" ", _SITE.sub(" ", text))
    return " ".join(re.sub(r"[\"“”()\[\]{}|*]", " ", text).split())


def terms(text: str) -> tuple[str, ...]:
    """The words and quoted phrases of `text` that tell it from others, in order, each once, in lower case.

    Where it is made of common words only, all of them.
    """
    plain = _OPERATOR.sub(" ", _SITE.sub(" ", text))
    found = [next(group for group in match.groups() if group) for match in _TERM.finditer(plain)]
    words = [term for term in (" ".join(word.lower().split()).rstrip(_TRAILING) for word in found) if term]
    return tuple(dict.fromkeys([word for word in words if word not in _STOPWORDS] or words))


def clipped(text: str, most: int, most_words: int | None = None) -> str:
    """The first words of `text`, as many as fit: at most `most` characters."""
    kept = ""
    for word in text.split()[:most_words]:
        longer = f"{kept} {word}".lstrip()
        if len(longer) > most:
            break
        kept = longer
    return kept or text[:most].strip()
