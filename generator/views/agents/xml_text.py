"""Text as XML can hold it."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""What no XML document may hold (https://www.w3.org/TR/xml/#charsets)."""


def xml_text(text: str) -> str:
    """`text` in one line, to stand between tags."""
    return escape(one_line(text))


def xml_attribute(text: str) -> str:
    """`text` in one line, in quotes, to stand behind an attribute's name."""
    return quoteattr(one_line(text))


def one_line(text: str) -> str:
    """`text` in one line, without what XML cannot hold."""
    return " ".join(_NO_XML.sub("", text).split())
