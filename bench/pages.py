"""Pages that a script makes: so many lines, fences, lists and addresses, with the habits of real ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.code import fence
from bench.text import HABITS, CitedWork, fill, prose, title

CODE_OF_REST = 0.62
"""Of the lines that are left for code and paragraphs, the part that code takes."""
ITEM, LEAD, PARAGRAPH = 1.0, 0.7, 2.2
"""How long texts are beside each other."""
HABIT_BYTES = 2_600
"""A page has a block of `HABITS` for so many of its bytes."""
HEADS = ("Overview", "Core Concepts", "Trade-offs", "Common Pitfalls", "Key Takeaways", "Configuration", "Benchmarks")
LEADS = ("**Key points**:", "**Example:**", "**Why it matters:**", "**Steps:**", "**Trade-offs**:", "**Results**:")


@dataclass(frozen=True)
class Shape:
    """The numbers that a page is to have."""

    size: int
    """In bytes."""
    lines: int
    fences: int
    items: int
    """Of lists, also those that sources and links stand in."""
    headings: int
    rows: int
    """Of tables, without their heads."""
    addresses: int
    """On the web, in the list of sources and in prose together."""
    is_tight: bool
    """Whether lists stand directly under a paragraph's line, as on 94 of 100 real pages."""


@dataclass(frozen=True)
class Gap:
    """A place for text, which is as long as what is left allows."""

    weight: float
    before: str = ""
    after: str = ""


Block = list[str | Gap]
"""Lines that stand together."""


