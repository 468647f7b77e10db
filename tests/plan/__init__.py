"""Tests of planbook.plan."""
