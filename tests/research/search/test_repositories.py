"""Files of local mirrors: found without a network, read at a commit, cited by permalink."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from planbook.model import Query
from planbook.research.search.full_text_index import UnreadableIndexError
from planbook.research.search.repositories import RepositoryIndex
from planbook.research.web.model import Fetched, Outcome
from planbook.store.options import REPOSITORIES, RepositoryOptions
from tests.repositories import Repository, git, make_repository

FILES: dict[str, str | bytes | None] = {
    "README.md": "# Brew\n\nBrews tea.\n",
    "docs/steep.md": "---\ntitle: Steeping\n---\n\nGreen tea is steeped for two minutes at 80 degrees.\n",
    "docs/pots.rst": "Pots\n====\n\nA pot of cast iron keeps green tea hot.\n",
    "src/kettle.py": "def boil_water(kettle):\n    return kettle.heat(100)\n",
    "src/green.py": "GREEN_TEA = 80  # degrees, green tea is steeped\n" * 40,
    "vendor/pot.md": "# Green tea, vendored and steeped\n",
    ".github/tea.md": "# Green tea, hidden and steeped\n",
    "logo.md": b"\0\1 green tea steeped",
    "data.csv": "green tea, steeped\n",
}


@pytest.fixture
def brew(tmp_path: Path) -> Repository:
    """A repository."""
    made = make_repository(tmp_path / "brew")
    made.commit(FILES)
    return made


@contextmanager
def opened(
    root: Path, options: Mapping[str, RepositoryOptions] | None = None, index: str = "x.sqlite"
) -> Iterator[RepositoryIndex]:
    """The refreshed index."""
    options = options or {"leaf/brew": RepositoryOptions("brew")}
    with closing(RepositoryIndex(root / index, root, options)) as made:
        made.refresh()
        yield made


def found(index: RepositoryIndex, query: str) -> list[str]:
    """The paths of what is found."""
    return [hit.url.partition("/blob/")[2].partition("/")[2] for hit in index.find(query, 9)]


def read(index: RepositoryIndex, url: str) -> Fetched:
    """The file at an address, which is there."""
    fetched = index.read_local(url)
    assert fetched
    return fetched


def test_files_are_found_and_cited_by_permalink(brew: Repository, tmp_path: Path) -> None:
    """Documentation before programs, by its title; nothing hidden, vendored or binary."""
    commit = git(brew.root, "rev-parse", "HEAD")
    with opened(tmp_path) as index:
        assert found(index, "green tea steeped") == ["docs/steep.md", "src/green.py", "docs/pots.rst"]
        hit = index.find("steeping green tea", 1)[0]
        assert (hit.url, hit.title) == (f"https://github.com/leaf/brew/blob/{commit}/docs/steep.md", "Steeping")
        searched = index.search(Query("web", "boil_water"), 3)
        assert (searched.provider, searched.outcome, len(searched.hits)) == (REPOSITORIES, Outcome.OK, 1)
        fetched = read(index, hit.url)
        assert fetched.title == "Steeping – docs/steep.md (leaf/brew)"
        assert fetched.text == str(FILES["docs/steep.md"]).rstrip()
        assert fetched.origin
        assert (fetched.origin.permalink, fetched.origin.committed) == (hit.url, "2026-10-02")


def test_a_file_deleted_on_its_branch_is_read_at_a_commit_only(brew: Repository, tmp_path: Path) -> None:
    """In the history, it is neither found nor read at its branch; an address with the commit, short or not, has it."""
    before = git(brew.root, "rev-parse", "HEAD")
    brew.commit({"docs/steep.md": None})
    with opened(tmp_path) as index:
        assert "docs/steep.md" not in found(index, "green tea steeped")
        for place in ("blob/main", "blob/HEAD", "raw/main"):
            fetched = index.read_local(f"https://github.com/leaf/brew/{place}/docs/steep.md")
            assert fetched is None or fetched.outcome is Outcome.GONE
        for commit in (before, before[:12]):
            address = f"https://github.com/leaf/brew/blob/{commit}/docs/steep.md"
            assert read(index, address).title == "Steeping – docs/steep.md (leaf/brew)"


def test_identifiers_are_words(brew: Repository, tmp_path: Path) -> None:
    """They are found whole and not by their parts; dotted ones as they are written."""
    brew.commit(
        {"src/kettle.py": None, "a.py": "torch_compile = model.max_autotune()\n", "b.md": "Compile, max, torch.\n"}
    )
    with opened(tmp_path) as index:
        assert found(index, "torch_compile") == ["a.py"]
        assert found(index, "model.max_autotune") == ["a.py"]
        assert found(index, "torch") == ["b.md"]


def test_an_identifier_ranks_before_words(brew: Repository, tmp_path: Path) -> None:
    """A program that holds the name of the query precedes prose that shares the query's words, its parts too."""
    prose = "# Load a matrix\n\nLoad the tile of a matrix into shared memory: sync, load, wmma, matrix, syncthreads.\n"
    code = "int unused;\n" * 200 + "wmma::load_matrix_sync(a, tile);\n__syncthreads();\nTileLoader t;\n"
    brew.commit({"load.md": prose, "docs/wmma.md": prose, "parts.md": "# load_matrix_sync of wmma\n", "a.cu": code})
    with opened(tmp_path) as index:
        for query in ("wmma::load_matrix_sync load tile matrix", "__syncthreads", "TileLoader load tile matrix"):
            assert found(index, query)[0] == "a.cu", query


