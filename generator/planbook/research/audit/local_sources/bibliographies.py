"""The bibliographies beside a report: BibTeX and CSL JSON, whose keys its citations name."""

from __future__ import annotations

import logging
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from planbook.citations.identifiers import address_of, is_web
from planbook.research.audit.local_sources.local_files import LocalFiles
from planbook.research.search.document_folder import read_export

_SUFFIXES = frozenset({".bib", ".json"})
_MAX_BYTES = 10_000_000
"""Size from which a file is not read as a bibliography."""
_ADDRESS = re.compile(r"https?://[^\s{}\"\\]+")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"{}]+")


class Bibliographies:
    """The bibliographies below an audited folder. Each is read once."""

    def __init__(self, files: LocalFiles) -> None:
        self._files = files
        self._read: dict[str, dict[str, str]] = {}

    def names_for(self, report: Path, meta: Mapping[str, object]) -> tuple[str, ...]:
        """Return the paths of a report's bibliographies.

        They are those that its front matter names as `bibliography`, as Pandoc reads it; otherwise
        every one beside the report or in a folder above it.
        """
        value = meta.get("bibliography")
        values = value if isinstance(value, list) else [value]
        written = [name for name in values if isinstance(name, str)]
        if written:
            resolve = self._files.resolver(report)
            return tuple(path for name in written if (path := resolve(name)))
        beside = self._files.beside(report)
        return tuple(path for path in beside if PurePosixPath(path).suffix.lower() in _SUFFIXES)

    def works(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return the address or path of each work by its key; the first bibliography counts.

        A work that has neither is named by its bibliography and key: ``refs.bib@rye2019``.
        """
        works: dict[str, str] = {}
        for name in names:
            works = {**self._works_of(name), **works}
        return works

    def _works_of(self, name: str) -> dict[str, str]:
        if name not in self._read:
            text = self._files.read_whole(name).text
            is_bibtex = name.lower().endswith(".bib")
            entries = _bibtex_entries(text) if is_bibtex else _csl_entries(name, text)
            is_small = len(text) <= _MAX_BYTES
            works = {key: self._place(name, key, fields) for key, fields in entries if is_small}
            self._read[name] = works
        return self._read[name]

    def _place(self, name: str, key: str, fields: Mapping[str, str]) -> str:
        """Return the work's file if it is below the folder, else its address.

        Its file is in its `file` field, or is the only source with the key as its name.
        """
        folder = posixpath.dirname(name)
        for written in _file_names(fields.get("file", "")):
            path = posixpath.normpath(posixpath.join(folder, written))
            if path in self._files.names:
                return path
        return self._files.source_named(key) or _address(fields) or f"{name}@{key}"


def _bibtex_entries(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the key and the fields of each entry; what is not BibTeX is left out."""
    from bibtexparser.entrypoint import parse_string  # noqa: PLC0415 - few audits need it
    from bibtexparser.middlewares import LatexDecodingMiddleware  # noqa: PLC0415 - the same

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # its remarks are no findings
    library = parse_string(text, append_middleware=[LatexDecodingMiddleware()])
    for entry in library.entries:
        yield entry.key, {field.key.lower(): str(field.value) for field in entry.fields}


def _csl_entries(name: str, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the key and the fields of each item of a CSL JSON file; other JSON has none."""
    for work in read_export(name, text):
        if not isinstance(work, str):
            written = {key.lower(): value for key, value in work.fields.items()}
            fields = {key: value for key, value in written.items() if isinstance(value, str)}
            yield work.key, fields


def _address(fields: Mapping[str, str]) -> str:
    """Return the address of a work: of its DOI, its own, or that of its arXiv id; else empty."""
    doi = _DOI.search(fields.get("doi", ""))
    if doi:
        return f"https://doi.org/{quote(doi[0].rstrip('.,;'), safe='/:;()._-')}"
    for name in ("url", "howpublished", "note"):
        address = _ADDRESS.search(fields.get(name, ""))
        if address and is_web(address[0]):
            return address[0].rstrip(".,;")
    is_arxiv = "arxiv" in fields.get("archiveprefix", fields.get("eprinttype", "")).lower()
    return (address_of(f"arxiv:{fields.get('eprint', '')}") or "") if is_arxiv else ""


def _file_names(value: str) -> Iterator[str]:
    """Yield the paths in a `file` field: ``files/rye.pdf``, or ``name:files/rye.pdf:PDF``."""
    for written in filter(None, map(str.strip, value.split(";"))):
        parts = re.split(r"(?<!\\):", written)
        path = parts[1] if len(parts) > 2 else written
        yield path.replace("\\:", ":").replace("\\", "/")
