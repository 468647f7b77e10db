"""Highlighted code, kept by content.

The interface is that of PyMdown Extensions for other highlighters. SuperFences and InlineHilite ask
the first registered extension with `get_pymdownx_highlighter` for their highlighter.
:class:`QuickHighlight` answers with one that does less work for the same HTML: a block is
highlighted once for all builds, a lexer is looked up once for a language, and one formatter serves
all blocks without options of their own.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import markdown
import pygments
from markdown.extensions import Extension
from pygments.formatters.html import HtmlFormatter
from pymdownx.highlight import Highlight, HighlightExtension

from planbook_speed.digests import digest
from planbook_speed.rendering_inputs import packages

if TYPE_CHECKING:
    from planbook_cache.disk import DiskCache

CODE = "\ue000\n"
"""In place of code in the HTML around it: a character for private use."""
MIN_CHARACTERS = 200
"""The length from which code is kept: shorter code is highlighted as soon as it is read from the
cache."""


class KeptHighlighter(Highlight):  # type: ignore[misc]
    """PyMdown Extensions' highlighter, whose blocks are kept.

    Args:
        cache: has the blocks of earlier builds; ``None`` to keep none.
        md: Python-Markdown.
        options: those of `pymdownx.highlight`.
    """

    def __init__(self, cache: DiskCache | None, md: markdown.Markdown, **options: Any) -> None:
        super().__init__(md, **options)
        self._cache = cache

    def get_lexer(self, src: str, language: str, inline: bool, stripnl: bool) -> tuple[Any, str]:
        """Return a new lexer and its name; its class is looked up once for each language."""
        if self.guess_lang or (language or "").lower() in self.extend_pygments_lang:
            guessed: tuple[Any, str] = super().get_lexer(src, language, inline, stripnl)
            return guessed
        key = language, self.default_lang
        if key not in _LEXERS:
            lexer, name = super().get_lexer(src, language, inline, stripnl)
            _LEXERS[key] = type(lexer), name
        make, name = _LEXERS[key]
        return make(stripnl=stripnl), name

    def highlight(self, src: str, language: str, css_class: str = "highlight", **about: Any) -> Any:
        """Return the HTML of a block, or the element of code within text."""
        if not self._is_plain(**about):
            return super().highlight(src, language, css_class, **about)
        head, tail = self._frame(css_class)
        if not tail:
            return super().highlight(src, language, css_class, **about)
        return f"{head}{self._lines(src, language or self.default_lang)}{tail}"

    def _is_plain(
        self,
        *,
        linestart: int = -1,
        linestep: int = -1,
        linespecial: int = -1,
        inline: bool = False,
        code_block_count: int = 0,
        **about: object,
    ) -> bool:
        """Return True for a block whose lines depend on nothing but its code and its language."""
        is_numbered = self.linenums or linestart > 0 or self.line_spans or self.line_anchors
        is_named = self.auto_title or self.pygments_lang_class or any(about.values())
        return bool(self.use_pygments) and not (
            is_numbered or is_named or inline or self.noclasses or self.guess_lang
        )

    def _frame(self, css_class: str) -> tuple[str, str]:
        """Return the HTML before and after the lines of a block.

        Empty if they are not all between the two.
        """
        key = css_class, self.pygments_style, self.code_attr_on_pre
        if key not in _FRAMES:
            head, _, tail = super().highlight(CODE, "text", css_class).partition(CODE)
            _FRAMES[key] = head, tail
        return _FRAMES[key]

    def _lines(self, src: str, language: str) -> str:
        """Return the HTML of code, from an earlier build if possible."""
        options = self.get_extended_language(language) if language else ()
        settings = _digest_of_settings(repr((options, self.default_lang, self.stripnl)))
        key = digest("highlighted", settings, src)
        cache = self._cache if len(src) >= MIN_CHARACTERS else None
        is_kept = cache is not None and cache.has(key)  # looking for a missing one takes longer
        html = cache.get(key, str) if cache is not None and is_kept else None
        if html is None:
            lexer, _ = self.get_lexer(src, language, False, self.stripnl)
            html = pygments.format(lexer.get_tokens(src), _formatter(self.pygments_style))
            if cache is not None:
                cache.put(key, html)
        return html


@functools.cache
def _digest_of_settings(options: str) -> str:
    """Return the digest of all that the HTML of code depends on besides the code."""
    return digest(packages(), options)


_LEXERS: dict[tuple[str, str], tuple[Callable[..., Any], str]] = {}
_FRAMES: dict[tuple[str, str, bool], tuple[str, str]] = {}


@functools.cache
def _formatter(style: str) -> HtmlFormatter[str]:
    """Return the formatter of lines.

    It computes a style sheet when it is made, which nothing here shows.
    """
    return HtmlFormatter(nowrap=True, style=style)


class QuickHighlight(Extension):
    """Offers :class:`KeptHighlighter` to PyMdown Extensions, in front of their own extension.

    It must be listed last.

    Args:
        cache: has the blocks of earlier builds; ``None`` to keep none.
    """

    def __init__(self, cache: DiskCache | None = None) -> None:
        super().__init__()
        self._cache = cache
        self._theirs: Any = None

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - not our name
        """Register this extension before its original, if both give the same HTML."""
        for index, extension in enumerate(md.registeredExtensions):
            if type(extension) is HighlightExtension and gives_the_same():
                self._theirs = extension
                md.registeredExtensions.insert(index, self)
                return

    def get_pymdownx_highlight_settings(self) -> Any:
        """Return the options of `pymdownx.highlight`."""
        return self._theirs.get_pymdownx_highlight_settings()

    def get_pymdownx_highlighter(self) -> Callable[..., Highlight]:
        """Return the highlighter."""
        return functools.partial(KeptHighlighter, self._cache)

    @property
    def pygments_code_block(self) -> int:
        """The number of blocks so far, which SuperFences counts in the extension."""
        return int(self._theirs.pygments_code_block)

    @pygments_code_block.setter
    def pygments_code_block(self, count: int) -> None:
        self._theirs.pygments_code_block = count


class QuickExtension(QuickHighlight):
    """Speeds up the process whose configuration lists it, and changes no page.

    Zensical, which runs no plugins.
    """

    def extendMarkdown(self, md: markdown.Markdown) -> None:  # noqa: N802 - not our name
        """Look for garbage less often, and highlight with less work."""
        gc.set_threshold(100_000)
        super().extendMarkdown(md)


SAMPLE = ('def f(x: int) -> str:\n    """A & B"""\n\n    return f"{x!r} < 5"  # <é>\n\n', "python")
"""Code and its language."""


@functools.cache
def gives_the_same() -> bool:
    """Return True if the installed version of PyMdown Extensions highlights a sample as we do."""
    md = markdown.Markdown()
    try:
        ours, theirs = KeptHighlighter(None, md), Highlight(md)
        return bool(ours.highlight(*SAMPLE) == theirs.highlight(*SAMPLE) != "")
    except (AttributeError, TypeError, ValueError):  # it has other parameters now
        return False
