"""A folder of reports that is audited: its pages, the files that they cite, and its bibliographies."""

from __future__ import annotations

from pathlib import Path

from planbook.markdown.document import read_document
from planbook.research.proof.audit import CitedClaim, read_cited_claims
from planbook.research.proof.bibliographies import Bibliographies
from planbook.research.proof.local_files import LocalFiles


class AuditedFolder:
    """The pages of a folder with what they may cite."""

    def __init__(self, root: Path) -> None:
        self.files = LocalFiles(root)
        self._bibliographies = Bibliographies(self.files)

    def claims_of(self, uri: str, text: str) -> tuple[CitedClaim, ...]:
        """Return the claims of a page; `uri` is its path from the working folder."""
        report = Path(uri)
        names: tuple[str, ...] = ()
        if "@" in text:
            names = self._bibliographies.names_for(report, read_document(text).meta)
        works = self._bibliographies.works(names)
        return read_cited_claims(text, uri, self.files.resolver(report), works)
