"""What a page claims against what its sources say."""
