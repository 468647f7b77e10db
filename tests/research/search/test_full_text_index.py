"""A folder of documents: what is read, how it is found and cited, and how the index follows the folder."""

from __future__ import annotations

import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planbook.model import Query
from planbook.research.search.chain import rank_works
from planbook.research.search.document_folder import Folder, own_address
from planbook.research.search.full_text_index import Documents, UnreadableIndexError
from planbook.research.web.model import Outcome
from tests.research.search.local_folder import FILES, OpenDocuments, found, read, write
from tests.research.web.server import make_pdf, shown

# --- reading ------------------------------------------------------------------------------------------------------


def test_documents_are_cited_by_their_source_or_their_path(open_documents: OpenDocuments) -> None:
    """What names its source is cited by it; the others by their path from the project's folder, not this machine's."""
    documents = open_documents()
    assert set(found(documents, "water")) == {
        "file:///documents/water.md",
        "https://kettle.example/guide/",
        "file:///documents/leaves/green.txt",
    }
    assert found(documents, "oolong") == ["https://tea.example/oolong"]
    assert own_address("documents", "a b/ü#?.md") == "file:///documents/a%20b/%C3%BC%23%3F.md"


def test_markdown(open_documents: OpenDocuments) -> None:
    """Front matter becomes metadata, the rest is the text; the first heading is the title where none is given."""
    documents = open_documents()
    oolong = read(documents, "https://tea.example/oolong")
    assert (oolong.outcome, oolong.requests, oolong.media_type) == (Outcome.OK, 0, "text/markdown")
    assert (oolong.title, oolong.author, oolong.date, oolong.language) == ("Oolong", "A. Author", "2026-01-06", "en")
    assert oolong.text == oolong.visible == "Oolong is half oxidised."
    water = read(documents, "file:///documents/water.md")
    assert water.title == "Water for tea"
    assert water.text == FILES["water.md"].strip()


def test_the_title_of_markdown_is_a_heading(tmp_path: Path) -> None:
    """Underlined or not; a comment in code is none."""
    shell = "```sh\npip install spy\n# OR\nbrew install spy\n```\n"
    (tmp_path / "underlined.md").write_text(f"spy: a profiler\n=====\n\n{shell}")
    (tmp_path / "none.md").write_text(f"Install it:\n\n{shell}\n## Options\n")
    folder = Folder(tmp_path, "documents")
    assert folder.read("underlined.md").title == "spy: a profiler"
    assert folder.read("none.md").title == "none"


def test_restructured_text(tmp_path: Path) -> None:
    """Its first heading is its title, and a list of changes is known by it."""
    (tmp_path / "releases.rst").write_text(".. _releases:\n\nRelease notes\n=============\n\nVersion 2\n---------\n")
    included = ".. include:: ../common/head.rst\n===============\nEndpoints\n===============\n\nText.\n"
    (tmp_path / "endpoint.rst").write_text(included)
    (tmp_path / "plain.rst").write_text("Nothing is underlined here.\n")
    folder = Folder(tmp_path, "documents")
    assert folder.read("releases.rst").title == "Release notes"
    assert folder.read("endpoint.rst").title == "Endpoints"
    assert folder.read("plain.rst").title == "plain"


def test_html(open_documents: OpenDocuments) -> None:
    """A saved page has its main text as Markdown, all that is visible, and the address it names as its own."""
    kettle = read(open_documents(), "https://kettle.example/guide")
    assert (kettle.url, kettle.title, kettle.media_type) == (
        "https://kettle.example/guide/",
        "Kettles compared",
        "text/html",
    )
    assert "forty litres in each of them" in kettle.text
    assert "Kettles compared" in kettle.visible


def test_a_page_saved_by_a_browser(folder: Path, open_documents: OpenDocuments) -> None:
    """The note that browsers write on top of a saved page tells where it is from."""
    note = "<!-- saved from url=(0026)https://saved.example/page -->"
    write(folder, {"saved.htm": f"<!DOCTYPE html>\n{note}\n<html><body><p>Rooibos is no tea.</p></body></html>"})
    assert found(open_documents(), "rooibos") == ["https://saved.example/page"]


def test_pdf(folder: Path, open_documents: OpenDocuments) -> None:
    """PDFs are read as fetched ones are."""
    write(folder, {"report.pdf": make_pdf(shown("Matcha is ground"), shown("to a powder"), title="Matcha")})
    fetched = read(open_documents(), "file:///documents/report.pdf")
    assert fetched.title == "Matcha"
    assert fetched.text.split() == ["Matcha", "is", "ground", "to", "a", "powder"]


@pytest.mark.parametrize(
    "front",
    [
        "url: ftp://tea.example/",
        "url: [https://tea.example/]",
        "url: https://user:pw@tea.example/",
        "source_url: javascript:alert(1)",
        "url: 7",
    ],
)
def test_a_source_that_is_no_address(front: str, folder: Path, open_documents: OpenDocuments) -> None:
    """Only a whole http(s) address is a source; else the path is what is cited."""
    write(folder, {"x.md": f"---\n{front}\n---\n\nSencha.\n"})
    assert found(open_documents(), "sencha") == ["file:///documents/x.md"]


