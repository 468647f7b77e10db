"""The tests, as a package, so that they import from one another and from `bench`."""
