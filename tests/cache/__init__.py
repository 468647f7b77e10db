"""Tests of planbook_cache."""
