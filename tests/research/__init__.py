"""Tests of generator/research."""
