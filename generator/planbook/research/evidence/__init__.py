"""From documents to evidence: passages per point, ranked. Start with `rank`.

::

    document ─ blocks ─> SourceBlocks ─ passages ─> Excerpts ─ rank ─> Evidence for each section
    plan, library ─ selection ─> Brief ─ brief ─> text for whoever writes
"""
