"""Sentences of real documentation, changed so that they say something else, or so that they say the same.

``python -m bench.quality.telling_changes [FOLDER]`` prints what the check of support makes of them: from Python's
documentation, else from the text files below a folder, such as ``/usr/share/doc``.
"""

from __future__ import annotations

import gzip
import itertools
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

from generator.markdown.sentences import sentences_of
from generator.rules.support import judge

Change = Callable[[str, Sequence[str], random.Random], "str | None"]
"""Makes another sentence of one, with the other sentences of its document at hand; ``None`` where it cannot."""

OPPOSITES = """
safe/dangerous used/wiped introduced/abandoned allowed/forbidden enabled/disabled true/false same/different first/last
new/old added/removed start/end before/after above/below increase/decrease larger/smaller more/less faster/slower
success/failure succeeds/fails supported/unsupported valid/invalid left/right open/close opened/closed
returned/discarded raised/suppressed called/ignored evaluated/skipped defined/undefined mutable/immutable always/never
empty/full local/global positive/negative required/optional equal/unequal accepted/rejected read/write public/private
preserved/destroyed created/deleted inner/outer earlier/later with/without ascending/descending implicit/explicit
inside/outside minimum/maximum most/least stored/erased found/lost
"""
PAIRS = [tuple(pair.split("/")) for pair in OPPOSITES.split()]
OTHER = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
MODALS = {
    "may": "must",
    "must": "may",
    "can": "cannot",
    "should": "may",
    "might": "will",
    "will": "may",
    "cannot": "can",
}
BOUNDS = {
    "all": "some",
    "some": "all",
    "every": "no",
    "any": "no",
    "each": "one",
    "most": "all",
    "many": "few",
    "no": "every",
}
UNITS = {
    "bytes": "bits",
    "bits": "bytes",
    "seconds": "minutes",
    "milliseconds": "seconds",
    "minutes": "hours",
    "days": "weeks",
}
UNITS |= {
    "characters": "lines",
    "lines": "characters",
    "MB": "GB",
    "GB": "MB",
    "KB": "MB",
    "percent": "points",
    "hours": "days",
}
RELATIONS = {
    **{"from": "to", "before": "after", "after": "before", "with": "without", "by": "for", "inside": "outside"},
    **{"over": "under", "under": "over", "into": "from", "between": "outside"},
}
TENSES = {"is": "was", "are": "were", "was": "is", "were": "are", "will": "did", "has": "had"}
CONJUNCTIONS = {
    "and": "or",
    "or": "and",
    "if": "unless",
    "unless": "if",
    "because": "although",
    "but": "so",
    "as": "unless",
}
INVENTED = (
    "and deletes all files of the user",
    "which improves security considerably",
    "and was written by Ada Lovelace",
    "but crashes on Windows",
    "so GPUs are wiped",
    "unless the cache is full",
)
DENIAL = re.compile(r"\b(?:not|never|cannot|only|no longer)\b|n['\u2019]t\b")
CONDITION = re.compile(r",? \b(?:if|unless|when|until|except|only if|as long as|provided)\b[^,;]*(?=\.$)")
HEDGE = re.compile(
    r"\b(?:may|might|usually|often|sometimes|typically|normally|generally|almost|probably|possibly|at least|up to) "
)
NAME = re.compile(r"(?<=\w )[A-Z][A-Za-z]+\b|\b\w+(?:_\w+)+\b|\b[A-Z][a-z]+[A-Z]\w+\b")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*\w)")
VERSION = re.compile(r"\b\d+\.\d+(?:\.\d+)?\b")
CONTENT = re.compile(r"\b[a-z]{4,}\b")
COMMON = """
that this these those which with from into then than when where while what will have been were does also such some more
most only very each every both either other over under about after before between because there their they them your
must should could would might here same used using
"""


def swapped(sentence: str, first: re.Match[str], second: re.Match[str]) -> str:
    """The sentence with two of its places swapped."""
    (a, b), (c, d) = first.span(), second.span()
    return sentence[:a] + second[0] + sentence[b:c] + first[0] + sentence[d:]


