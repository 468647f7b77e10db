"""The only package that parses Markdown."""
