"""Lines of values in front matter, and keys that are there twice."""

from __future__ import annotations

from planbook.citations.value_lines import (
    Finding,
    compose_front_matter,
    find_repeated_keys,
    line_of_value,
    may_repeat_keys,
)

WRITTEN = """title: Rye
references:
  - id: rye
    custom:
      quotes:
        q1: dark
        q1: sour
  - {id: oat, title: Oats}
"""


def test_a_path_leads_to_the_line_of_its_value() -> None:
    """Line 1 of the file are the dashes; a key that is not there has the line of what is around it."""
    root = compose_front_matter(WRITTEN)
    assert line_of_value(root, (0, "id")) == 4
    assert line_of_value(root, (0, "custom", "quotes")) == 6
    assert line_of_value(root, (1, "title")) == 9
    assert line_of_value(root, (0, "author")) == 4
    assert line_of_value(None, (0, "id")) == 1


def test_a_repeated_key_is_found_with_its_path() -> None:
    """YAML reads only the last one."""
    root = compose_front_matter(WRITTEN)
    assert root
    (finding,) = find_repeated_keys(root)
    assert isinstance(finding, Finding)
    assert finding.path == (0, "custom", "quotes", "q1")


def test_a_quick_look_at_the_lines_sees_a_repeated_key() -> None:
    """The same key in two items, or in two mappings, is none."""
    assert may_repeat_keys(WRITTEN)
    assert not may_repeat_keys("- id: rye\n  title: Rye\n- id: oat\n  title: Oats\n")
    assert not may_repeat_keys("a:\n  id: 1\nb:\n  id: 2\n")


def test_front_matter_that_is_no_yaml_has_no_nodes() -> None:
    """Another rule reports it."""
    assert compose_front_matter("a: [") is None