def test_broken_front_matter_is_text(folder: Path, open_documents: OpenDocuments) -> None:
    """A document is not lost over its first lines."""
    write(folder, {"x.md": "---\n: [\n---\n\nSencha.\n"})
    assert "Sencha." in read(open_documents(), "file:///documents/x.md").text


def test_what_cannot_be_read_is_told(folder: Path, open_documents: OpenDocuments) -> None:
    """A file that is too large, no text, no PDF, or empty is named with the reason, and the others are found."""
    write(folder, {"big.txt": "x" * 5_000, "fake.pdf": b"hello", "photo.txt": b"\x89PNG\x00\x00", "empty.html": " "})
    documents = open_documents(max_bytes=4_000)
    troubles = dict(documents.troubles)
    assert set(troubles) == {"big.txt", "fake.pdf", "photo.txt", "empty.html"}
    assert "longer than 4,000 bytes" in troubles["big.txt"]
    assert "PDF" in troubles["fake.pdf"]


def test_what_could_not_be_read_is_tried_again(folder: Path, open_documents: OpenDocuments) -> None:
    """A reader that was cut off, or a limit that was lifted: the trouble does not stay."""
    assert len(open_documents(max_bytes=60).troubles) == 3
    assert open_documents().troubles == ()


def test_what_is_not_looked_at(folder: Path, tmp_path: Path, open_documents: OpenDocuments) -> None:
    """Hidden files and folders, other kinds of files, and, with a message, links that lead out of the folder."""
    write(folder, {".secret.md": "Sencha", ".git/x.md": "Sencha", "x.docx": b"Sencha", "noext": "Sencha"})
    write(tmp_path, {"outside.md": "Sencha", "elsewhere/inside.md": "Sencha"})
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (folder / "lost.md").symlink_to(folder / "nothing.md")
    (folder / "two\nlines.md").write_text("Sencha", encoding="utf-8")
    Path(os.fsdecode(bytes(folder) + b"/latin-\xe9.md")).write_text("Sencha", encoding="utf-8")
    documents = open_documents()
    assert found(documents, "sencha") == []
    assert documents.troubles == ()
    assert [message.partition(":")[0] for message in documents.source.messages] == [
        *(r"latin-\xe9.md", "link.md", "linked", "lost.md", r"'two\nlines.md'")
    ]
    (folder / "water-too.md").symlink_to(folder / "water.md")
    documents.refresh()
    assert "file:///documents/water-too.md" in found(documents, "soft water")


def test_how_far_the_index_is_can_be_told(open_documents: OpenDocuments, folder: Path) -> None:
    """A thousand documents take minutes; within the time of one message, nothing is said."""
    documents = open_documents()
    told: list[str] = []
    documents.refresh(told.append)
    assert told == []
    documents.refresh(told.append, every_s=0.0)
    number = len(Folder(folder, "documents").files())
    assert told == [f"0 of {number} documents read"]


# --- finding ------------------------------------------------------------------------------------------------------


def test_half_of_the_terms_must_be_there(open_documents: OpenDocuments) -> None:
    """A document that holds one word of four does not answer; nothing that answers is an outcome."""
    documents = open_documents()
    assert len(found(documents, "soft water")) == 3
    assert found(documents, "soft water")[0] == "file:///documents/water.md"
    assert found(documents, "soft clear espresso water") == ["file:///documents/water.md"]
    assert found(documents, "water espresso crema arabica") == []
    searched = documents.search(Query("web", "espresso crema"), 5)
    assert (searched.outcome, searched.requests, searched.provider) == (Outcome.OK, 0, "local")
    assert searched.reason


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("oxidising", "https://tea.example/oolong"),
        ('"half oxidised"', "https://tea.example/oolong"),
        ("KETTLES site:kettle.example", "https://kettle.example/guide/"),
        ("temperature AND thermostat", "https://kettle.example/guide/"),
        ("what is the best green leaf", "file:///documents/leaves/green.txt"),
    ],
)
def test_words_are_found_in_their_forms(query: str, first: str, open_documents: OpenDocuments) -> None:
    """Endings, case, operators and common words make no difference; phrases stand as they are."""
    assert found(open_documents(), query)[:1] == [first]


def test_a_title_counts_more(folder: Path, open_documents: OpenDocuments) -> None:
    """A document about a thing comes before one that mentions it."""
    write(
        folder,
        {"a.md": "# Pots\n\nLike a teapot, a samovar is old.\n", "b.md": "# Samovar\n\nIt is made of brass here.\n"},
    )
    assert found(open_documents(), "samovar")[0] == "file:///documents/b.md"


