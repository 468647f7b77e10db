"""What a report by anyone claims against what its sources say."""
