"""The linter."""
