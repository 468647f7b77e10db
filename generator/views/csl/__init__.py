"""Citations and references in a CSL style, through citeproc-py (extra ``csl``). Imported only where a style is set."""
