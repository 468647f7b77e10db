"""Markdown as on GitHub."""
