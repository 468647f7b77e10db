"""CSL styles: read, refused, rendered, and compared with Pandoc."""
