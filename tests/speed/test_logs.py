"""Messages of cached work are logged again."""

from __future__ import annotations

from tests.speed.conftest import Site


def test_quiet_builds_hide_nothing_from_others(site: Site) -> None:
    """A build that tells no warnings is followed by one that tells them all."""
    assert not site.quick("--quiet").log
    assert [line for line in site.assert_same().log if "lost.md" in line]
