"""Misspelled words: how many letters were left out, added, replaced or exchanged."""

from __future__ import annotations

from functools import lru_cache

MAX_LENGTH = 24
"""Longer words are not compared."""

_LONG_WORD = 7
"""In words from this length on, two slips are allowed."""

_WORDS = frozenset(
    """
    art cart chart dart mart pact park party past port start apart tart bread dread head red
    ready tread crate crates cite site sites city steep steps stem stop strep session sessions
    selection station suction action starch reach research march perch scrap script grape write
    rite trite files pages liens line lined liner lies nine mines goals title titles search
    query inquiry part parts step section sections read create creates catch match batch patch
    fetched check cheek recheck reviews preview review identity exclude excludes excluded sep
    for tent fort on fine ore gain cute lite kite bite grey green greps lead road read-only seep
    ship coal context contact contacts update updates updated dated fourth sixth ninth tenth fifth
    goal states
    """.split()  # noqa: SIM905 - a list has a word a line
)
"""Correct words that resemble one of the table."""
_ENDINGS = ("s", "d", "r", "es", "ed", "er", "ing", "'s")


@lru_cache(maxsize=1 << 13)
def is_misspelling(word: str, name: str, *, may_replace: bool = True) -> bool:
    """Return True if `word` is `name` with a slip or two, and is no other word or form of it.

    Case is ignored.

    Args:
        word: One word or several.
        name: The right spelling.
        may_replace: False if no letter may be replaced by another.
    """
    word, name = word.casefold(), name.casefold()
    if word == name or word in _WORDS or not 3 <= len(word) <= MAX_LENGTH:
        return False
    stems = (name, name.removesuffix("e"))
    if word in {f"{stem}{ending}" for stem in stems for ending in _ENDINGS}:
        return False
    limit = 2 if min(len(word), len(name)) >= _LONG_WORD else 1
    return count_slips(word, name, limit=limit, may_replace=may_replace) <= limit


def count_slips(word: str, name: str, *, limit: int, may_replace: bool = True) -> int:
    """Return how many slips part two words.

    A slip is a letter left out, added, replaced, or exchanged with its neighbour.

    Returns:
        The number of slips (the optimal string alignment distance), or more than `limit` if it
        exceeds that.
    """
    if abs(len(word) - len(name)) > limit:
        return limit + 1
    cost_of_replacing = 1 if may_replace else 2
    row_above: list[int] = []
    above = list(range(len(name) + 1))
    for i, letter in enumerate(word, start=1):
        row = [i]
        for j, other in enumerate(name, start=1):
            replaced = above[j - 1] + (0 if letter == other else cost_of_replacing)
            best = min(above[j] + 1, row[j - 1] + 1, replaced)
            is_exchange = i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other
            if is_exchange:
                best = min(best, row_above[j - 2] + 1)
            row.append(best)
        row_above, above = above, row
    return above[-1]
