"""The works that pages of the base cite."""
