"""The base as plain Markdown, for engines that know nothing of Planbook: a file for each page of the site. Pure."""
