"""Pages from evidence: by extraction, by a model, by a program."""
