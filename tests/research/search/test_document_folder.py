"""Exports of reference managers beside local documents: what is read of them, and which document each work is.

The shapes are those of exports that were seen in public repositories: Zotero and Better BibTeX
as CSL-JSON. The works are invented.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.research.search.document_folder import Work, match_works, read_export
from tests.research.search.local_folder import OpenDocuments, found, read, write
from tests.research.web.server import make_pdf, shown

WATER = {
    "id": "http://zotero.org/users/1/items/12",
    "citation-key": "mill_water_2017",
    "type": "article-journal",
    "title": "Water for Tea: the role of Ca<sup>2+</sup> &amp; Mg",
    "author": [
        {"family": "Mill", "given": "José"},
        {"family": "Oord", "given": "Anna", "non-dropping-particle": "van den"},
        {"literal": "World Tea Organization"},
        {"family": "Schön", "given": "B.", "suffix": "Jr."},
    ],
    "issued": {"date-parts": [["2017", 6]]},
    "accessed": {"date-parts": [["2024", 2, 1]]},
    "container-title": "Journal of Tea Science",
    "volume": "12",
    "issue": 3,
    "page": "101-112",
    "DOI": "10.1234/tea.2017.12",
    "URL": "https://www.tea.example/a_b",
    "file": "files/12/Mill - 2017 - Water.pdf;files/13/x.html",
}

Items = list[dict[str, Any]]


def works(items: Items, uri: str = "library.json") -> list[Work]:
    """The works of an export with an item a line, which must be read without complaint."""
    found = list(read_export(uri, "[" + ",\n".join(map(json.dumps, items)) + "]"))
    assert all(isinstance(work, Work) for work in found), found
    return [work for work in found if isinstance(work, Work)]


def matched(items: Items, *paths: str, uri: str = "library.json") -> dict[str, str]:
    """The citation key of each document."""
    return {path: work.key for path, work in match_works(works(items, uri), paths)[0].items()}


# --- works ----------------------------------------------------------------------------------------------------------


def test_zotero() -> None:
    """An item with names of every form, two files, and the day on which it was accessed."""
    (work,) = works([WATER])
    assert work.files == ("files/12/Mill - 2017 - Water.pdf", "files/13/x.html")
    assert work.csl_item() == {
        **{name: WATER[name] for name in ("type", "author", "container-title", "volume", "page", "DOI")},
        "id": "mill_water_2017",
        "title": "Water for Tea: the role of Ca2+ & Mg",
        "issued": {"date-parts": [[2017, 6]]},
        "accessed": {"date-parts": [[2024, 2, 1]]},
        "issue": "3",
        "URL": "https://doi.org/10.1234/tea.2017.12",
    }


@pytest.mark.parametrize(
    ("issued", "expected"),
    [
        ({"date-parts": [["2019", 4, "3"]]}, {"date-parts": [[2019, 4, 3]]}),
        ({"date-parts": [[2019]], "season": 2}, {"date-parts": [[2019]], "season": 2}),
        ({"raw": "2019-04"}, {"date-parts": [[2019, 4]]}),
        ("2019", {"date-parts": [[2019]]}),
        ({"date-parts": [[-44, 3, 15]]}, {"date-parts": [[-44, 3, 15]]}),
        ({"date-parts": [[2019], [2021]], "circa": 1}, {"date-parts": [[2019], [2021]], "circa": True}),
        ([{"year": 1950, "month": 2}], {"date-parts": [[1950, 2]]}),
        ({"raw": "30-Mar-2020"}, {"date-parts": [[2020, 3, 30]]}),
        ({"literal": "in <b>press</b>"}, {"literal": "in <b>press</b>"}),
    ],
)
def test_csl_json(issued: object, expected: dict[str, object]) -> None:
    """An item of Zotero's CSL-JSON, whose dates have several forms, and whose id is an address."""
    item = {
        "id": "http://zotero.org/users/1/items/7MX8QFJA",
        "citation-key": "li2019",
        "type": "chapter",
        "title": "Of <i>Camellia</i> &amp; heat",
        "author": [{"family": "Li", "given": "A."}, {"family": ""}, "odd"],
        "issued": issued,
        "container-title": "All of tea",
        "page": "9-12",
        "abstract": "Long.",
    }
    (work,) = works([item], "my library.json")
    assert work.csl_item() == {
        "id": "li2019",
        "type": "chapter",
        "title": "Of Camellia & heat",
        "author": [{"family": "Li", "given": "A."}, {"literal": "odd"}],
        "issued": expected,
        "container-title": "All of tea",
        "page": "9-12",
    }


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("files/5/A Paper.pdf", ["files/5/A Paper.pdf"]),
        ("files/6/A_Paper.pdf; files/7/s1.html", ["files/6/A_Paper.pdf", "files/7/s1.html"]),
        ("/home/x/Zotero/storage/K/A, B.pdf", ["/home/x/Zotero/storage/K/A, B.pdf"]),
        (r"C:\Users\m\Zotero\storage\K\A b.pdf", ["C:/Users/m/Zotero/storage/K/A b.pdf"]),
        ("file:///Users/d/A%20Paper.pdf", ["/Users/d/A Paper.pdf"]),
        ("papers/../A (2003).pdf", ["A (2003).pdf"]),
        ("", []),
    ],
)
def test_file_fields(value: str, files: list[str]) -> None:
    """Every form in which reference managers write where a work's files are."""
    (work,) = works(entry("a", file=value))
    assert list(work.files) == files


