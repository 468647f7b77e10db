"""Locators of citations as CSL has them: ``p. 3-5`` is the label ``page`` and the numbers ``3-5``.

Labels are read as Pandoc reads them (https://pandoc.org/MANUAL.html#citation-syntax), in English. What is no number
stays as it is written: ``sec. "Stop at a stage"``.
"""

from __future__ import annotations

import re

_LABELS = {
    "book": "book bk. bks. books",
    "chapter": "chapter chapters chap. chaps. ch.",
    "column": "column columns col. cols.",
    "figure": "figure figures fig. figs.",
    "folio": "folio folios fol. fols.",
    "issue": "number numbers no. nos.",
    "line": "line lines l. ll.",
    "note": "note notes n. nn.",
    "page": "page pages p. pp.",
    "paragraph": "paragraph paragraphs para. paras. par. pars. ¶ ¶¶",
    "part": "part parts pt. pts.",
    "section": "section sections sec. secs. § §§",
    "verse": "verse verses v. vv.",
    "volume": "volume volumes vol. vols.",
}
_LABEL_OF = {word: label for label, words in _LABELS.items() for word in words.split()}
_NUMBER = r"(?:[A-Za-z]{0,2}\d+[\w.:]*|[ivxlc]+(?![\w]))"
_NUMBERS = rf"{_NUMBER}(?:\s*(?:[-–,&]|and)\s*{_NUMBER})*"
_LOCATOR = re.compile(
    rf"(?:(?P<label>{'|'.join(sorted(map(re.escape, _LABEL_OF), key=len, reverse=True))})\s*)?"
    rf"(?P<numbers>{_NUMBERS})(?P<rest>.*)",
    re.DOTALL | re.IGNORECASE,
)


def parse_locator(text: str) -> tuple[str, str, str]:
    """Label, numbers and the rest of a locator; label and numbers are empty where it does not begin with a number."""
    found = _LOCATOR.fullmatch(text)
    if found is None or (found["label"] is None and not text[0].isdigit()):
        return "", "", text
    label = _LABEL_OF[found["label"].lower()] if found["label"] else "page"
    return label, found["numbers"].rstrip("."), f"{'.' if found['numbers'].endswith('.') else ''}{found['rest']}"
