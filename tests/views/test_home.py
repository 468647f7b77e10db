"""The home page: its parts, and what an author's page asks for."""

from __future__ import annotations

import re

from planbook.library import link_tree
from planbook.model import Tree
from planbook.views.home import fill_home
from tests.views.two_plans import two_plans

PLACES = {"New": "newest", "Next": "next", "Why": "trust"}
HOME = "# Home\n" + "".join(f"\n## {title}\n\n<!-- planbook:{name} -->\n" for title, name in PLACES.items())


def test_the_newest_pages_come_first() -> None:
    """Five, each with its day and description, and a link to all of them."""
    home = fill_home(HOME, two_plans(12, "2026-11-20", "2026-11-22"), lambda: "Checked.\n")
    assert "- [Page 6](grain/06.md)<br>About 6 <small>22\xa0Nov\xa02026</small>\n- [Page 7](grain/07.md)" in home
    assert home.count("22\xa0Nov\xa02026") == 5
    assert "- [All 12 written pages by folder](INDEX.md#written-pages)" in home
    single = Tree(
        {"plans/x.md": b"# X\n\n## PART 1: A\n\n- [ ] PART 1: Create a/1.md\n"}, {}, {"a/1.md": b"# A\n\nB c.\n"}
    )
    assert "- [A](a/1.md)<br>B c\n" in fill_home(HOME, link_tree(single), str)


def test_an_empty_part_of_the_home_page_has_no_heading() -> None:
    """The author's heading above it goes, and no other."""
    home = fill_home(HOME, two_plans(12), lambda: "Checked.\n")
    assert re.findall("^#+ .*", home, re.MULTILINE) == ["# Home", "## New", "## Why"]
    assert "planbook:" not in home
    boxed = '# Home\n\n## Next\n\n<div class="look-cards" markdown>\n\n<!-- planbook:next -->\n\n</div>\n'
    assert "## Next" not in fill_home(boxed, two_plans(12), str)
    assert fill_home("# Home\n", two_plans(2), str) == "# Home\n"
