"""The file system: trees, settings, atomic writes."""
