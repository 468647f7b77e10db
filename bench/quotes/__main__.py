"""Write the set, or measure the checkers on it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bench.quotes.cases import KINDS, PER_KIND, SEED, Case, Maker
from bench.quotes.checkers import Check, checkers
from bench.quotes.documents import read_documents


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the cases; write or measure them."""
    parser = argparse.ArgumentParser(prog="python -m bench.quotes", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the cases as JSON Lines, and measure nothing")
    parser.add_argument("--per-kind", type=int, default=PER_KIND, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help="(default: %(default)s)")
    options = parser.parse_args(arguments)
    cases = Maker(read_documents(), options.seed).cases(options.per_kind)
    if options.write:
        lines = (json.dumps(case.to_json(), ensure_ascii=False) for case in cases)
        options.write.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return
    kinds = {kind: [case for case in cases if case.kind == kind] for kind in KINDS}
    print(f"Quotes: {len(cases)} cases of {sum(map(bool, kinds.values()))} kinds; share that each checker gets right\n")
    print(f"| Checker | {' | '.join(kinds)} | all |")
    print(f"| --- |{' ---: |' * (len(kinds) + 1)}")
    for name, check in checkers():
        shares = [_share(check, some) for some in kinds.values()]
        print(f"| {name} | {' | '.join(shares)} | {_share(check, cases)} |", flush=True)


def _share(check: Check, cases: Sequence[Case]) -> str:
    right = sum(check(case.quote, case.source) is case.is_quote for case in cases)
    return f"{right / len(cases):.2f}" if cases else "–"


if __name__ == "__main__":
    main()
