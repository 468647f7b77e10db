"""What a reader does with the finished site, in a real browser."""
