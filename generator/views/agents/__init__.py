"""The site for those who read files rather than pages: Markdown twins, llms.txt, a feed. Pure."""
