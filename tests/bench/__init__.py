"""The benchmark: what the generator costs beside plain mkdocs-material, as ratios in one run (`make bench`)."""
