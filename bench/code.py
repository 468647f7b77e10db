"""Fenced code for pages that a script makes, in the languages that real pages have."""

from __future__ import annotations

import random
from pathlib import Path

import yaml

from bench.text import fill, noun

LANGUAGES = {"python": 38, "bash": 17, "": 15, "yaml": 8, "cpp": 7, "dockerfile": 5, "cuda": 4, "json": 3, "cmake": 3}
"""Languages of fences, of a hundred; one without a language holds a drawing or what a program printed."""
SNIPPETS: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("snippets.yml").read_text("utf-8"))


def fence(chance: random.Random, lines: int) -> str:
    """Return a fenced block of about `lines` lines of code."""
    language = chance.choices(list(LANGUAGES), weights=list(LANGUAGES.values()))[0]
    code = snippet(chance, language, lines)
    while code.count("\n") < lines - 2 and language != "json":  # two values are no JSON
        code += ("\n" if chance.random() < 0.3 else "") + snippet(chance, language, lines - code.count("\n"))
    return f"```{language}\n{code}```\n"


def snippet(chance: random.Random, language: str, lines: int) -> str:
    """Return some code in a language, of at most so many lines if the language has a snippet so short."""
    places = ("noun", "verb", "adjective", "clause", "product", "name", "number")
    words = {place: fill(chance, f"{{{place}}}") for place in places}
    known = SNIPPETS[language]
    fitting = [code for code in known if code.count("\n") <= lines]
    return chance.choice(fitting or [min(known, key=len)]).format(
        **words,
        NAME=words["name"].upper(),
        lower=words["product"].lower(),
        noun2=noun(chance),
        name2=fill(chance, "{name}"),
        number2=fill(chance, "{number}"),
    )
