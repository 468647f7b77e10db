"""The guard of the network around all tests."""
