"""A CSL style: read from its file, and refused with a word on why where it cannot be used.

Format: https://docs.citationstyles.org/en/stable/specification.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeproc import SCHEMA_PATH
from lxml import etree

from generator.views.csl.processor import CSL, Processor

_ELEMENTS = frozenset(
    re.findall(
        r"\S+",
        "author bibliography category choose citation contributor date date-part eissn else else-if email et-al group "
        "id if info issn issnl key label layout link locale macro multiple name name-part names number published "
        "rights single sort style style-options substitute summary term terms text title title-short updated uri",
    )
)


class StyleError(ValueError):
    """A style that cannot be used: the message names its file, what is wrong, and what would be right."""


@dataclass(frozen=True, slots=True)
class Style:
    """A style that is whole, as citeproc-py reads it."""

    name: str
    """Its file, as the user named it."""
    raw: bytes
    locale: str
    """The language of its terms."""
    is_note: bool
    """Whether it cites in notes rather than in the text."""
    has_bibliography: bool
    has_locators: bool
    """Whether it shows where in a work a citation points."""
    tells_years_apart: bool
    """Whether works that would be cited by the same words get a letter each."""
    has_year_suffix: bool
    """Whether it says where that letter stands; else it stands behind the year."""

    def processor(self) -> Processor:
        """What renders in this style: a new one for each page, as it changes and no page may depend on another."""
        return Processor(self.raw, self.locale)


def read_style(raw: bytes, name: str, language: str = "en") -> Style:
    """The style in a file's bytes. `language` is that of its terms where it names none itself.

    Raises StyleError where it is no XML, no CSL, not valid, or names another style instead of being one.
    """
    root = _parsed(raw, name)
    parent = root.find(f".//{{{CSL}}}link[@rel='independent-parent']")
    if parent is not None:
        what = f"it only names another style, {parent.get('href')}, to be used in its place; set the file of that one"
        raise StyleError(f"{name}:{parent.sourceline}: {what}")
    _check(root, name)
    citation = root.find(f"{{{CSL}}}citation")
    return Style(
        name=name,
        raw=raw,
        locale=root.get("default-locale") or language,
        is_note=root.get("class") == "note",
        has_bibliography=root.find(f"{{{CSL}}}bibliography") is not None,
        has_locators=_has_variable(root, "locator"),
        tells_years_apart=citation is not None and citation.get("disambiguate-add-year-suffix") == "true",
        has_year_suffix=_has_variable(root, "year-suffix"),
    )


def _parsed(raw: bytes, name: str) -> etree._Element:
    try:
        root = etree.fromstring(raw, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True))
    except etree.XMLSyntaxError as error:
        line = (error.position or (1, 1))[0] or 1
        reason = re.sub(r", line \d+, column \d+.*$", "", error.msg or "it is empty")
        what = f"it is not XML ({reason}); set a CSL style, such as those at https://www.zotero.org/styles"
        raise StyleError(f"{name}:{line}: {what}") from error
    if root.tag != f"{{{CSL}}}style":
        tag = etree.QName(root).localname
        what = f'it is no CSL style: it begins with <{tag}>, and a style with <style xmlns="{CSL}">'
        raise StyleError(f"{name}:{root.sourceline}: {what}")
    return root


def _check(root: etree._Element, name: str) -> None:
    """Raises StyleError where the style is not valid."""
    for element in root.iter(etree.Element):
        if etree.QName(element).localname not in _ELEMENTS:
            what = f"CSL has no element <{etree.QName(element).localname}>; check it at https://validator.citationstyles.org"
            raise StyleError(f"{name}:{element.sourceline}: {what}")
    macros = {macro.get("name") for macro in root.iterfind(f"{{{CSL}}}macro")}
    for element in root.iterfind(".//*[@macro]"):
        if element.get("macro") not in macros:
            what = f"there is no macro {element.get('macro')!r}; name one of {', '.join(sorted(filter(None, macros)))}"
            raise StyleError(f"{name}:{element.sourceline}: {what}")
    schema = etree.RelaxNG(etree.parse(SCHEMA_PATH))
    if not schema.validate(root):
        worst = max(schema.error_log, key=lambda entry: entry.line)
        what = f"it is not valid CSL 1.0 ({worst.message}); check it at https://validator.citationstyles.org"
        raise StyleError(f"{name}:{worst.line}: {what}")


def _has_variable(root: etree._Element, variable: str) -> bool:
    return any(root.find(f".//{{{CSL}}}{tag}[@variable='{variable}']") is not None for tag in ("text", "number"))
