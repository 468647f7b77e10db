"""Callouts, notes and warnings of a page: its author's words, not a source's. Pure.

Forms of callouts::

    > [!tip] A title                GitHub alerts and Obsidian's callouts, also foldable ones
    > **Note:** the kettle sings    a block quote that a label begins
    !!! note "A title"              admonitions of Material and of Python-Markdown
    ::: tip                         containers of VitePress and Docusaurus
"""

from __future__ import annotations

import re

_LEAD = r"[ \t>]{0,40}"
_CALLOUT = re.compile(
    rf"{_LEAD}\[!(?P<type>[\w-]{{1,30}})(?:\|[^\[\]\n]{{0,100}})?\][+-]?"
    r"[ \t]{0,8}(?P<title>[^\n]*)"
)
_ADMONITION = re.compile(
    r"[ \t]{0,40}(?:!!!|\?\?\?\+?)[ \t]{0,4}[\w-]{1,40}(?:[ \t]{1,4}[\w-]{1,40}){0,4}"
    r"(?:[ \t]{1,4}\"(?P<title>[^\"\n]{0,300})\")?[ \t]{0,8}(?=\n|$)"
)
_CONTAINER = re.compile(r"[ \t]{0,40}:{3,8}[ \t]{0,4}(?:[\w-]{1,40})?[ \t]{0,8}(?P<title>[^\n]*)")
END_OF_CONTAINER = re.compile(r"\n[ \t]{0,40}:{3,8}[ \t]{0,8}\n?$")
_QUOTING = frozenset({"quote", "cite", "quotation", "blockquote", "excerpt"})
"""The types of callouts that quote."""
_LABELS = (
    r"(?i:(?:editor'?s?|author'?s?|my|side|wiki)?\s?notes?|n\.?b\.?|tips?|hints?|info(?:rmation)?"
    r"|important|warnings?|cautions?|attention|danger|remarks?|comments?|disclaimers?|todo|updates?"
    r"|caveats?|tl;?dr|takeaways?|key (?:insight|point|takeaway)s?|open questions?|status"
    r"|hinweis|anmerkung|achtung|nota|remarque|примечание|หมายเหตุ|ข้อควรระวัง|参考"
    r"|注意?|註|备注|備註|提示|说明|說明|补充|補足|참고|주의)"
)
_NOTE = re.compile(
    rf"{_LEAD}[^\w\s>\"\u201c]{{0,6}}\s?{_LABELS}(?:[*_]{{0,3}}\s?[:\uff1a]|\.[*_]{{1,3}}(?=\s))"
    rf"|{_LEAD}[*_]{{0,3}}[\u2139\u26a0\u2705\u274c\u2757\u2753\u203c\u270f\u2b50\U0001f4a1"
    r"\U0001f4cc\U0001f4dd\U0001f516\U0001f525\U0001f6a7\U0001f6a8\U0001f9e0\U0001f449\U0001f50d]"
)
"""A label such as **Note:** or **Notes.**, or a sign that no quotation begins with."""
_WARNING_SECTION = re.compile(
    r"\b(?:mistakes?|pitfalls?|misconceptions?|misunderstandings?|anti-?patterns?|gotchas?|myths?"
    r"|fallac(?:y|ies)|traps?|what not to|do(?:s and )?n['\u2019]?ts?|wrong|incorrect|misuses?"
    r"|common errors?)\b|误区|誤解|错误|錯誤|陷阱|踩坑|间违|ข้อผิดพลาด|fehler|errores|erreurs",
    re.IGNORECASE,
)


def is_callout(quoted: str) -> bool:
    """Return whether a block quote is a callout or note, which its page's author wrote."""
    callout = _CALLOUT.match(quoted)
    if callout:
        return callout["type"].lower() not in _QUOTING
    return _NOTE.match(quoted) is not None


def head_of_callout(paragraph: str) -> tuple[tuple[int, int], int] | None:
    """Return the span of a callout's title, and where its text begins; ``None`` for other text.

    A first line with nothing below it is the text. A title may be empty.
    """
    for form in (_CALLOUT, _ADMONITION, _CONTAINER):
        head = form.match(paragraph)
        if head is None:
            continue
        below = paragraph[head.end() :].strip(" \t\n>:")
        title = head.span("title")
        is_text = form is _CALLOUT and not below
        return ((title[0], title[0]), title[0]) if is_text else (title, head.end())
    return None


def warns_of_mistakes(heading: str) -> bool:
    """Return whether a section names mistakes, such as ``Common pitfalls``."""
    return _WARNING_SECTION.search(heading) is not None
