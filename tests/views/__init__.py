"""Views: what is generated from a Library."""
