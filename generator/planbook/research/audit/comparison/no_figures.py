"""Numbers of a claim that are no figures of it: days, places of works, names of files. Pure.

They stand for a document that the source may only describe, or for a time at which it was read. The
table has a row for a form, with an example of it; a test takes the number out of every example.
"""

from __future__ import annotations

import re

from planbook.citations.wording import Wording, any_of
from planbook.research.audit.comparison.absent_figures import MONTH_NAME

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_DATE = rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}\s)?{_MONTH}\.?\s(?:\d{{1,2}},\s)?\d{{4}}|\d{{4}})"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?:\s?[-\u2013]\s?\d{1,2})?"
_FILE_SUFFIX = (
    "(?:md|txt|pdf|json|jsonl|ya?ml|py|js|ts|html?|csv|png|jpe?g|svg|docx?|xlsx?|pptx?|ipynb|sh"
    "|toml|xml|zip|mp[34]|wav)"
)
_NUMBER_OF_PLACE = r"[A-Z]?\.?\d[\d.]*"
_PARTS_OF_WORK = (
    r"(?:(?i:\b(?:pp?|paras?|secs?|chs?|figs?)\.|\b(?:pages?|paragraphs?|sections?|chapters?"
    r"|clauses?|articles?|recitals?|rules?|slides?|footnotes?|lines?"
    r"|appendix|appendices|annex(?:es)?|tables?|figures?)\b)\s?|\u00a7{1,2}\s?)"
)
NO_FIGURES = (
    # A source gives its day in many ways.
    Wording(
        rf"(?-i:\b{MONTH_NAME}\.?\s{_DAY}(?![\w%]|[.,]\d|,?\s\d{{4}}\b))",
        "The kettle whistled on Jun 10.",
    ),
    Wording(
        rf"(?-i:\b(?<![\d.,]){_DAY}\s{MONTH_NAME}\b(?!\.?\s\d{{4}}))",
        "The kettle whistled on 10 June.",
    ),
    Wording(r"^\W*\d+[.)]\s", "12. Fill the kettle."),
    Wording(
        rf"{_PARTS_OF_WORK}{_NUMBER_OF_PLACE}"
        rf"(?:\s?(?:[\u2013\u2014-]|,|and|&|to)\s?\u00a7{{0,2}}{_NUMBER_OF_PLACE})*",
        "The manual has it (\u00a7\u00a76.1-6.5, pp. 90-138, 155 and 197).",
    ),
    Wording(
        r"\b\d{1,3}\s(?:C\.?F\.?R|U\.?S\.?C|Fed\.?\sReg|Stat)\b\.?\s?"
        r"(?:\u00a7{1,2}\s?)?\d[\w.()-]*",
        "So says 47 CFR 64.1200(a)(2) of kettles.",
    ),
    Wording(r"\b\d{1,4}-page\b", "A 54-page manual of the kettle."),
    Wording(
        r"^\W*\d+\s?(?:min(?:ute)?s?|h(?:ours?)?|days?|weeks?)\W{0,3}\s[\u2014\u2013-]\s",
        "15 min \u2014 Fill the kettle.",
    ),
    Wording(rf"^\W*{_DATE}(?=\s?[:|\u2013\u2014]|\s-)", "2026-06-09: The kettle whistled."),
    Wording(
        rf"[(\uff08][^()\uff08\uff09\d]{{0,60}}{_DATE}[a-z]?[)\uff09]",
        "The kettle whistles (Rye, 2026a).",
    ),
    Wording(r"(?<=\|)\s*\d{4}-\d\d-\d\d\s*(?=\||$)", "Blue kettle | 2026-06-09 | new"),
    Wording(rf"(?<![\w./-])\d[\w.-]{{0,60}}\.{_FILE_SUFFIX}\b", "It is in 4.25.md of the notes."),
    Wording(r"(?<![^\W_])[A-Za-z][_^]\{?\d{1,2}\}?(?!\w)", "The heat H_0 of the kettle."),
    Wording(r"\bgen(?:eration)?s?\.?\s\d{1,2}(?!\d)", "Gen 3 of the kettle."),
    Wording(
        rf"\b(?:accessed|retrieved|visited|checked|as of)\s(?:on\s)?{_DATE}",
        "The kettle is blue, as of 9 June 2026.",
    ),
    Wording(r"\[\d+\]", "The kettle whistles [12]."),
)
_NO_FIGURE = re.compile(any_of(NO_FIGURES), re.IGNORECASE)


def without_no_figures(text: str) -> str:
    """Return a text without its numbers that are no figures."""
    return _NO_FIGURE.sub(" ", text)