@given(
    st.text(max_size=60)
    | st.sampled_from(['"', '" OR "', "NEAR(a b)", "title: x", "a*", "-a", "^a", "a AND", "*", '""'])
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_query_breaks_the_index(open_documents: OpenDocuments, text: str) -> None:
    """The index's own language is not the user's: every query is words."""
    documents = open_documents(refresh=False)
    assert isinstance(documents.find(text, 3), tuple)
    documents.close()


def test_the_web_s_result_and_the_local_one_are_one_work(open_documents: OpenDocuments) -> None:
    """A document that is here already is not asked for, however the web's result writes its address."""
    documents = open_documents()
    local = documents.search(Query("web", "oolong"), 3)
    hit = replace(local.hits[0], url="http://www.tea.example/oolong/?utm_source=x")
    (candidate,) = rank_works([replace(local, provider="searxng", hits=(hit,)), local])
    assert read(documents, candidate.url).title == "Oolong"
    assert documents.read_local("https://tea.example/other") is None


# --- the index follows the folder ---------------------------------------------------------------------------------


def test_changes_are_seen(folder: Path, open_documents: OpenDocuments) -> None:
    """A new file, a changed one and one that is gone: a refresh is enough, also in the same second and size."""
    documents = open_documents()
    (folder / "water.md").write_text("# Milk for tea\n\nMilk makes a soft tea.\n", encoding="utf-8")
    (folder / "new.md").write_text("Sencha", encoding="utf-8")
    shutil.rmtree(folder / "leaves")
    documents.refresh()
    assert found(documents, "milk") == ["file:///documents/water.md"]
    assert found(documents, "sencha") == ["file:///documents/new.md"]
    assert found(documents, "oolong") == []
    (folder / "new.md").write_text("Chencha", encoding="utf-8")
    documents.refresh()
    (folder / "new.md").write_text("Kenchas", encoding="utf-8")
    documents.refresh()
    assert (found(documents, "chencha"), found(documents, "kenchas")) == ([], ["file:///documents/new.md"])


def test_what_has_not_changed_is_not_read_again(open_documents: OpenDocuments) -> None:
    """The index is kept between runs: a second one reads no file, and says the same of when each was read."""
    first = [read(open_documents(), hit) for hit in ("file:///documents/water.md", "https://tea.example/oolong")]
    again = open_documents(max_bytes=1)  # by which each file that is read would be too large
    assert again.troubles == ()
    assert [read(again, fetched.url) for fetched in first] == first
    assert first[0].fetched


def test_a_touched_file_keeps_its_day(folder: Path, open_documents: OpenDocuments) -> None:
    """The same bytes at a later time are the same document; other bytes are read anew."""
    before = read(open_documents(), "file:///documents/water.md")
    os.utime(folder / "water.md")
    assert read(open_documents(), "file:///documents/water.md") == before


def test_another_reader_reads_all_again(tmp_path: Path, open_documents: OpenDocuments) -> None:
    """Where another version of what reads texts made the index, its texts are made anew, and the days stay."""
    before = read(open_documents(), "file:///documents/water.md")
    with sqlite3.connect(tmp_path / "documents.sqlite") as database:
        database.execute("UPDATE documents SET version = '0 other'")
        database.execute("UPDATE words SET text = 'old words'")
    database.close()
    assert read(open_documents(), "file:///documents/water.md") == before


def test_a_lost_index_is_made_anew(tmp_path: Path, open_documents: OpenDocuments) -> None:
    """The index can be deleted at any time; one that is no index is told, with what to do."""
    open_documents().close()
    (tmp_path / "documents.sqlite").unlink()
    documents = open_documents()
    assert found(documents, "oolong") == ["https://tea.example/oolong"]
    documents.close()
    (tmp_path / "documents.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(UnreadableIndexError, match="delete it"):
        open_documents()


def test_many_threads_search_while_one_refreshes(folder: Path, open_documents: OpenDocuments) -> None:
    """The index is used by all runners at once."""
    documents = open_documents()

    def work(n: int) -> list[str]:
        if n % 5 == 0:
            write(folder, {f"more-{n}.md": "Genmaicha"})
            documents.refresh()
        return found(documents, "soft water", 1)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(40))) == [["file:///documents/water.md"]] * 40
    assert len(found(documents, "genmaicha", 20)) == 8


NAMES = st.sampled_from(["a.md", "b.txt", "c/d.md"])
EDITS = st.lists(
    st.tuples(NAMES, st.none() | st.sampled_from(["Sencha", "Kencha", "Sencha and Kencha", "# T\n\nSencha"])),
    max_size=6,
)


@given(EDITS, EDITS)
def test_refreshing_is_indexing_anew(tmp_path_factory: pytest.TempPathFactory, first: Any, then: Any) -> None:
    """After any edits, a refreshed index and a new one find and read the same."""
    root = tmp_path_factory.mktemp("law")
    folder = root / "documents"
    folder.mkdir()
    with closing(Documents(root / "old.sqlite", Folder(folder, "documents"))) as old:
        for edits in (first, then):
            for name, content in edits:
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                if content is not None:
                    path.write_text(content, encoding="utf-8")
                else:
                    path.unlink(missing_ok=True)
            old.refresh()
        with closing(Documents(root / "new.sqlite", Folder(folder, "documents"))) as new:
            new.refresh()
            for query in ("sencha", "kencha", "sencha kencha"):
                assert old.find(query, 9) == new.find(query, 9)
                for hit in new.find(query, 9):
                    before, after = read(old, hit.url), read(new, hit.url)
                    assert replace(before, fetched="") == replace(after, fetched="")
