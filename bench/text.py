"""Words, sentences, titles and works for pages that a script makes: no two alike, the same for the same seed."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import yaml

WORDS: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("vocabulary.yml").read_text("utf-8"))
HABITS: list[str] = yaml.safe_load(Path(__file__).with_name("habits.yml").read_text("utf-8"))
NOUNS = WORDS["noun"]

_NOUNS_BY_USE = [noun for rank, noun in enumerate(NOUNS) for _ in range(400 // (rank + 8))]
_PRODUCTS = [a + b + c for a in WORDS["syllable"] for b in WORDS["syllable"] for c in ("", *WORDS["syllable"][:10])]
_PRODUCT_WEIGHTS = list(accumulate(1 / rank for rank in range(1, len(_PRODUCTS) + 1)))
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class CitedWork:
    """A work that pages of the base cite."""

    title: str
    url: str
    publisher: str
    accessed: str
    """The day on which its pages say that it was read; empty where they do not say."""


def product(chance: random.Random) -> str:
    """Return a made-up name; a few are frequent, most are rare, as in real text."""
    return chance.choices(_PRODUCTS, cum_weights=_PRODUCT_WEIGHTS)[0].title()


def noun(chance: random.Random) -> str:
    """Return a noun, the first of `NOUNS` more often."""
    return chance.choice(_NOUNS_BY_USE)


def identifier(chance: random.Random) -> str:
    """Return a name as in code, such as `cache_block_limit`."""
    words = fill(chance, "{noun} {noun} {suffix}")
    return words.replace(" ", "_").replace("-", "_")


def fill(chance: random.Random, template: str) -> str:
    """Return the template with words in its places."""
    return _PLACE.sub(lambda match: _word(chance, match[1]), template)


def _word(chance: random.Random, place: str) -> str:
    if place == "noun":
        return noun(chance)
    if place == "product":
        return product(chance)
    if place == "name":
        return identifier(chance)
    words = chance.choice(WORDS[place])
    return fill(chance, words) if "{" in words else words


def sentence(chance: random.Random) -> str:
    """Return a sentence."""
    text = fill(chance, "{opening}{sentence}")
    return f"{text[0].upper()}{text[1:]}."


def prose(chance: random.Random, length: int) -> str:
    """Return text of about `length` characters, never cut inside of a word or a mark."""
    if length < 45:
        text = fill(
            chance,
            "{adjective} {noun}"
            if length < 22
            else chance.choice(("{noun} of {product} {clause}", "the {noun} {verb} {adjective} {noun}s")),
        )
        return text[0].upper() + text[1:]
    told = [sentence(chance)]
    size = len(told[0])
    while size + 40 < length:
        told.append(sentence(chance))
        size += len(told[-1]) + 1
    return " ".join(told)


def title(chance: random.Random) -> str:
    """Return a title of three to six words."""
    return fill(chance, "{title}").title()


def slug(words: str) -> str:
    """Return the words as a file's name has them."""
    return "-".join("".join(c if c.isalnum() else " " for c in words.lower()).split())


def day(chance: random.Random) -> str:
    """Return a day as ISO 8601 has it."""
    return f"2025-{chance.randint(1, 11):02}-{chance.randint(1, 28):02}"


def cited_work(chance: random.Random) -> CitedWork:
    """Return a work: a web page, a repository, or a paper."""
    name = product(chance)
    kind = chance.random()
    words = title(chance)
    accessed = day(chance) if chance.random() < 0.7 else ""
    if kind < 0.2:
        path = f"{name.lower()}/{slug(title(chance))}"
        inner = chance.choice(("", f"/issues/{chance.randint(10, 90000)}", f"/blob/main/{identifier(chance)}.py"))
        return CitedWork(f"{name} {words}", f"https://github.com/{path}{inner}", "GitHub", accessed)
    if kind < 0.3:
        number = f"{chance.randint(17, 25)}{chance.randint(1, 12):02}.{chance.randint(100, 19999):05}"
        who = fill(chance, "{author} et al., {year}")
        return CitedWork(words, f"https://arxiv.org/abs/{number}", who, accessed)
    host = chance.choice(WORDS["host"]).format(name.lower())
    path = "/".join(slug(noun(chance)) for _ in range(chance.randint(1, 3)))
    url = f"https://{host}/{path}/{slug(words)}{chance.choice(('/', '', '.html', '#details'))}"
    return CitedWork(words, url, f"{name} {chance.choice(WORDS['publisher'])}", accessed)
