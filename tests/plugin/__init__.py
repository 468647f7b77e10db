"""Whole sites, built by the real command lines."""
