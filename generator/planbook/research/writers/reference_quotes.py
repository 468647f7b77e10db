"""The quotes of a page's references: those that it has, and those that its citations need. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from planbook.citations.identifiers import free_name
from planbook.citations.in_text import QUOTE_KEY, Citation
from planbook.citations.quotes import fold
from planbook.research.drafts import Source
from planbook.research.proof.parsed_draft import ParsedDraft


class ReferenceQuotes:
    """The references of a page with the keys of their quotes.

    Args:
        parsed: the page.
        works: the gathered work that each of its references means, by the id of the reference.
    """

    def __init__(self, parsed: ParsedDraft, works: Mapping[str, Source]) -> None:
        self.ids = {reference.id for reference in parsed.references}
        """The ids of its references, with those that are added."""
        self.added: dict[str, dict[str, str]] = {}
        """The quotes that are added, by the id of their reference and their key."""
        self._quotes = {reference.id: dict(reference.quotes) for reference in parsed.references}
        """Those that the page has, in the same way."""
        self._keys = {
            reference.id: {fold(quote): key for key, quote in reference.quotes}
            for reference in parsed.references
        }
        """The key of each quote, by the id of its reference and its folded text."""
        self._ids_by_work = {source.id: name for name, source in works.items()}
        """The id of the page's reference to each work, by the id of the work."""

    def quote_of(self, citation: Citation) -> str:
        """Return the quote of the page that a citation's locator names; empty if there is none."""
        return self._quotes.get(citation.reference_id, {}).get(citation.locator or "", "")

    def find_or_add_id(self, cited_id: str, work: Source) -> str:
        """Return the id of the page's reference to a work.

        A work that it has no reference to gets the id that it was gathered with.

        Args:
            cited_id: the id by which the page cites it.
            work: the work.
        """
        if cited_id in self.ids:
            return cited_id
        if work.id not in self._ids_by_work:
            self._ids_by_work[work.id] = free_name(work.id, dict.fromkeys(self.ids, 2))
            self.ids.add(self._ids_by_work[work.id])
        return self._ids_by_work[work.id]

    def find_or_add_key(self, reference_id: str, quote: str) -> str:
        """Return the key of a quote of a reference; one that is not there is added."""
        keys = self._keys.setdefault(reference_id, {})
        if fold(quote) not in keys:
            key = self._free_key(reference_id)
            keys[fold(quote)] = key
            self.added.setdefault(reference_id, {})[key] = quote
        return keys[fold(quote)]

    def _free_key(self, reference_id: str) -> str:
        """Return the key after the highest one of a reference."""
        keys = (*self._quotes.get(reference_id, ()), *self.added.get(reference_id, ()))
        numbers = [int(key[1:]) for key in keys if QUOTE_KEY.fullmatch(key)]
        return f"q{max(numbers, default=0) + 1}"
