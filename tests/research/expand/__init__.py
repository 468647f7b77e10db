"""The expand flow as a whole."""
