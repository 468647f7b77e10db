"""Tests of generator.plan."""
