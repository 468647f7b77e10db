"""Style sheets as a site gets them."""

from __future__ import annotations

import pytest

from planbook.plugin.asset_files import palette_of

PALETTE = (
    "@media screen{[data-md-color-scheme=slate]{--a:1}[data-md-color-scheme=slate][data-md-color-primary=red]{--b:2}}"
    "[data-md-color-accent=red]{--c:3}[data-md-color-primary=light-blue],[data-md-color-primary=red]{--d:4}"
    "@media print{[data-md-color-primary=teal] .md-tabs{--e:5}}"
)


@pytest.mark.parametrize(
    ("colours", "shown"),
    [
        ({"custom"}, "@media screen{[data-md-color-scheme=slate]{--a:1}}"),
        (
            {"light-blue"},
            "@media screen{[data-md-color-scheme=slate]{--a:1}}"
            "[data-md-color-primary=light-blue],[data-md-color-primary=red]{--d:4}",
        ),
        ({"red", "teal", "light-blue"}, PALETTE),
    ],
)
def test_a_palette_has_the_colours_of_the_site(colours: set[str], shown: str) -> None:
    """Rules without a colour stay, and so does one for several of which one is shown."""
    assert palette_of(PALETTE, colours) == shown
