"""A Jinja extension that removes the indentation of a theme's templates: a quarter of the HTML of some pages."""

from __future__ import annotations

import re

from generator.speed.protocol import PureExtension

INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
LINE_OF_TAG = re.compile(
    r"\n\{%(?![-+])(\s*(?:if|elif|else|endif|for|endfor|set|with|endwith|macro|endmacro|import|from)\b"
    r"(?:(?!%\}).)*(?<![-+]))%\}(?=\n)"
)
"""A tag alone on its line. The line's end stays: it may separate two words, or two attributes of an element."""
KEEPS_BLANKS = ("<pre", "<textarea")


class CompactTemplates(PureExtension):
    """Compiles templates without the blanks that only make them easier to read."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the template that is compiled. Its lines keep their numbers."""
        if any(tag in source for tag in KEEPS_BLANKS):
            return source
        return LINE_OF_TAG.sub(r"\n{%-\1%}", INDENTATION.sub("", source))
