"""A plan, a folder of documents, and what shows the one being written from the other: `make demo`."""
