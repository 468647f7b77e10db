"""Tests of planbook-speed."""
