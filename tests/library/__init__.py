"""Tests of the package library."""
