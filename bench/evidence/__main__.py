"""Record answers of whoever plays the models, and print the rates of writer and judge."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bench.evidence.model_server import compact, read_records
from bench.evidence.public_sets import FILES, judge_sets, print_attribution, print_public
from bench.evidence.sections import planned_pages, write_sections
from bench.evidence.sentences import judge_sentences, print_rates


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m bench.evidence", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help_ in (("sections", "ask for the sections of plans"), ("sentences", "ask for verdicts on sentences")):
        command = commands.add_parser(name, help=help_)
        command.add_argument("files", nargs="+", type=Path, help="bench/answers/*.yml, or bench/evidence/sentences.yml")
        command.add_argument("--play", type=Path, required=True, help="folder for requests, answers and results")
        command.add_argument("--by", default="", help="who plays the models")
        command.add_argument("--records", nargs="*", type=Path, default=[], help="files of recorded answers")
    rates = commands.add_parser("rates", help="print the rates of recorded verdicts")
    rates.add_argument("verdicts", type=Path)
    rates.add_argument("--labels", type=Path, default=Path("bench/evidence/labels.yml"))
    rates.add_argument("--sentences", type=Path, default=Path("bench/evidence/sentences.yml"))
    keep = commands.add_parser("keep", help="keep recorded answers as test data")
    keep.add_argument("records", nargs="+", type=Path)
    keep.add_argument("--into", type=Path, required=True)
    keep.add_argument("--whole", action="store_true", help="with all that was asked")
    public = commands.add_parser("public", help="ask for verdicts on public sets, or print the rates of the file")
    public.add_argument("verdicts", type=Path)
    for name in FILES:
        public.add_argument(f"--{name.lower()}", dest=name, type=Path, help="a clone of its repository")
    public.add_argument("--play", type=Path, help="folder for requests and answers")
    public.add_argument("--by", default="", help="who plays the models")
    public.add_argument("--records", nargs="*", type=Path, default=[], help="files of recorded answers")
    attribution = commands.add_parser("attribution", help="print what the program alone can tell of AttributionBench")
    attribution.add_argument(
        "files", nargs="+", type=Path, help="its files, such as data/test_ood_all_subset_balanced.jsonl"
    )
    options = parser.parse_args(arguments)
    if options.command == "keep":
        records = read_records(options.records)
        kept = records if options.whole else map(compact, records)
        lines = sorted(json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in kept)
        options.into.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    if options.command == "rates":
        print_rates(options.sentences, options.labels, options.verdicts)
        return
    if options.command == "attribution":
        for file in options.files:
            print_attribution(file)
        return
    if options.command == "public":
        if options.play:
            folders = {name: folder for name in FILES if (folder := getattr(options, name))}
            judge_sets(folders, options.play, read_records(options.records), options.by, options.verdicts)
        print_public(options.verdicts)
        return
    records = read_records(options.records)
    if options.command == "sections":
        write_sections(planned_pages(options.files), options.play, records, options.by)
    else:
        judge_sentences(options.files, options.play, records, options.by)


if __name__ == "__main__":
    main()
