"""Cache results that Pygments recomputes for every block of code. Used only in processes that render ahead.

For each block, pymdownx makes a formatter, which computes an unused style sheet, and searches all lexers for the one
that is named. Both results depend on a few options only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pygments.formatters.html import HtmlFormatter


def prepare() -> None:
    """Have Pygments remember its style sheets and lexers, for the rest of this process."""
    HtmlFormatter._create_stylesheet = _remembering(HtmlFormatter._create_stylesheet)
    try:
        from pymdownx import highlight  # noqa: PLC0415 - it may not be used by the site
    except ImportError:
        return
    highlight.get_lexer_by_name = _Lexers(highlight.get_lexer_by_name)


def _remembering(create: Callable[[Any], None]) -> Callable[[Any], None]:
    known: dict[tuple[Any, ...], tuple[dict[Any, Any], dict[Any, Any]]] = {}

    def create_stylesheet(self: Any) -> None:
        """Do as Pygments' method does, once for each style and prefix."""
        key = (self.style, self.classprefix, type(self))
        if key not in known:
            create(self)
            known[key] = (self.ttype2class, self.class2style)
        first, second = known[key]
        self.ttype2class, self.class2style = dict(first), dict(second)

    return create_stylesheet


class _Lexers:
    """Finds lexers by name."""

    def __init__(self, find: Callable[..., Any]) -> None:
        self._find = find
        self._known: dict[str, type] = {}

    def __call__(self, name: str, **options: Any) -> Any:
        """A lexer with options, as Pygments' own function gives it."""
        if name not in self._known:
            self._known[name] = type(self._find(name))
        return self._known[name](**options)
