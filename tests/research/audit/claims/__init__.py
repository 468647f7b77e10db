"""What a report claims, and what it cites for that."""
