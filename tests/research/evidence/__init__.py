"""Documents to evidence for each point of a PART."""
