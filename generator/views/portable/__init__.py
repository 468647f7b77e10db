"""The base as plain Markdown, for engines without the plugin: one file for each page of the site. Pure."""
