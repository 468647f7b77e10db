"""Tests of the package citations."""
