"""Tests of the project itself: its layout, documentation, workflows and test infrastructure."""