def test_half_of_the_terms_and_no_syntax(brew: Repository, tmp_path: Path) -> None:
    """Two of four terms are enough, and nothing that a query holds is an operator."""
    with opened(tmp_path) as index:
        assert found(index, "cast iron samovar crystal") == ["docs/pots.rst"]
        assert found(index, "cast samovar crystal") == []
        for query in ('"', "NEAR(", "path : x", "*", "a OR", "", "-", "日本", "'; DROP TABLE files"):
            index.find(query, 3)


def test_patterns_choose_the_files(brew: Repository, tmp_path: Path) -> None:
    """Those of gitignore; what they name may be vendored."""
    chosen = RepositoryOptions("brew", files=("docs/**", "!docs/*.rst", "vendor/**"))
    with opened(tmp_path, {"leaf/brew": chosen}) as index:
        assert found(index, "green tea") == ["vendor/pot.md", "docs/steep.md"]


def test_a_ref_is_followed(brew: Repository, tmp_path: Path) -> None:
    """A tag or branch, instead of the main branch; one that is not there is told."""
    git(brew.root, "tag", "v1")
    brew.commit({"docs/steep.md": "# Steeping\n\nOolong.\n"})
    with opened(tmp_path, {"leaf/brew": RepositoryOptions("brew", ref="v1")}) as index:
        assert found(index, "oolong") == []
    with opened(tmp_path) as index:
        assert found(index, "oolong") == ["docs/steep.md"]
    with (
        pytest.raises(UnreadableIndexError, match="leaf/brew has no v2"),
        opened(tmp_path, {"leaf/brew": RepositoryOptions("brew", ref="v2")}),
    ):
        pass
    with (
        pytest.raises(UnreadableIndexError, match="not a git repository"),
        opened(tmp_path, {"leaf/brew": RepositoryOptions(".")}),
    ):
        pass


def test_following_is_indexing_anew(brew: Repository, tmp_path: Path) -> None:
    """New, changed, moved and removed files; afterwards the index finds and ranks as a fresh one."""
    queries = ["green tea steeped", "oolong", "cast iron pot", "brew", "kettle heat", "white"]
    steps: list[dict[str, str | bytes | None]] = [
        {"docs/steep.md": "# Oolong\n\nOolong is steeped longer than green tea.\n"},
        {"docs/pots.rst": None, "docs/moved.rst": FILES["docs/pots.rst"]},
        {"docs/white.md": "# White tea\n", "src/green.py": None},
    ]
    for n, files in enumerate(steps):
        brew.commit(files)
        with opened(tmp_path) as index, opened(tmp_path, index=f"fresh{n}.sqlite") as fresh:
            for query in queries:
                assert found(index, query) == found(fresh, query), query
    with opened(tmp_path) as index:
        assert found(index, "white") == ["docs/white.md"]


