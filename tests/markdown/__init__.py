"""Tests of the package markdown."""
