"""citeproc-py, with what it does not do as CSL says put right where that shows on pages of the web.

citeproc-py makes an object of each element of a style, by a table of classes. We give it a table in which some classes
are ours. Each says what is wrong in citeproc-py 0.11, and goes when that is mended there; `tests/views/csl` compares
with Pandoc. Specification: https://docs.citationstyles.org/en/stable/specification.html
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from citeproc import CitationStylesStyle, model
from citeproc.source import VariableError
from citeproc.string import MixedString, String
from lxml import etree

from generator.views.csl.markup import NO_AUTHOR, Formatter, unmarked

CSL = "http://purl.org/net/xbiblio/csl"
_NUMBER = r"[^\W\d_]*\d+[^\W\d_]*"
_NUMERIC = re.compile(rf"\s*{_NUMBER}(?:\s*[,&\-–]\s*{_NUMBER})*\s*")


class Processor(CitationStylesStyle):
    """A style that renders. It changes while it does, so each page needs its own."""

    def __init__(self, raw: bytes, locale: str) -> None:
        parser = etree.XMLParser(remove_comments=True, no_network=True, resolve_entities=False)
        parser.set_element_class_lookup(_classes())
        self.xml = etree.parse(BytesIO(raw), parser)
        self.root = self.xml.getroot()
        self.root.formatter = Formatter
        self.root.set_locale_list(locale, validate=False)
        self.root.macros = {macro.get("name"): macro for macro in self.root.findall(f"{{{CSL}}}macro")}
        _separate_first_field(self.root)
        self.begin()

    def begin(self, letter: str = "", *, is_author_named: bool = False) -> None:
        """Begins a work: what was asked for of the last one is forgotten.

        A `letter` tells it apart from others of its author that have no date either; where the author is named already,
        the style does not.
        """
        self.root.calls, self.root.letter, self.root.is_author_named = [], letter, is_author_named


class LetteredYear(int):
    """A year that is told apart from another by a letter, which stands behind it once: ``2020a``."""

    _letter = ""

    def with_letter(self, letter: str) -> LetteredYear:
        """Itself, with the letter to be shown."""
        self._letter = letter
        return self

    def __abs__(self) -> str:  # type: ignore[override] # what citeproc-py shows of a year is `str(abs(year))`
        letter, self._letter = self._letter, ""
        return f"{int(self)}{letter}"


def _classes() -> etree.ElementNamespaceClassLookup:
    lookup = etree.ElementNamespaceClassLookup()
    table = lookup.get_namespace(CSL)
    table[None] = model.CitationStylesElement
    for known in (*model.CitationStylesElement.__subclasses__(), *_OURS):
        table[known.__name__.replace("_", "-").lower()] = known
    return lookup


def _separate_first_field(root: Any) -> None:
    """Sets a blank behind the first field of each entry, where the style aligns what follows; there is none."""
    bibliography = root.find(f"{{{CSL}}}bibliography")
    if bibliography is None or not bibliography.get("second-field-align"):
        return
    first = next(iter(bibliography.find(f"{{{CSL}}}layout")), None)
    if first is not None and etree.QName(first).localname != "choose" and not first.get("suffix", "").endswith(" "):
        first.set("suffix", f"{first.get('suffix', '')} ")


@dataclass(slots=True)
class Call:
    """A variable that was asked for while a work was rendered."""

    tag: str
    name: str
    is_shown: bool = False


class _Quick:
    """Finds macros by a table; citeproc-py looks through the style each time."""

    def get_macro(self, name: str) -> Any:
        """See citeproc-py."""
        return self.get_root().macros[name]  # type: ignore[attr-defined]


class Style(model.Style):
    """Knows how far a near note is, where the style does not say."""

    _default_options = model.Style._default_options | {"near-note-distance": 5}


class _Cased:
    """Changes the case of any text; citeproc-py does so with strings of its own class only."""

    def case(self, text: Any, language: str | None = None) -> Any:
        """See citeproc-py."""
        return super().case(_string(text), language) if text else text  # type: ignore[misc]


class _Called:
    """Notes which variable is asked for, and whether it shows."""

    def process(self, item: Any, *args: Any, **kwargs: Any) -> Any:
        """See citeproc-py."""
        variable = self.get("variable")  # type: ignore[attr-defined]
        call = Call(self.tag, variable or "")  # type: ignore[attr-defined]
        if variable and variable != "year-suffix":
            _calls(self).append(call)
        text = super().process(item, *args, **kwargs)  # type: ignore[misc]
        call.is_shown = bool(text[0] if isinstance(text, tuple) else text)
        return text


class Text(_Quick, _Called, _Cased, model.Text):
    """See `_Quick`, `_Called` and `_Cased`."""

    def _variable(self, item: Any, context: Any) -> Any:
        text = super()._variable(item, context)
        return str(text) if isinstance(text, int) else text

    def _term(self, item: Any) -> Any:
        text, root = super()._term(item), self.get_root()
        if self.get("term") == "no date" and root.letter:
            text, root.letter = text + root.letter, ""
        return text


class Number(_Called, _Cased, model.Number):
    """See `_Called` and `_Cased`."""


class Date(_Called, model.Date):
    """See `_Called`."""


class Date_Part(_Cased, model.Date_Part):  # noqa: N801 - the element's name, as citeproc-py writes it
    """See `_Cased`."""


class Name_Part(_Cased, model.Name_Part):  # noqa: N801
    """Leaves out a part that a name does not have, and gives each as a plain string, as it is joined with others."""

    def format_part(self, given: Any, family: Any) -> tuple[Any, Any]:
        """See citeproc-py."""
        if not (given if self.get("name") == "given" else family):
            return given, family
        given, family = super().format_part(given, family)
        return given and str(given), family and str(family)


class Name(model.Name):
    """Heeds `initialize="false"`: names are not cut down to initials."""

    def get_option(self, name: str, context: Any = None, sort_options: Any = None) -> Any:
        """See citeproc-py."""
        if name == "initialize-with" and self._is_whole(context):
            return None
        return super().get_option(name, context, sort_options)

    def _is_whole(self, context: Any) -> bool:
        around = (context if context is not None else self).iterancestors(
            f"{{{CSL}}}citation", f"{{{CSL}}}bibliography"
        )
        said = (element.get("initialize") for element in (self, *around, self.get_root()))
        return next((value for value in said if value is not None), "true") == "false"


class Names(_Called, model.Names):
    """Does not show again whom it has shown in the place of others, nor an author whom the text names itself."""

    def process(self, item: Any, names_context: Any = None, context: Any = None, **kwargs: Any) -> Any:
        """See citeproc-py."""
        layout = (context if context is not None else self).get_layout()
        if self.get("variable") in (layout.repressed or {}).get(self.tag, ()):
            raise VariableError
        if self.get_root().is_author_named:
            self.get_root().is_author_named = False
            return String(NO_AUTHOR)
        return super().process(item, names_context=names_context, context=context, **kwargs)


class Substitute(model.Substitute):
    """Keeps what it shows in the place of names from being shown again, also where a macro or a choice shows it."""

    def render(self, item: Any, context: Any = None, **kwargs: Any) -> Any:
        """See citeproc-py."""
        before = len(_calls(self))
        text = super().render(item, context=context, **kwargs)
        for call in _calls(self)[before:] if text else ():
            if call.is_shown:
                context.get_layout().repressed.setdefault(call.tag, []).append(call.name)
        return text


class Group(model.Group):
    """Shows nothing where all variables that it asks for are empty, also those that a macro or a choice asks for."""

    def process(self, item: Any, context: Any = None, **kwargs: Any) -> Any:
        """See citeproc-py."""
        before = len(_calls(self))
        text = super().process(item, context=context, **kwargs)
        if not _has_shown(text, _calls(self), before):
            raise VariableError
        return text


class Macro(model.Macro):
    """Shows nothing where all variables that it asks for are empty."""

    def calls_variable(self) -> bool:
        """See citeproc-py; looked up once."""
        known = getattr(self, "known_calls", None)
        if known is None:
            known = self.known_calls = bool(super().calls_variable())
        return bool(known)

    def render(self, item: Any, context: Any = None, sort_options: Any = None) -> Any:
        """See citeproc-py."""
        before = len(_calls(self))
        text = super().render(item, context, sort_options)
        return text if _has_shown(text, _calls(self), before) else None


class Label(_Cased, model.Label):
    """Is not shown where there is nothing to label."""

    def process(self, item: Any, variable: Any = None, plural: Any = None, context: Any = None, **kwargs: Any) -> Any:
        """See citeproc-py."""
        own = self.get("variable")
        if variable is None and own != "locator" and own.replace("-", "_") not in item.reference:
            return None
        return super().process(item, variable, plural, context, **kwargs)


class _Numeric:
    """Takes ``10-19`` and ``2, 3`` for numbers, too."""

    def _is_numeric(self, item: Any) -> list[bool]:
        names = (name.replace("-", "_") for name in self.get("is-numeric").split())  # type: ignore[attr-defined]
        return [_NUMERIC.fullmatch(str(item.reference.get(name) or "")) is not None for name in names]


class If(_Numeric, model.If):
    """See `_Numeric`."""


class Else_If(_Numeric, model.Else_If):  # noqa: N801
    """See `_Numeric`."""


class Key(_Quick, model.Key):
    """Sorts by letters: tags, quotation marks and accents make no difference."""

    def sort_keys(self, items: Any, context: Any) -> list[Any]:
        """See citeproc-py."""
        keys = super().sort_keys(items, context)
        return [_sortable(str(key)) if isinstance(key, (str, MixedString)) else key for key in keys]


_OURS = (
    *(Style, Text, Number, Date, Date_Part, Names, Name, Name_Part, Substitute),
    *(Group, Macro, Label, If, Else_If, Key),
)


def _calls(element: Any) -> list[Call]:
    """The calls of the work at hand."""
    calls: list[Call] = element.get_root().calls
    return calls


def _has_shown(text: Any, calls: list[Call], before: int) -> bool:
    """Whether a group or macro that made the calls from `before` on is shown; then it counts as a variable that is."""
    since = calls[before:]
    is_shown = bool(text) and (not since or any(call.is_shown for call in since))
    if is_shown:
        calls.append(Call("", "", is_shown=True))
    return is_shown


def _string(text: Any) -> Any:
    """A text as a string of citeproc-py's own class, piece by piece."""
    if isinstance(text, MixedString):
        return MixedString([_string(piece) for piece in text])
    return text if isinstance(text, String) else String(text)


def _sortable(key: str) -> str:
    letters = unicodedata.normalize("NFD", unmarked(key))
    return re.sub(r"^\W+(?=\w)", "", "".join(char for char in letters if not unicodedata.combining(char)))
