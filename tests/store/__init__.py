"""The file system and git."""
