"""Views: Library -> text, one pure function a view. None of them reads a file or the clock."""
