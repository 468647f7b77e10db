"""The site for programs: Markdown twins, llms.txt, a feed. Pure functions."""
