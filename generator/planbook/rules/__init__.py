"""The rules of `planbook check` for plans, pages and drafts. They are pure."""
