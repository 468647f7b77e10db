"""Benchmarks: of builds beside plain mkdocs-material, of expand, and of quality on public sets."""