def test_only_changes_are_read(brew: Repository, tmp_path: Path) -> None:
    """What did not change keeps its row."""

    def rows(index: RepositoryIndex) -> dict[str, int]:
        return dict(index._database.execute("SELECT path, id FROM files"))

    with opened(tmp_path) as index:
        before = rows(index)
    brew.commit({"docs/steep.md": "# Oolong\n"})
    with opened(tmp_path) as index:
        after = rows(index)
    assert {path for path in before if before[path] != after[path]} == {"docs/steep.md"}


def test_many_files(brew: Repository, tmp_path: Path) -> None:
    """More than one transaction holds, and a second run that finds some of them there."""
    brew.commit({f"many/{n}.md": f"Leaf number{n}.\n" for n in range(2_100)})
    with opened(tmp_path) as index:
        assert found(index, "number2099") == ["many/2099.md"]
        index._database.execute("DELETE FROM files WHERE path = 'many/7.md'")
    with opened(tmp_path) as index:
        assert found(index, "number7") == ["many/7.md"]


def test_a_repository_made_anew(brew: Repository, tmp_path: Path) -> None:
    """Its old texts are gone; nothing leads to them any more."""
    with opened(tmp_path) as index:
        assert found(index, "cast iron")
    shutil.rmtree(brew.root)
    make_repository(brew.root).commit({"new.md": "# Oolong\n"})
    with opened(tmp_path) as index:
        assert found(index, "cast iron") == []
        assert found(index, "oolong") == ["new.md"]


def test_an_address_is_read_from_the_mirror(brew: Repository, tmp_path: Path) -> None:
    """On a branch, at a commit, and a repository's own: its README; always at a commit, and never a fork's."""
    first = git(brew.root, "rev-parse", "HEAD")
    second = brew.commit({"docs/steep.md": "# Oolong\n"})
    base = "https://github.com/leaf/brew"
    fork = Repository(tmp_path / "fork")
    git(tmp_path, "clone", "--quiet", str(brew.root), str(fork.root))
    theirs = fork.commit({"docs/steep.md": "# Theirs\n"})
    git(brew.root, "fetch", "--quiet", str(fork.root), "main:refs/pull/1/head")
    with opened(tmp_path) as index:
        for ref, commit in {"main": second, "HEAD": second, first: first}.items():
            fetched = read(index, f"{base}/blob/{ref}/docs/steep.md")
            assert fetched.url == f"{base}/blob/{commit}/docs/steep.md"
        assert read(index, f"{base}.git").text == "# Brew\n\nBrews tea."
        assert read(index, "https://www.github.com/Leaf/brew/").url == f"{base}/blob/{second}/README.md"
        assert read(index, f"{base}/blob/{theirs}/docs/steep.md").outcome is Outcome.REFUSED
        assert read(index, f"{base}/blob/main/docs/none.md").outcome is Outcome.GONE
        for other in (
            "https://github.com/leaf/other",
            f"{base}/issues/1",
            f"{base}/blob/none/a.md",
            "https://tea.test/",
        ):
            assert index.read_local(other) is None


def test_gitlab(brew: Repository, tmp_path: Path) -> None:
    """Its permalinks have another form, and its groups are nested."""
    commit = git(brew.root, "rev-parse", "HEAD")
    with opened(tmp_path, {"gitlab.com/tea/leaf/brew": RepositoryOptions("brew")}) as index:
        hit = index.find("cast iron", 1)[0]
        assert hit.url == f"https://gitlab.com/tea/leaf/brew/-/blob/{commit}/docs/pots.rst"
        fetched = read(index, f"{hit.url}#L3-4")
        assert fetched.origin
        assert fetched.origin.permalink == f"{hit.url}#L3-4"


def test_a_spoilt_index(brew: Repository, tmp_path: Path) -> None:
    """It is told what to do; one of another version is made anew."""
    (tmp_path / "x.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(UnreadableIndexError, match="delete it"), opened(tmp_path):
        pass
