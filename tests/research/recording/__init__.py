"""Pages become files and a commit."""
