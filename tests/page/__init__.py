"""Knowledge pages and drops: reading and mending."""
