"""The table of error rates reads sets as their makers lay them out, and says how sure each figure is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bench.quality.__main__ import main
from bench.quality.answers import untokenized
from bench.quality.pages import token_f1
from bench.quality.table import ROWS, mean, share
from tests.repositories import make_repository

TEXT = "Water at 80 degrees keeps the catechins in the leaf for two minutes or more. Pour it before 1990 ml are gone."


def lines(path: Path, *rows: dict[str, Any]) -> None:
    """Write a file of the JSON Lines format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def sets(tmp_path: Path) -> list[str]:
    """Made-up sets, as arguments."""
    for n, kind in enumerate(("documentation", "forum", "article")):
        about = {
            "url": "https://docs.tea.test/brew",
            "_internal": {"page_type": {"primary": kind}},
            "ground_truth": {"title": "Brewing", "publish_date": "2026-03-01", "main_content": TEXT},
        }
        lines(tmp_path / "wcxb" / "dev" / "ground-truth" / f"{n}.json", about)
        body = f"<html><head><title>Brewing | Tea</title></head><body><article><p>{TEXT}</p></article></body></html>"
        page = tmp_path / "wcxb" / "dev" / "html" / f"{n}.html.gz"
        page.parent.mkdir(exist_ok=True)
        page.write_bytes(gzip.compress(body.encode()))
    asked = {"passages": [{"title": "Tea", "text": TEXT.replace(".", " .")}]}
    data = tmp_path / "clapnq" / "annotated_data" / "dev"
    lines(data / "clapnq_dev_answerable.jsonl", {**asked, "input": "what keeps catechins in the leaf"}, {})
    lines(data / "clapnq_dev_unanswerable.jsonl", {**asked, "input": "who invented the steam engine"}, {})
    report = tmp_path / "reports"
    text = f"Tea is brewed ([Tea](https://tea.test/brew)).\n\n> {TEXT}\n> — [Tea](https://tea.test/brew)\n"
    commit = make_repository(report / "mirrors" / "tea" / "tea.git").commit({"report.md": text})
    (report / "copies").mkdir()
    (report / "copies" / "manifest.csv").write_text("address,date,file\nhttps://tea.test/brew,2026-11-02,brew.txt\n")
    (report / "copies" / "brew.txt").write_text(TEXT)
    address = f"https://github.com/tea/tea/blob/{commit}/report.md"
    labels = f"- address: {address}\n  claims: [1, 3, 9]\n  supported: [3]\n"
    (report / "claims.yml").write_text(labels)
    return [part for name in ("wcxb", "clapnq", "reports") for part in (f"--{name}", str(tmp_path / name))]


def test_all_rows(sets: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each row has its line, with the figure that the made-up sets give."""
    main([*sets, "--json", str(tmp_path / "found.json")])
    found = json.loads((tmp_path / "found.json").read_text())["rows"]
    assert list(found) == [row.name for row in ROWS]
    values = {name: (figure["value"], figure["n"]) for name, figure in found.items()}
    wanted: dict[str, tuple[float, int]] = {
        "text-documentation": (1, 1),
        "title": (1, 3),
        "date-found": (0, 3),
        "date-differs": (0, 0),
    }
    wanted |= {"answers": (1, 1), "abstains": (1, 1)}
    wanted |= {"claims-found": (2 / 3, 3), "claims-right": (1, 2), "claims-supported": (1, 1)}
    assert {name: values[name] for name in wanted} == wanted
    assert capsys.readouterr().out.count("\n| ") == len(ROWS) + 2


def test_intervals() -> None:
    """Wilson's for shares; a bootstrap for means, the same each time."""
    assert str(share([True] * 22)) == "1.000 (0.851–1.000), n = 22"
    assert str(share([])) == "–, n = 0"
    values = [0.5, 0.7, 0.9, 1.0]
    assert mean(values) == mean(values)
    assert mean(values).value == pytest.approx(0.775)
    assert 0.5 <= mean(values).low < 0.775 < mean(values).high <= 1


def test_words_are_compared_as_the_set_does() -> None:
    """Without case and marks, each as often as it occurs; texts are freed of the blanks of their tokens."""
    assert token_f1("The leaf, the CUP", "the cup") == pytest.approx(2 * 2 / 6)
    assert token_f1("", "") == 1
    assert token_f1("", "cup") == 0
    assert (
        untokenized("`` Tea 's leaf '' ( green ) is n't self - made .") == "\" Tea's leaf \" (green) isn't self-made."
    )
