"""What is remembered between builds is what a function would give."""

from __future__ import annotations

from generator.memory import Memory, ask


def lines(text: str, uri: str) -> list[str]:
    """A new list each time."""
    return [uri, *text.split()]


def test_an_answer_is_given_again() -> None:
    """The same one for the same arguments, and another for others."""
    remember = Memory()
    first = remember("a.md", lines, "one two", "a.md")
    assert first == ["a.md", "one", "two"]
    assert remember("a.md", lines, "one two", "a.md") is first
    assert remember("a.md", lines, "one", "a.md") == ["a.md", "one"]
    assert remember("a.md", lines, "one two", "a.md") is not first


def test_files_and_functions_are_told_apart() -> None:
    """Two functions, or two files with one text, do not answer for each other."""
    remember = Memory()
    remember("a.md", lines, "one", "a.md")
    assert remember("b.md", lines, "one", "b.md") == ["b.md", "one"]
    assert remember("a.md", str.join, "one", ["a", "b"]) == "aoneb"


def test_without_memory_it_is_asked_each_time() -> None:
    """As in a build that reads every file once."""
    assert ask("a.md", lines, "one", "a.md") == ["a.md", "one"]
    assert ask("a.md", lines, "one", "a.md") is not ask("a.md", lines, "one", "a.md")
