"""Style sheets as a site gets them."""

from __future__ import annotations

import pytest

from planbook.plugin.asset_files import palette_of, remove_selectors

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


def test_a_style_sheet_loses_the_selectors_that_match_nothing() -> None:
    """A rule goes with its last selector, and a block with its last rule; what is negated or in a list stays."""
    style = (
        '@charset "UTF-8";html{a:1}[dir=ltr] .x{b:1}[dir=rtl] .x,.y{b:2}@media screen{[dir=rtl] .z{c:3}}'
        ".a:not(.keys),.keys .b{d:4}.c:is(.keys,.d){e:5}@keyframes k{0%{f:6}}"
    )
    assert remove_selectors(style, ["[dir=rtl]", ".keys"]) == (
        '@charset "UTF-8";html{a:1}[dir=ltr] .x{b:1}.y{b:2}.a:not(.keys){d:4}.c:is(.keys,.d){e:5}@keyframes k{0%{f:6}}'
    )
