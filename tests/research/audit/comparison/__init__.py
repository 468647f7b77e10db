"""A claim against its sources."""
