"""The tests, as a package, so that `python -m tests.bench` finds the bench."""
