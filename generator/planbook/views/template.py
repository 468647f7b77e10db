"""HTML templates, the bar of states, and the labels and figures that several views share.

States, titles, sizes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from importlib.resources import files
from itertools import accumulate, pairwise

import jinja2
from markupsafe import Markup

from planbook.citations.identifiers import free_name
from planbook.library import (
    WORDS_A_MINUTE,
    CountedPage,
    EntryOf,
    LibraryOf,
    ListedLibrary,
    NamedPage,
)
from planbook.markdown.escape import link_path, verbatim
from planbook.markdown.plain_text import count, number
from planbook.markdown.safe_markdown import bullets, code, inline, inline_html
from planbook.model import LineBudget, PageUri, State
from planbook.views.bibliography.quoted import quote_html

MEANINGS = {
    State.DONE: "the plan marks its page as finished",
    State.PARTIAL: "attempted but not finished, or its page answers too few points",
    State.OPEN: "its page has not been written",
    State.UNMARKED: "the plan has no mark for it",
    State.SKIPPED: "intentionally left out",
    State.DISABLED: "kept in the plan for reference only",
}
"""The meaning of each state, for legends and titles, in the order in which states are shown."""

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
ENGINES = {
    "github": "GitHub",
    "arxiv": "arXiv",
    "scholar": "Google Scholar",
    "wikipedia": "Wikipedia",
}
"""The names of search engines for readers."""

UrlFrom = Callable[[str], Callable[[str], str]]
"""A function that returns, for a page, the function that returns each page's address as seen from
it."""


def page_title(library: LibraryOf[NamedPage], uri: str) -> str:
    """Return the title of a page, written or planned."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(PageUri(uri))
    if page:
        return page.title
    return entry.title if entry else uri


def page_description(library: ListedLibrary, uri: str) -> str:
    """Return a one-line description of a page: its own, else its plan's."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(PageUri(uri))
    if page and page.description:
        return page.description
    return entry.description if entry else ""


def reading_time(words: int) -> str:
    """Return ``12 min`` for a page of this many words."""
    return f"{max(1, round(words / WORDS_A_MINUTE))} min"


def reader_day(text: str) -> str:
    """Return the day that a text begins with as ``26 Nov 2026``, which does not break.

    Another text as it is.
    """
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        return text
    return f"{day.day}\u00a0{_MONTHS[day.month - 1]}\u00a0{day.year}"


_ISO_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def reader_days(text: str) -> str:
    """Return a text with each of its days as `reader_day` writes it."""
    return _ISO_DAY.sub(lambda match: reader_day(match[0]), text)


def month_of(text: str) -> str:
    """Return the month of the day that a text begins with as ``Nov 2026``, which does not break."""
    return reader_day(text).partition("\u00a0")[2] or text


def difference_on_disk(entry: EntryOf[NamedPage]) -> str:
    """Return the difference between a PART's claim and the disk; empty if they agree."""
    if not entry.differs:
        return ""
    return "page missing" if entry.state is State.DONE else "page exists"


def length_of(entry: EntryOf[CountedPage]) -> str:
    """Return the length of a page compared with its budget, or its budget."""
    budget = entry.part.lines_budget
    if entry.page:
        return against_budget(entry.page.lines, budget)
    return f"~{budget} lines" if budget else "no budget"


def against_budget(lines: int, budget: LineBudget | None) -> str:
    """Return ``483 of 400 lines (+21 %)``.

    That is the lines, and their deviation from the nearest limit of the budget.
    """
    if budget is None:
        return f"{number(lines)} lines, no budget"
    nearest = min(max(lines, budget.low), budget.high)
    off = round(100 * (lines - nearest) / nearest) if nearest else 0
    return f"{number(lines)} of {budget} lines" + (f" ({off:+d} %)" if off else "")


def one_line(text: str) -> str:
    """Return `text` with its white space as single spaces."""
    return " ".join(text.split())


def relative(target: str, page: str) -> str:
    """Return the relative link from `page` to `target`, both uris."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def link(target: PageUri | str, page: str = "") -> str:
    """Return the address of `target` for a Markdown link on `page`, or at the base's root.

    Both are uris.
    """
    return link_path(relative(target, page))


def distinct(names: Iterable[str], taken_names: Iterable[str] = ()) -> list[str]:
    """Return `names` with a number appended to each that is in `taken_names` or occurs before."""
    known = dict.fromkeys(taken_names, 2)
    return [free_name(name, known) for name in names]


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FunctionLoader(
        lambda name: (files("planbook.views") / "templates" / name).read_text("utf-8")
    ),
    autoescape=jinja2.select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,  # a misspelled name is an error, no empty text
)
_ENVIRONMENT.globals |= {
    "meanings": MEANINGS,
    "count": count,
    "number": number,
    "one_line": one_line,
    "reading_time": reading_time,
    "reader_day": reader_day,
    "length_of": length_of,
    "inline_html": inline_html,
    "link": link,
    "verbatim": verbatim,
    "bullets": bullets,
    "code": code,
    "inline": inline,
}
_ENVIRONMENT.filters["inline"] = inline
_ENVIRONMENT.filters["quoted"] = quote_html
_ENVIRONMENT.filters["reader_days"] = reader_days


def render_template(name: str, /, **values: object) -> str:
    """Return the text of a template; only those of HTML escape their values."""
    return _ENVIRONMENT.get_template(name).render(**values)


def render_block(name: str, /, **values: object) -> str:
    """Return the HTML of a template without blank lines.

    These would end an HTML block of Markdown.
    """
    return "".join(
        f"{line}\n" for line in render_template(name, **values).splitlines() if line.strip()
    )


def render_markdown(name: str, /, **values: object) -> str:
    """Return the Markdown of a template, which ends with a line end."""
    return f"{render_template(name, **values).rstrip(chr(10))}\n"


def state_bar(
    counts: Mapping[State, int],
    name: str,
    missing: int = 0,
    done: str = "done",
    collected: int = 0,
) -> Markup:
    """Return a bar of PARTs by state with its legend, as one line of HTML.

    CSS sets each state's thickness and dash.

    Of the done PARTs, `missing` have no page on disk, and `collected` have one that nobody has
    written; they are shown separately. `done` is the word for the others.
    """
    written_count = counts.get(State.DONE, 0) - missing - collected
    rows = [
        (State.DONE, done, written_count, ""),
        (State.DONE, "collected", collected, " pb-collected"),
        (State.DONE, "done, page missing", missing, " pb-missing"),
    ]
    other_states = [state for state in MEANINGS if state is not State.DONE]
    rows += [(state, state.value, counts.get(state, 0), "") for state in other_states]
    rows = [row for row in rows if row[2]]
    numbers = [number_of for _, _, number_of, _ in rows]
    description = (
        ", ".join(f"{number_of} {meaning}" for _, meaning, number_of, _ in rows) or "no PARTs"
    )
    total = sum(numbers) or 1
    ends = [100 * end / total for end in accumulate(numbers, initial=0)]
    stretches = [(*row, *span) for row, span in zip(rows, pairwise(ends), strict=True)]
    bar = render_template("bar.html", label=f"{name}: {description}", stretches=stretches)
    return Markup(bar)  # noqa: S704 - our templates escape their values