@dataclass
class Draft:
    """A page in the making."""

    chance: random.Random
    shape: Shape
    works: Sequence[CitedWork]
    links: Sequence[str]
    """Lines of a list, each with a relative link."""
    blocks: list[Block] = field(default_factory=list)

    def text(self) -> str:
        """Return the page."""
        sources = self._sources()
        listed = sum(_items(block) for block in sources)
        self.blocks += [self._habit() for _ in range(self.shape.size // HABIT_BYTES)]
        in_prose = self.shape.addresses - sum(_text(block).count("https://") for block in (*sources, *self.blocks))
        self.blocks += [self._citation(self.chance.choice(self.works)) for _ in range(in_prose)]
        if self.links:
            self.blocks.insert(0, ["**Related Knowledge:**", *self._space(), *self.links])
        self.blocks += self._tables()
        self._lists(self.shape.items - listed - sum(map(_items, self.blocks)))
        heads = list(self._headings(self.shape.headings - bool(sources)))
        known = sum(len(block) + 1 for block in (*self.blocks, *sources)) + 2 * len(heads)
        self._code(self.shape.lines - known)
        fenced = sum(len(block) + 1 for block in (*self.blocks, *sources)) + 2 * len(heads)
        self.blocks += [self._paragraph() for _ in range(max(1, (self.shape.lines - fenced) // 2))]
        self.chance.shuffle(self.blocks)
        return self._filled([*self._placed(heads), *sources])

    def _space(self) -> list[str]:
        """What stands between a lead and its list."""
        return [] if self.shape.is_tight else [""]

    def _sources(self) -> list[Block]:
        """The section that lists works: a part of what the page names, in one of four forms."""
        count = min(len(self.works), (self.shape.addresses + 1) // 2)
        if count < 2 or self.chance.random() < 0.12:
            return []
        form = self.chance.choice("ABCD" if self.shape.items > 8 * count else "ABC")
        group = self.chance.choice((["**Web Research:**"], ["**Documentation:**"], []))
        lines = [line for n, work in enumerate(self.works[:count], 1) for line in _source(form, n, work)]
        return [
            [f"## {self.chance.choice(('Sources', 'References', 'Sources and References'))}"],
            [*group, *(self._space() if group else ()), *lines],
        ]

    def _habit(self) -> Block:
        """A block with deep lists, code in odd places, long lines, tables with links, HTML, or works in prose."""
        work = self.chance.choice(self.works)
        block = self.chance.choice(HABITS).replace("{work}", work.title).replace("{url}", work.url)
        return [*fill(self.chance, block).splitlines()]

    def _citation(self, work: CitedWork) -> Block:
        """A place in prose that names a work by its address."""
        link, chance = f"[{work.title}]({work.url})", self.chance
        date = f" (accessed {work.accessed})" if work.accessed else ""
        match chance.randrange(7):
            case 0 | 1 | 2:
                return [f"From {link}{date}:", Gap(PARAGRAPH, '> "' if chance.random() < 0.5 else "")]
            case 3:
                return [Gap(PARAGRAPH, f"According to {link}{date}, ")]
            case 4:
                return [Gap(PARAGRAPH, "", f" See {link}.")]
            case 5:
                return [Gap(PARAGRAPH, "", f" ({fill(chance, '{author} et al., {year}')}; {link})")]
            case _:
                return [f"**Source**: {work.url}{date}"]

    def _tables(self) -> Iterator[Block]:
        left = self.shape.rows
        while left > 0:
            count = min(left, self.chance.randint(2, 9))
            names = [fill(self.chance, "{noun}").title() for _ in range(self.chance.randint(2, 5))]
            rows = [[fill(self.chance, self.chance.choice(("{number} ms", "`{name}`", "{adjective} {noun}", "✅")))
                     for _ in names] for _ in range(count)]  # fmt: skip
            yield [f"| {' | '.join(cells)} |" for cells in (names, ["---"] * len(names), *rows)]
            left -= count

    def _lists(self, items: int) -> None:
        """Add lists: most under a lead, a quarter with lists in them, a sixth with numbers."""
        while items > 0:
            count = min(items, self.chance.randint(2, 7))
            items -= count
            is_numbered, nesting = self.chance.random() < 0.16, self.chance.choice((0, 0, 0, 2, 3))
            lead: Block = [] if self.chance.random() < 0.2 else [self.chance.choice((*LEADS, Gap(LEAD, "", ":")))]
            block: Block = [*lead, *(self._space() if lead else ())]
            for n in range(count):
                is_inner = bool(nesting) and n % 3 > 0
                mark = "- " if is_inner or not is_numbered else f"{n // 3 + 1 if nesting else n + 1}. "
                look = self.chance.choice(("", "", "", "**{noun}**: ", "`{name}`: ", "✅ ", "{product}: "))
                before = f"{' ' * nesting if is_inner else ''}{mark}{fill(self.chance, look)}"
                block.append(Gap(ITEM * self.chance.uniform(0.4, 1.6), before))
            self.blocks.append(block)

    def _headings(self, count: int) -> Iterator[str]:
        """The page's title and the headings of its sections, as many as asked for at least one."""
        yield f"# {title(self.chance)}"
        has_budgets, number = self.chance.random() < 0.25, 0
        for n in range(count - 1):
            if n % 5 == 0:
                number += 1
                words = self.chance.choice(HEADS) if self.chance.random() < 0.3 else title(self.chance)
                yield f"## Section {number}: {words} (~100 lines)" if has_budgets else f"## {words}"
            else:
                yield f"{'####' if n % 5 > 3 else '###'} {title(self.chance)}"

    def _code(self, lines: int) -> None:
        """Add the fences, as long as they may be; some stand directly under their lead."""
        average = min(22.0, lines * CODE_OF_REST / max(self.shape.fences, 1) - 3)
        for _ in range(self.shape.fences):
            code = fence(self.chance, round(average * self.chance.uniform(0.4, 1.6)))
            lead: Block = [self.chance.choice(LEADS)] if self.chance.random() < 0.3 else []
            self.blocks.append([*lead, *code.splitlines()])

    def _paragraph(self) -> Block:
        before = self.chance.choice(("", "", "", "> ", "**Note**: ", "**Critical insight**: "))
        return [Gap(PARAGRAPH * self.chance.uniform(0.4, 1.8), before)]

    def _placed(self, heads: Sequence[str]) -> Iterator[Block]:
        """Put the blocks under the headings, about as many under each."""
        ends = [round(len(self.blocks) * (n + 1) / len(heads)) for n in range(len(heads))]
        begin = 0
        for head, end in zip(heads, ends, strict=True):
            yield [head]
            yield from self.blocks[begin:end]
            begin = end

    def _filled(self, blocks: Sequence[Block]) -> str:
        """Write the texts, as long as the page's bytes allow."""
        gaps = [line for block in blocks for line in block if isinstance(line, Gap)]
        weight = sum(gap.weight for gap in gaps)
        left = self.shape.size - sum(len(_text(block).encode()) + 1 for block in blocks)
        written = []
        for block in blocks:
            for line in block:
                if isinstance(line, Gap):
                    words = prose(self.chance, round(left * line.weight / weight))
                    left, weight = left - len(words.encode()), weight - line.weight
                    written.append(f"{line.before}{words}{line.after}\n")
                else:
                    written.append(f"{line}\n")
            written.append("\n")
        return "".join(written[:-1])


def _source(form: str, number: int, work: CitedWork) -> list[str]:
    """The lines of one work in a list of sources."""
    date = f" (accessed {work.accessed})" if work.accessed else ""
    match form:
        case "A":
            return [f"- [{work.title}]({work.url}) - {work.publisher}{date}"]
        case "B":
            return [f"{number}. **[{work.title}]({work.url})** – {work.publisher}{date}"]
        case "C":
            return [f"- {work.title}. {work.publisher}. {work.url}"]
        case _:
            accessed = [f"  - Accessed: {work.accessed}"] if work.accessed else []
            return [f"- **{work.title}**", f"  - URL: {work.url}", *accessed]


def _text(block: Block) -> str:
    """A block with its gaps empty."""
    return "".join(f"{line.before}{line.after}\n" if isinstance(line, Gap) else f"{line}\n" for line in block)


def _items(block: Block) -> int:
    """How many lines of a block begin an item of a list."""
    lines = (line.before if isinstance(line, Gap) else line for line in block)
    return sum(line.lstrip().startswith("- ") or line.split(".")[0].isdigit() for line in lines)
