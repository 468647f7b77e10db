"""Tests of the search providers."""
