"""Recorded answers of language models: a server that passes requests on to whoever plays one, and what is measured."""
