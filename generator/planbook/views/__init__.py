"""Views: Library -> text, one pure function per view, without access to files or the clock."""
