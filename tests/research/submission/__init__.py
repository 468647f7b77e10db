"""Pages that a person or an agent submits."""
