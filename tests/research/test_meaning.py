"""Passages that answer by their meaning: a model in a folder, what it finds, and what is wrong with it."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.drafts import PassageKind
from generator.markdown.words import tokens
from generator.research.extract import evidence
from generator.research.extract.meaning import NEAR, MeaningError, Similar, fingerprint, nearness, open_model
from generator.research.extract.ranking import Index, point_terms
from tests.research.documents import brief, sources
from tests.research.static_models import WORDS, save_model
from tests.research.test_evidence import outline, page

PRICE = "The price of a sack is nine euros."
OTHERS = (
    "The wheel is a stone of three feet.",
    "An axle of oak turns the stone.",
    "Water keeps the wheel cool.",
    "The miller rests at noon.",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model's folder."""
    return save_model(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture(scope="module")
def similar(folder: Path) -> Similar:
    """What compares by the model."""
    return open_model(folder)


def texts_found(point: str, *texts: str, similar: Similar | None = None) -> list[str]:
    """The passages that answer the point, in their order."""
    (row,) = evidence(outline(("Mills", [point])), (page(1, *texts),), similar)
    return [passage.text for passage in row.passages]


# --- what is found -----------------------------------------------------------------------------------------------


def test_a_point_on_cost_finds_the_price(similar: Similar) -> None:
    """By the model, and not without it."""
    assert texts_found("What flour costs", PRICE, *OTHERS) == []
    assert texts_found("What flour costs", PRICE, *OTHERS, similar=similar) == [PRICE]


def test_words_and_meaning_count_together(similar: Similar) -> None:
    """What has the point's words stands above what only means it; what has both, at the top."""
    words, both = "The cost is told by the miller.", "The cost, a price in euros, is a cost."
    found = texts_found(
        "cost and expense", words, PRICE, both, *OTHERS, *(t + " Again." for t in OTHERS), similar=similar
    )
    assert found[0] == both
    assert set(found) == {words, PRICE, both}
    assert PRICE not in texts_found("cost and expense", words, PRICE, both, *OTHERS)


def test_what_means_nothing_of_it_stays_out(similar: Similar) -> None:
    """However good the best of the rest may be; so does everything, where the point has no telling word."""
    assert texts_found("What flour costs", *OTHERS, similar=similar) == []
    assert texts_found("What it is and how it is used for this", PRICE, *OTHERS, similar=similar) == []


def test_a_name_in_code_must_stand_in_the_passage() -> None:
    """Meaning does not tell one tool's price from another's."""
    said = ("the price of it", "what rye-mill takes in euros", "a")
    texts = [(tokens(text), "", frozenset[PassageKind]()) for text in said]
    near = {0: 0.9, 1: 0.8}
    index = Index(texts)
    assert [n for n, _ in index.ranked(point_terms("Cost of flour", "", ""), near)] == [0, 1]
    assert [n for n, _ in index.ranked(point_terms("Cost of the new `rye-mill`", "", ""), near)] == [1]
    index.close()


def test_without_a_model_nothing_is_added() -> None:
    """The same passages, to the letter, as where nothing is near."""
    assert evidence(brief(), sources(), lambda text, others: [0.0] * len(others)) == evidence(brief(), sources())


def test_the_same_model_gives_the_same(similar: Similar, folder: Path, tmp_path: Path) -> None:
    """From a copy of the folder, and in whatever order the sources come."""
    again = open_model(shutil.copytree(folder, tmp_path / "copy"))
    wanted = outline(("Mills", ["What flour costs", "cost of the wheel", "Tea leaves"]))
    given_sources = tuple(page(n, PRICE.replace("nine", str(n)), text) for n, text in enumerate(OTHERS, 20))
    assert evidence(wanted, given_sources, similar) == evidence(wanted, given_sources[::-1], again)
    assert any(row.passages for row in evidence(wanted, given_sources, similar))


@given(st.lists(st.floats(-1, 1), max_size=12))
def test_nearness_is_the_way_from_the_middle(likeness: list[float]) -> None:
    """None of those below the middle has any; the order stays; sameness is the end of the way."""
    near = nearness(likeness)
    assert all(0 < one <= 1 for one in near.values())
    assert 2 * len(near) <= len(likeness) + sum(one > 0 for one in likeness)
    assert all(near[n] <= near[m] for n in near for m in near if likeness[n] <= likeness[m])
    assert nearness([*likeness, *[0.0] * (len(likeness) + 1), 1.0])[2 * len(likeness) + 1] == 1.0


def test_a_model_that_finds_all_alike_finds_none() -> None:
    """What stands out counts, not the number by itself."""
    assert nearness([0.8, 0.81, 0.82, 0.83]).keys() == {2, 3}
    assert max(nearness([0.8, 0.81, 0.82, 0.83]).values()) < NEAR
    assert nearness([0.1, 0.1, 0.1, 0.7])[3] >= NEAR
    assert nearness([1.0, 1.0]) == {}


# --- the model ---------------------------------------------------------------------------------------------------


def test_likeness_is_the_cosine(similar: Similar) -> None:
    """Of the mean of the words' vectors; 0 for what the model knows no word of."""
    found = similar("cost", ["price", "wheel water", "zzz", ""])
    one, two = np.array(WORDS["cost"]), np.array(WORDS["price"])
    assert found[0] == pytest.approx(one @ two / np.linalg.norm(one) / np.linalg.norm(two), abs=1e-5)
    both = (np.array(WORDS["wheel"]) + np.array(WORDS["water"])) / 2
    assert found[1] == pytest.approx(one @ both / np.linalg.norm(one) / np.linalg.norm(both), abs=1e-5)
    assert found[2:] == [0.0, 0.0]
    assert similar("zzz", ["price"]) == [0.0]
    assert similar("cost", []) == ()


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_numbers_of_any_size(tmp_path: Path, kind: str) -> None:
    """Models are saved in numbers of several sizes, and a long vector's likeness is no more than 1."""
    rng = np.random.default_rng(7)
    words = {word: tuple(rng.normal(size=512)) for word in WORDS}
    from_disk = open_model(save_model(tmp_path / "wide", words, kind))
    found = from_disk("cost price water", ["cost price water", "water cost price", "wheel"])
    assert found[:2] == [1.0, 1.0]
    assert -0.2 < found[2] < 0.2


def test_many_threads_at_once(similar: Similar) -> None:
    """The same numbers as one, with any tokenizers: those before 0.23 fail where two set one up and use it at once."""
    texts = [f"{PRICE} {n} " * 200 for n in range(40)]
    expected = similar("cost", texts)
    with ThreadPoolExecutor(8) as pool:
        rounds = list(pool.map(lambda n: similar("cost", [*texts, str(n)])[:-1], range(24)))
    assert rounds == [expected] * 24


def test_the_fingerprint_is_of_what_decides(folder: Path, tmp_path: Path) -> None:
    """Another vector or another word is another model; where it lies, and what its README says, are not."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "README.md").write_text("Another text.\n")
    assert fingerprint(copy) == fingerprint(folder)
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        path = copy / name
        before = path.read_bytes()
        path.write_bytes(before + b" ")
        assert fingerprint(copy) != fingerprint(folder)
        path.write_bytes(before)


def break_model(folder: Path, how: str) -> None:
    """Leaves the folder with this defect."""
    if how == "half a file":
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:-9])
    elif how == "a word more":
        path = folder / "tokenizer.json"
        path.write_text(path.read_text().replace('"price":', '"fee":99,"price":'))
    elif how == "no JSON":
        (folder / "config.json").write_text("{")
    elif how == "no tokenizer":
        (folder / "tokenizer.json").write_text("{}")
    elif how == "no number":
        shutil.rmtree(folder)
        save_model(folder, {**WORDS, "price": (math.nan, 0, 0, 0)})
    elif how == "no file":
        (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("half a file", "'small', whose model cannot be read: .*; copy it again"),
        ("a word more", "'small', whose model cannot be read: .*; copy it again"),
        ("no JSON", "'small', whose model cannot be read: .*; copy it again"),
        ("no tokenizer", "'small', whose model cannot be read: .*; copy it again"),
        ("no number", "'small', whose vectors are not all numbers; copy it again"),
        ("no file", r"'small', which is not a model of model2vec: it lacks model\.safetensors"),
    ],
)
def test_a_broken_model_is_told(tmp_path: Path, how: str, message: str) -> None:
    """In one line that says which, and what to do."""
    folder = save_model(tmp_path / "small")
    break_model(folder, how)
    with pytest.raises(MeaningError, match=message):
        open_model(folder)


def test_no_hub_is_asked(tmp_path: Path) -> None:
    """A name of a hub is no folder, and is refused by us; nor would the package itself ask for a path from the root."""
    name = "minishlab/potion-base-8M"
    with pytest.raises(
        MeaningError, match=r"must be a folder with a model, relative to mkdocs\.yml, .* are not downloaded"
    ):
        open_model(Path(name))
    code = (
        "import pathlib, sys\nfrom model2vec import StaticModel\n"
        "sys.addaudithook(lambda event, args: event.startswith('socket.') and print(event))\n"
        "try:\n    StaticModel.from_pretrained(pathlib.Path(sys.argv[1]), force_download=False)\n"
        "except ValueError as error:\n    print(type(error).__name__)\n"
    )
    env = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    command = [sys.executable, "-c", code, str(tmp_path / name)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    assert done.stdout == "HFValidationError\n"
