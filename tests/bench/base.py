"""Knowledge bases to measure on, made by script: the same bytes for the same numbers, at any time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

PAGE_BYTES = 20_000
PAGES_A_FOLDER = 50
NOUNS = ("oven", "dough", "flour", "water", "salt", "crust", "crumb", "mill", "grain", "starter", "steam", "stone")
VERBS = ("holds", "needs", "gives", "keeps", "warms", "cools", "rests", "rises", "turns", "measures", "feeds", "dries")
MARKS = ("[✓]", "[✓]", "[✓]", "[x]", "[/]", "[ ]")

CODE = {
    "python": """def bake({0}: Oven, {1}: float = 0.5) -> list[{2}]:
    \"\"\"Bake until the {2} is done.\"\"\"
    for minute, heat in enumerate({0}.heats(step={1})):
        if heat > 240 and not {0}.is_open:
            yield_ = {{"{2}": heat / (minute + 1), "state": "dark"}}
            log.debug("%s after %d minutes", yield_, minute)
    return [{2} for {2} in {0}.shelves if {2}.weight_g >= 750]
""",
    "bash": """# {0} by hand
for {1} in shelves/*.txt; do
    grep --count '{2}' "$({1} | sort --unique)" >> "${{OUT:-/tmp}}/{0}.log" 2>&1 || exit 1
done
""",
    "yaml": """{0}:
  {1}: {{low: 180, high: 240}}  # degrees
  shelves: [1, 2, 3]
  {2}:
    - name: dark
      minutes: 45
""",
    "cpp": """template <typename T> auto {0}(const std::vector<T>& {1}) -> std::size_t {{
    std::size_t {2} = 0;
    for (const auto& loaf : {1}) {{ {2} += loaf.weight() > 750 ? 1u : 0u; }}
    return {2};  // how many are done
}}
""",
}


def make_base(root: Path, pages: int, seed: int = 2024) -> None:
    """Write `docs/` with as many finished pages, and `plans/` whose PARTs (4 to 6 a plan) name each of them once."""
    chance = random.Random(f"{seed} {pages}")  # noqa: S311 - not for secrets
    uris = [
        f"{NOUNS[n // PAGES_A_FOLDER % len(NOUNS)]}-{n // PAGES_A_FOLDER}/{n % PAGES_A_FOLDER:02}-{slug(chance)}.md"
        for n in range(pages)
    ]
    for uri in uris:
        path = root / "docs" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(chance, uris), encoding="utf-8")
    (root / "docs" / "index.md").write_text("# The bread base\n\nMade by a script.\n", encoding="utf-8")
    (root / "plans").mkdir(parents=True)
    rest = iter(uris)
    for number, group in enumerate(groups(chance, rest)):
        (root / "plans" / f"plan-{number:03}.md").write_text(plan(chance, number, group), encoding="utf-8")


def groups(chance: random.Random, uris: Iterator[str]) -> Iterator[list[str]]:
    """The pages in groups of 4 to 6."""
    while group := list(islice(uris, chance.randint(4, 6))):
        yield group


def slug(chance: random.Random) -> str:
    """Words for a file's name."""
    return "-".join(chance.sample(NOUNS, 3))


def sentence(chance: random.Random) -> str:
    """A sentence of our own words."""
    words = []
    for _ in range(chance.randint(3, 6)):
        words += [chance.choice(("the", "a", "every", "one more")), chance.choice(NOUNS), chance.choice(VERBS)]
    words.insert(chance.randrange(len(words)), chance.choice(("`weight_g`", "**slowly**", "*dark*", "240 degrees")))
    return " ".join(words).capitalize() + "."


def page(chance: random.Random, uris: list[str]) -> str:
    """A page rich in code, with lists right under paragraphs, tables, and links from the base's root."""
    blocks = [f"# {' '.join(chance.sample(NOUNS, 3)).title()}\n", f"{sentence(chance)} {sentence(chance)}\n"]
    size, section = 0, 0
    while size < PAGE_BYTES:
        section += 1
        new = [f"## Section {section}: {chance.choice(NOUNS).title()} (~100 lines)\n"]
        new.append(" ".join(sentence(chance) for _ in range(4)) + "\n")
        new.append(bullets(chance))
        for _ in range(3):
            language = chance.choice(tuple(CODE))
            new.append(f"```{language}\n{CODE[language].format(*chance.sample(NOUNS, 3)) * 2}```\n")
        new.append(table(chance))
        other = chance.choice(uris)
        new.append(
            f"From [{other}]({other}) and [a mill](https://mill.example/{section}) (accessed 2025-11-13):\n"
            f"1. {sentence(chance)}\n   - {sentence(chance)}\n2. {sentence(chance)}\n"
        )
        size += sum(len(block) for block in new)
        blocks += new
    return "\n".join(blocks)


def bullets(chance: random.Random) -> str:
    """A list directly under its lead, nested by two spaces."""
    lines = [f"**{chance.choice(NOUNS).title()} in short**:"]
    for _ in range(4):
        lines += [f"- {sentence(chance)}", f"  - {sentence(chance)}", f"  - {sentence(chance)}"]
    return "\n".join(lines) + "\n"


def table(chance: random.Random) -> str:
    """A table of ten rows."""
    rows = [f"| {chance.choice(NOUNS)} | {chance.randint(1, 999)} | {chance.choice(VERBS)} |" for _ in range(10)]
    return "| Part | Grams | What it does |\n|------|------:|--------------|\n" + "\n".join(rows) + "\n"


def plan(chance: random.Random, number: int, uris: list[str]) -> str:
    """A plan whose PARTs are to make the pages."""
    month = f"2024-{number % 12 + 1:02}"
    blocks = [f"# Plan {number}: {slug(chance)}\n\n**Topic**: {sentence(chance)}\n**Date**: {month}-06\n\n---\n"]
    for part, uri in enumerate(uris, 1):
        mark = chance.choice(MARKS)
        when = f" (Completed {month}-{part + 9} 07:08 UTC)" if mark in {"[✓]", "[x]"} else ""
        sections = "".join(
            f"- [ ] Section {n}: {chance.choice(NOUNS).title()} (~100 lines)\n"
            + "".join(f"      - {sentence(chance)}\n" for _ in range(4))
            for n in range(1, 5)
        )
        queries = "".join(f'- [ ] Search: "{" ".join(chance.sample(NOUNS, 4))}"\n' for _ in range(4))
        blocks.append(
            f"## PART {part}: Create {uri} (400 lines)\n\n- {mark} PART {part}: Create {uri}{when}\n\n"
            f"**Step 0: Check existing knowledge**\n- [ ] Read INDEX.md\n"
            f'- [ ] Grep for "{NOUNS[part]}" AND "x" in {uri.split("/")[0]}/\n\n'
            f"**Step 1: Web research**\n{queries}\n**Step 3: Write the page**\n{sections}\n"
            f"**Step 4: Leave a KNOWLEDGE DROP**\n- [ ] Create KNOWLEDGE-DROP-{number}-{part}-<date>.md\n"
        )
    return "\n".join(blocks)
