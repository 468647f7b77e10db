"""Templates of themes, as they are compiled: titles are text in them, and indentation is gone."""

from __future__ import annotations

import re

from planbook_speed.protocols import PureExtension

INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
LINE_OF_TAG = re.compile(
    r"""
    \n\{%(?![-+])
    ( \s*(?:if|elif|else|endif|for|endfor|set|with|endwith|macro|endmacro|import|from)\b
      (?:(?!%\}).)*(?<![-+]) )
    %\}(?=\n)
    """,
    re.VERBOSE,
)
"""A tag alone on its line.

The line's end stays: it may separate two words, or two attributes of an element.
"""
KEEPS_BLANKS = ("<pre", "<textarea")


STRIPPED_VALUE_END = re.compile(r"striptags\s*(?P<end>-?\}\})")
"""The end of an expression whose value is shown as HTML without its tags."""


class EscapeStripped(PureExtension):
    """Lets themes show titles as text.

    ``striptags`` turns what a heading escapes into HTML again, and an escaped ``<script>`` would
    run.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template that is compiled."""
        return STRIPPED_VALUE_END.sub(r"striptags | e \g<end>", source)


class CompactTemplates(PureExtension):
    """Compiles templates without the blanks that only make them easier to read."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template that is compiled. Its lines keep their numbers."""
        if any(tag in source for tag in KEEPS_BLANKS):
            return source
        return LINE_OF_TAG.sub(r"\n{%-\1%}", INDENTATION.sub("", source))
