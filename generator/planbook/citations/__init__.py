"""Works cited: references, in-text citations, mentions in prose, quotes."""
