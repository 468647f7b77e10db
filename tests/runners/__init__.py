"""Tests of planbook.runners."""