def entry(key: str, title: str = "", **fields: str) -> Items:
    """An export with one item."""
    return [{"id": key, "type": "book", "title": title or f"The {key}", **fields}]


@pytest.mark.parametrize(
    ("entries", "path"),
    [
        (entry("k", file="files/1/a.pdf"), "files/1/a.pdf"),
        (entry("k", file="/home/x/Zotero/storage/AB/a b.pdf"), "papers/a b.pdf"),
        (entry("k", file="C:/z/Café.pdf;C:/z/e.pdf"), "e.pdf"),
        (entry("k", file="x/Café.pdf"), "Cafe\u0301.pdf"),
        (entry("mill2017"), "sub/Mill2017.pdf"),
    ],
)
def test_a_document_is_found_by_file_or_key(entries: Items, path: str) -> None:
    """By the path, by the name in another folder, by accents stored differently, and by the key as its name."""
    assert matched(entries + entry("other", "Another title of many letters and words"), path, "zzz.pdf") == {
        path: entries[0]["id"]
    }


def test_an_export_in_a_folder_names_files_from_there() -> None:
    """Zotero writes `My Library/My Library.json` beside `My Library/files/`."""
    assert matched(entry("k", file="files/1/a.pdf"), "My/files/1/a.pdf", "x.pdf", uri="My/My.json") == {
        "My/files/1/a.pdf": "k"
    }


@pytest.mark.parametrize(
    ("entries", "path"), [(entry("one", file="/a/Paper.pdf") + entry("two", file="/b/Paper.pdf"), "Paper.pdf")]
)
def test_what_may_be_two_works_is_neither(entries: Items, path: str) -> None:
    """It is reported with the file, the line and both keys."""
    found, (message,) = match_works(works(entries), [path])
    assert found == {}
    assert message == f"library.json:1: {path} may be one or two; name it in the `file` field of one entry"


def test_one_work_in_two_exports_is_no_doubt() -> None:
    """The entry that says more counts; of its two files, the PDF is the work."""
    item = {"id": "a", "type": "book", "title": "x", "DOI": "10.1234/TEA.2017.12", "file": "a.html"}
    every = [*works([item], "z.json"), *works([{**WATER, "file": "Mill - 2017 - Water.pdf;a.html"}])]
    found, messages = match_works(every, ["a.html", "Mill - 2017 - Water.pdf"])
    assert {path: work.key for path, work in found.items()} == {"Mill - 2017 - Water.pdf": "mill_water_2017"}
    assert messages == []


# --- broken ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "text", "message"),
    [
        ("b.json", '[{"id": "a",\n "type" "book"}]', "b.json:2: not JSON"),
        ("c.json", "[" * 100_000, "c.json:1: not JSON"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(uri: str, text: str, message: str) -> None:
    """It is no export."""
    every = list(read_export(uri, text))
    assert [str(said)[: len(message)] for said in every] == [message]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
csl_values = st.fixed_dictionaries(
    {"id": json_values, "type": st.text()},
    optional={
        name: json_values | st.dictionaries(st.sampled_from(["date-parts", "raw"]), json_values)
        for name in ("title", "author", "issued", "DOI", "URL", "page", "file", "citation-key")
    },
)


@given(st.lists(csl_values | json_values, max_size=3))
def test_any_json_is_read(items: list[Any]) -> None:
    """Whatever an item holds, it comes out as a reference that can be written, or not at all."""
    for work in read_export("x.json", json.dumps(items)):
        assert isinstance(work, Work)
        json.dumps(work.csl_item(), ensure_ascii=False).encode()


# --- documents ------------------------------------------------------------------------------------------------------


def test_a_pdf_is_the_work_that_an_export_names(folder: Path, open_documents: OpenDocuments) -> None:
    """It is found and read by the address of its DOI, with its title, and knows its file; the rest stays as it was."""
    write(folder, {"files/12/Mill - 2017 - Water.pdf": make_pdf(shown("Sencha"), title="final.doc")})
    write(folder, {"my library.json": json.dumps([WATER])})
    documents = open_documents()
    assert found(documents, "sencha") == ["https://doi.org/10.1234/tea.2017.12"]
    fetched = read(documents, "https://doi.org/10.1234/TEA.2017.12")
    assert fetched.title == "Water for Tea: the role of Ca2+ & Mg"
    assert fetched.work is not None
    assert fetched.work["custom"] == {"file": "documents/files/12/Mill - 2017 - Water.pdf"}
    assert found(documents, "hardness") == ["file:///documents/water.md"]
    assert (documents.troubles, list(documents.source.messages)) == ((), [])


def test_a_change_of_the_export_is_a_change_of_its_documents(folder: Path, open_documents: OpenDocuments) -> None:
    """The file is read again when its entry comes, changes or goes, though the file itself stays."""
    write(folder, {"oord.pdf": make_pdf(shown("Sencha"), title="")})
    for doi in ("", "10.1234/a", "10.1234/b", ""):
        write(folder, {"x.json": json.dumps(entry("oord", DOI=doi) if doi else [])})
        assert found(open_documents(), "sencha") == [f"https://doi.org/{doi}" if doi else "file:///documents/oord.pdf"]


def test_a_broken_export_loses_no_document(folder: Path, open_documents: OpenDocuments) -> None:
    """It is reported with file and line, and the documents are there as if it were not."""
    write(folder, {"big.json": "[" + " " * 5_000, "sub/y.json": "[\n{"})
    documents = open_documents(max_bytes=4_000)
    assert len(found(documents, "water")) == 3
    assert [message.partition(": ")[0] for message in documents.source.messages] == ["big.json:1", "sub/y.json:2"]
