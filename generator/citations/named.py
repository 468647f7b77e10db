"""Where the text points to a work again by its name alone: ``From the milling study:``, or its title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.citations.accessed import access_date
from generator.citations.mention import Mention
from generator.citations.works import work_key
from generator.markdown.mask_code import Lines
from generator.markdown.plain_text import line_text

_FROM = re.compile(
    r"^(?:[\s>*_+-]|\d{1,3}\.){0,12}"
    r"(?:From|(?P<told>According\sto)|Based\son|As\s(?:described|explained|stated|noted)\sin)[\s*_]{1,4}"
    r"(?P<name>[^\n:()\[\],]{3,120}?)[\s*_]{0,4}(?:\([^\n:]{0,160}\))?[\s*_]{0,4}(?::[\s*_]{0,4}$|(?(told)[,:]|(?!)))"
)
_EDITION = re.compile(r",?\s\(?(?:\d{1,2}|[A-Z][a-z]{1,7})(?:st|nd|rd|th)\s(?:[Ee]d\.|[Ee]dition).*$")
_LEADS = ("From", "According to", "Based on", "As described in", "As explained in", "As stated in", "As noted in")
_SMALL_WORDS = frozenset({"a", "an", "and", "at", "from", "in", "of", "on", "our", "my", "s", "the", "this", "with"})
_NO_NAMES = frozenset({"source", "scratch", "there", "here", "above", "below", "that", "it", "then", "now", "host"})
_KINDS = frozenset(
    {"article", "blog", "docs", "documentation", "experience", "experiences", "findings", "guide", "investigation"}
    | {"knowledge", "notes", "official", "paper", "post", "repo", "repository", "results", "study", "work"}
)
"""What a thing is, or how it is known: ``the setup experience``, ``the Rye docs``."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A work that the page cites, and the words it is known by."""

    mention: Mention
    words: frozenset[str]
    group: frozenset[str]
    """Those of its group, where it is listed without an address."""

    @property
    def key(self) -> str:
        """The same for all mentions of a work."""
        return work_key(self.mention.url) if self.mention.url else self.mention.title


def by_name(text: Lines, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions of cited works by ``From <some words of their title>:``, and of those without an address by title.

    A work of the web has to be named by two of its title's words at least. A name with an access date is a work of its
    own on a page that lists none.
    """
    listed = [mention for mention in mentions if mention.is_listed and not _is_of_web(mention)]
    web = [mention for mention in mentions if mention.is_cited and _is_of_web(mention)]
    pointing = [(n, match) for n in text.holding(_LEADS) if (match := _FROM.match(text.all[n]))]
    if pointing:
        near = [_Known(mention, _words(mention.title), _words(mention.group)) for mention in listed]
        far = [_Known(mention, _words(mention.title), frozenset()) for mention in web]
        has_list = any(mention.is_listed for mention in mentions)
        for n, match in pointing:
            words, date = _words(match["name"]), access_date(text.all[n])
            work = _named(words, near) or _named_far(words, far)
            if work:
                yield Mention(n + 1, work.url, work.title, date)
            elif date and not has_list and len(words) > 1 and match["name"].lstrip('"“')[:1].isupper():
                yield Mention(n + 1, None, line_text(match["name"]).strip(' "“”'), date)
    for work in listed:
        title = _EDITION.sub("", work.title)
        if not work.url and len(title) > 9 and re.search(r"[ /]", title):
            whole = _whole(title)
            for n in text.holding((title.lower(),), any_case=True):
                if not text.all[n].startswith("#") and whole.search(text.all[n]):
                    yield Mention(n + 1, work.url, work.title)


def _whole(title: str) -> re.Pattern[str]:
    """A pattern for a title in running text; two plain words have to stand in italics, quotation marks or brackets."""
    words = re.escape(title)
    is_plain = len(title.split()) < 3 and not re.search(r"[\d_/-]", title)
    return re.compile(rf"[*_\"“(]{words}[*_\"”),.]" if is_plain else rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _is_of_web(mention: Mention) -> bool:
    return bool(mention.url) and str(mention.url).startswith(("http", "//"))


def _named(words: frozenset[str], known: Sequence[_Known]) -> Mention | None:
    """The one work that all `words` speak of: those of its title, or of its title and its group's.

    A word that tells how a thing is known, as in ``local setup experience``, need not stand there beside two others.
    """
    if not words or words <= _NO_NAMES or max(map(len, words)) < 4:
        return None
    telling = words - _KINDS if len(words - _KINDS) > 1 else words
    return (
        _only([work for work in known if words <= work.words])
        or _only([work for work in known if words <= work.words | work.group])
        or _only([work for work in known if telling <= work.words])
    )


def _named_far(words: frozenset[str], known: Sequence[_Known]) -> Mention | None:
    """The one work of the web that two or more `words` speak of."""
    telling = words - _KINDS
    if len(telling) < 2 and not (telling and len(words) > 1):
        return None
    return (
        _only([work for work in known if words == work.words])
        or _only([work for work in known if words <= work.words])
        or (_only([work for work in known if telling <= work.words]) if len(telling) > 1 else None)
    )


def _only(found: Sequence[_Known]) -> Mention | None:
    """The first mention, if all are of one work."""
    return found[0].mention if len({work.key for work in found}) == 1 else None


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.lower())) - _SMALL_WORDS
