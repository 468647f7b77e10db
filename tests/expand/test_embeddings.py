"""`planbook expand` with a model of word vectors: what it finds, when it begins anew, and what it is told to mend."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator.expand.context import WorkerSpec
from generator.expand.events import Clock
from generator.expand.options import read_options
from generator.store import read_settings
from tests.expand.base import make_repository
from tests.expand.loopback import SearchWeb, environment, expand
from tests.expand.test_cluster import Processes, cluster
from tests.research.static_models import WORDS, save_model

__all__ = ["cluster"]

PLAN = (
    "# Mills\n\n## PART 1: Create mills/1.md\n\n- [ ] PART 1: Create mills/1.md\n\n**Step 1: Web research**\n"
    '- [ ] Search: "mills"\n\n**Step 2: Write the page**\n'
    "- [ ] Section 1: Flour (~60 lines)\n    - What flour costs\n\n"
)
TEXT = (
    "The price of a sack is nine euros in the north.",
    "The wheel is a stone of three feet that turns slowly.",
    "An axle of oak turns the stone from below, day and night.",
    "Water keeps the wheel cool while it turns in the sun.",
    "The miller rests at noon and tells stories to children.",
)
LINE = 9
"""Where the option stands."""
GUARD = Path(__file__).parents[1] / "guard" / "sitecustomize.py"
"""Not imported here: it would guard this process a second time, with an error of its own."""
HIDE = "import sys; sys.modules['model2vec'] = None\n"


def base(folder: Path, web: SearchWeb, embeddings: str | None = "../models/small") -> Path:
    """A base with one PART, whose point is answered in other words; and the model that knows them."""
    web.results["mills"] = [web.url("/mill")]
    web.html(
        "/mill", "<main><h1>The mill</h1>" + "".join(f"<p>{words}</p>" for words in TEXT) + "</main>", title="Mill"
    )
    option = f"        embeddings: {embeddings}\n" if embeddings else ""
    config = (
        "site_name: Mills\nsite_url: https://mills.test/\nplugins:\n  - planbook:\n      expand:\n        pause: 0\n"
        f"        allow_loopback: true\n        commit: false\n{option}"
        "        search:\n          providers: [searxng]\n"
        f"          searxng_url: {web.url('')}\n"
    )
    save_model(folder / "models/small")
    return make_repository(folder / "base", {"mkdocs.yml": config, "plans/mills.md": PLAN, "docs/index.md": "# Home\n"})


def test_the_price_answers_what_flour_costs(tmp_path: Path, web: SearchWeb) -> None:
    """With the model there is a page that quotes it, the same in two bases; without it there is none."""
    pages = []
    for name in ("one", "two"):
        root = base(tmp_path / name, web)
        done = expand(root)
        assert done.returncode == 0, done.stderr
        pages.append((root / "docs/mills/1.md").read_bytes())
    assert pages[0] == pages[1]
    assert b"The price of a sack is nine euros" in pages[0]
    without = base(tmp_path / "three", web, None)
    done = expand(without, "--json")
    assert done.returncode == 3
    assert "matches the outline" in json.loads(done.stdout)["pages"][0]["reason"]


def test_with_another_model_work_begins_anew(tmp_path: Path, web: SearchWeb) -> None:
    """The model is among what decides a page, by its content; without the option it is not even named."""

    def ways(folder: str, embeddings: str | None = "../models/small") -> dict[str, object]:
        settings = read_settings(base(tmp_path / folder, web, embeddings))
        spec = WorkerSpec(settings, read_options(settings), {}, frozenset(), frozenset(), Clock())
        told: dict[str, object] = json.loads(spec.cache_key)
        return {key: value for key, value in told.items() if key != "search"}

    one = ways("one")
    assert ways("two") == one
    save_model(tmp_path / "three/models/other", {**WORDS, "price": (1, 0, 0, 0)})
    other = ways("three", "../models/other")
    assert other.keys() == one.keys()
    assert [key for key in one if one[key] != other[key]] == ["embeddings"]
    assert "embeddings" not in ways("four", None)


@pytest.mark.parametrize("case", ["no folder", "broken", "no package"])
def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, web: SearchWeb, case: str) -> None:
    """With file and line, before anybody is asked; a dry run tells it, too, where it need not read the model."""
    root = base(tmp_path, web, "minishlab/potion-base-8M" if case == "no folder" else "../models/small")
    if case == "broken":
        (tmp_path / "models/small/tokenizer.json").write_text("{}")
    told = {
        "no folder": "must be a folder with a model, relative to mkdocs.yml, and ",
        "broken": "is 'small', whose model cannot be read: ",
        "no package": "needs the package model2vec; run: python -m pip install 'path/to/planbook[research,embeddings]'",
    }[case]
    code = f"{HIDE if case == 'no package' else ''}from generator.cli import main; main()"
    for more in ([], *([] if case == "broken" else [["--dry-run"]])):
        command = [sys.executable, "-c", code, "expand", "--root", str(root), *more]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment())
        said = done.stdout if more else done.stderr
        assert done.returncode == (0 if more else 1), done.stderr
        (line,) = (line for line in said.splitlines() if "mkdocs.yml" in line)
        assert f"mkdocs.yml:{LINE}: `expand.embeddings` {told}" in line
        assert "Traceback" not in done.stderr
    assert not web.seen
    assert not web.searched


def test_workers_rank_by_the_same_model(tmp_path: Path, web: SearchWeb, cluster: Processes) -> None:
    """They take it from the same path; one that lacks what reads it is told, and nobody is asked."""
    root = base(tmp_path / "here", web)
    cluster.worker("able")
    done = expand(root, "--dask", cluster.address)
    assert done.returncode == 0, done.stderr
    assert "The price of a sack" in (root / "docs/mills/1.md").read_text()
    asked = len(web.seen)
    hides = tmp_path / "hides"
    hides.mkdir()
    (hides / "sitecustomize.py").write_text(f"import runpy; runpy.run_path({str(GUARD)!r})\n{HIDE}")
    cluster.worker("unable", PYTHONPATH=str(hides))
    other = base(tmp_path / "there", web)
    done = expand(other, "--dask", cluster.address)
    assert done.returncode == 1
    assert "cannot rank by meaning: mkdocs.yml:9: `expand.embeddings` needs the package model2vec" in done.stderr
    assert len(web.seen) == asked
    shutil.rmtree(tmp_path / "there/models")
    assert f"mkdocs.yml:{LINE}: `expand.embeddings` must be a folder" in expand(other, "--dask", cluster.address).stderr