def by_table(table: dict[str, str]) -> Change:
    """Changes one word that the table has."""

    def change(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
        found = [match for match in re.finditer(r"\b\w+\b", sentence) if match[0] in table]
        if not found:
            return None
        match = dice.choice(found)
        return sentence[: match.start()] + table[match[0]] + sentence[match.end() :]

    return change


def number(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Another number."""
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    match = dice.choice(found)
    return f"{sentence[: match.start()]}{int(match[0]) + dice.choice((1, 2, 10))}{sentence[match.end() :]}"


def version(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Another version."""
    found = list(VERSION.finditer(sentence))
    if not found:
        return None
    match = dice.choice(found)
    return f"{sentence[: match.start()]}{match[0]}{dice.choice(('0', '.1'))}{sentence[match.end() :]}"


def name(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Another name, of those in the document."""
    found = list(NAME.finditer(sentence))
    pool = [match[0] for other in others for match in NAME.finditer(other) if match[0] not in sentence]
    if not found or not pool:
        return None
    match = dice.choice(found)
    return sentence[: match.start()] + dice.choice(pool) + sentence[match.end() :]


def denial(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """A denial put in, or taken out."""
    if DENIAL.search(sentence):
        taken = re.sub(r"\bcannot\b", "can", sentence, count=1)
        return (
            taken
            if taken != sentence
            else re.sub(r" (?:not|never|only|no longer)\b|n['\u2019]t\b", "", sentence, count=1)
        )
    put = re.sub(r"\b(is|are|was|were|can|will|may|must|should|does|do)\b", r"\1 not", sentence, count=1)
    return put if put != sentence else None


def roles(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Two of its words in each other's place."""
    common = COMMON.split()
    found = [match for match in CONTENT.finditer(sentence) if match[0] not in common]
    if len(found) < 2:
        return None
    first, second = sorted(dice.sample(found, 2), key=lambda match: match.start())
    return swapped(sentence, first, second) if first[0].rstrip("s") != second[0].rstrip("s") else None


def sides(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """What stands on both sides of its verb, in each other's place."""
    match = re.fullmatch(
        r"(?:The |An? )?([\w ]{3,40}?) (is|are|calls|returns|raises|precedes|follows) ([\w ]{3,60})\.", sentence
    )
    return f"The {match[3]} {match[2]} {match[1].lower()}." if match and match[1].lower() != match[3].lower() else None


def invention(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Something at its end that nobody said."""
    return f"{sentence.rstrip('.')}, {dice.choice(INVENTED)}."


def invented_sentence(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """A sentence behind it that nobody said."""
    return f"{sentence} {dice.choice(('All data is deleted.', 'GPUs are wiped.', 'This was measured on Linux.'))}"


def graft(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Its subject with what another sentence of the document says of another one."""
    verb = re.compile(r" (?:is|are|was|were|can|must|may|will|has|have|returns|raises) ")
    own, theirs = verb.search(sentence), [m for other in others if other != sentence and (m := verb.search(other))]
    if own is None or not theirs:
        return None
    other = dice.choice(theirs)
    made = sentence[: own.start()] + other.string[other.start() :]
    return None if made in others else made


def condition(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """A claim without its condition."""
    made = CONDITION.sub("", sentence)
    return made if made != sentence and len(made.split()) > 3 else None


def hedge(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """A claim without what weakens it."""
    made = HEDGE.sub("", sentence, count=1)
    return made if made != sentence else None


def comparison(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """A comparison the other way round."""
    match = re.search(r"\b(?P<one>\w+) (?P<how>\w+ (?:\w+er|more \w+|less \w+) than) (?P<two>\w+)\b", sentence)
    if not match or match["one"].lower() == match["two"].lower():
        return None
    return f"{sentence[: match.start()]}{match['two']} {match['how']} {match['one']}{sentence[match.end() :]}"


def restriction(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """A remark made a condition: which ones, in the place of what they all are."""
    made = re.sub(r", (which|who|whose) ([^,]+),", r" \1 \2", sentence)
    return made if made != sentence else None


def run_together(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Two sentences as one, without the mark between them."""
    at = others.index(sentence)
    unmarked = re.sub(r"\.+(?=[^\w.]*$)", "", sentence)
    return f"{unmarked} {others[at + 1]}" if at + 1 < len(others) else None


def under_a_denial(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """The next sentence put under the denial or the condition of this one."""
    at = others.index(sentence)
    is_bound = re.search(r"\b(?:not|never|only|if|unless|no)\b", sentence, re.IGNORECASE)
    if not is_bound or at + 1 == len(others):
        return None
    return f"{sentence.rstrip('.')} and {others[at + 1][0].lower()}{others[at + 1][1:]}"


def word_left_out(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without one of its words, such as the one that says which files."""
    common = COMMON.split()
    found = [match for match in re.finditer(r"\b[a-z]{4,} (?=[a-z]{4,}\b)", sentence) if match[0].strip() not in common]
    if not found:
        return None
    match = dice.choice(found)
    return sentence[: match.start()] + sentence[match.end() :]


def item_left_out(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without one of the things that it lists."""
    made = re.sub(r", \w+(?=,? (?:and|or) )", "", sentence, count=1)
    return made if made != sentence else None


TELLING: dict[str, Change] = {
    "opposite": by_table(OTHER),
    "number": number,
    "version": version,
    "unit": by_table(UNITS),
    "name": name,
    "denial": denial,
    "modality": by_table(MODALS),
    "quantity": by_table(BOUNDS),
    "two words swapped": roles,
    "subject and object swapped": sides,
    "invention at the end": invention,
    "invented sentence": invented_sentence,
    "subject of one, statement of another": graft,
    "without its condition": condition,
    "without its hedge": hedge,
    "relation": by_table(RELATIONS),
    "tense": by_table(TENSES),
    "conjunction": by_table(CONJUNCTIONS),
    "comparison turned": comparison,
    "remark made a condition": restriction,
    "two run together": run_together,
    "under the denial of another": under_a_denial,
    "without one of its words": word_left_out,
    "without one of a list": item_left_out,
}


# --- changes that change nothing -------------------------------------------------------------------------------------


def as_it_is(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """To the letter."""
    return sentence


def contracted(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """With or without contractions."""
    made = re.sub(r"\b(do|does|is|are|was|were) not\b", r"\1n't", sentence)
    made = made if made != sentence else re.sub(r"\b(do|does|is|are|was|were)n['\u2019]t\b", r"\1 not", sentence)
    return made if made != sentence else None


def articles(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """With other articles; "the number of" says something else than "a number of"."""
    made = re.sub(r"\b(?:a|an) (?!few |little |number )", "the ", sentence)
    return made if made != sentence else None


def plain(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without quotation marks."""
    made = re.sub(r"[\"“”`]|(?<!\w)\*|\*(?!\w)", "", sentence)  # not of `4*0.7`
    return made if made != sentence else None


def joined(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without the word that joins it to the one before."""
    made = re.sub(
        r"^(?:However|Therefore|Thus|Also|In addition|For example|Note that|Moreover|Furthermore|Hence),? ",
        "",
        sentence,
    )
    return made[0].upper() + made[1:] if made != sentence else None


def unbracketed(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without what stands in brackets."""
    made = re.sub(r" \([^()]*\)", "", sentence)
    return made if made != sentence else None


def unrelated(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without a remark behind a comma."""
    made = re.sub(r", (?:which|because|such as|including) [^,;]*(?=\.$)", "", sentence)
    return made if made != sentence else None


def both(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Two sentences that follow each other."""
    at = others.index(sentence)
    return f"{sentence} {others[at + 1]}" if at + 1 < len(others) else None


def without_adverb(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without an adverb in -ly."""
    made = re.sub(r" (?!only)[a-z]+ly\b", "", sentence, count=1)
    return made if made != sentence else None


def without_end(sentence: str, others: Sequence[str], dice: random.Random) -> str | None:
    """Without what follows the last "in", "for", "with" or "by"."""
    made = re.sub(r" (?:in|for|with|by|from|on) [\w ]+(?=\.$)", "", sentence)
    return made if made != sentence and len(made.split()) > 4 else None


FAITHFUL: dict[str, Change] = {
    "to the letter": as_it_is,
    "contractions": contracted,
    "other articles": articles,
    "without quotation marks": plain,
    "without the joining word": joined,
    "without brackets": unbracketed,
    "without a remark behind a comma": unrelated,
    "two that follow each other": both,
}
LOOSER: dict[str, Change] = {"without an adverb": without_adverb, "without its last phrase": without_end}
"""Most of these say the same, and some do not: the check cannot tell, and refuses."""


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence that was made from a passage."""

    kind: str
    sentence: str
    passage: str


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text that are prose: not indented, a sentence at least."""
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        folded = " ".join(" ".join(lines).split())
        is_prose = all(line[:1].strip() and line[:1] not in "*-#|>+" for line in lines)
        if is_prose and re.fullmatch(r"[A-Z\"“].*[.]", folded) and 8 <= len(folded.split()) <= 120:
            yield folded


def cases(texts: Sequence[str], changes: dict[str, Change], seed: int, each: int) -> Iterator[Case]:
    """At most so many cases of each kind, from paragraphs all over the texts.

    A change that tells is made of sentences that are supported as they are: others are refused anyway.
    """
    dice = random.Random(seed)  # noqa: S311 - the same cases each time
    passages = sorted({paragraph for text in texts for paragraph in paragraphs(text)})
    for kind, change in changes.items():
        dice.shuffle(passages)
        made_of = (_case(kind, change, passage, dice) for passage in passages)
        yield from itertools.islice(filter(None, made_of), each)


def _case(kind: str, change: Change, passage: str, dice: random.Random) -> Case | None:
    there = [sentence.strip() for sentence in sentences_of(passage)]
    sentence = dice.choice(there)
    made = change(sentence, there, dice) if len(sentence.split()) >= 5 else None
    if not made or (made == sentence and change is not as_it_is):
        return None
    is_good = kind not in TELLING or judge(sentence, [passage]).is_supported
    return Case(kind, made, passage) if is_good else None


def texts_of(folder: Path) -> list[str]:
    """The text files below a folder, packed ones too; not the lists of changes and licences."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.name.lower()
        is_text = name.startswith("readme") or name.endswith((".txt", ".md", ".rst", ".gz"))
        if is_text and path.is_file() and "changelog" not in name and "copyright" not in name:
            raw = path.read_bytes()
            found.append((gzip.decompress(raw) if name.endswith(".gz") else raw).decode("utf-8", errors="ignore"))
    return found


def main(arguments: Sequence[str]) -> None:
    """Print how many sentences of each kind are supported."""
    texts = texts_of(Path(arguments[0])) if arguments else list(topics.values())
    for title, changes in (("say something else", TELLING), ("say the same", FAITHFUL), ("mostly the same", LOOSER)):
        judged = [(case.kind, judge(case.sentence, [case.passage])) for case in cases(texts, changes, seed=1, each=200)]
        print(f"{title}: {sum(found.is_supported for _, found in judged)} of {len(judged)} supported")
        for kind in changes:
            of_kind = [found for name, found in judged if name == kind]
            pointing = sum("points to" in found.reason or "whoever" in found.reason for found in of_kind)
            supported = sum(found.is_supported for found in of_kind)
            print(f"  {kind}: {supported} of {len(of_kind)}, {pointing} refused for words such as it, this and we")


if __name__ == "__main__":
    main(sys.argv[1:])
