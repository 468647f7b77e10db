"""Entries of the cache that a build leaves."""

from __future__ import annotations

from pathlib import Path

from planbook_cache.disk import CACHE_DIR, DiskCache
from tests.speed.conftest import Site

EXTENSION = """
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

class Fresh(Preprocessor):
    def run(self, lines):
        return [*lines, "", open("SEEN").read()]

class FreshExtension(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Fresh(md), "fresh", 30)

def makeExtension(**options):
    return FreshExtension(**options)
"""


def entries(site: Site) -> list[Path]:
    """The files of the cache."""
    return sorted(DiskCache(site.root / CACHE_DIR).folder.glob("*.*"))
