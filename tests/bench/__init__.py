"""The benchmarks, as ratios (`make bench`): builds beside plain mkdocs-material, `expand` beside what it must wait."""
