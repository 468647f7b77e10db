"""Exports of reference managers beside local documents: what is read of them, and which document each work is.

The shapes are those of exports that were seen in public repositories: Zotero, Better BibTeX, JabRef, Mendeley, Papers
and hand-written files. The works are invented.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.search.documents import Folder
from generator.search.exports import Work, match_works, read_export
from generator.search.index import Documents
from tests.search.test_local import OpenDocuments, folder, found, open_documents, read, write
from tests.web.server import make_pdf, shown

__all__ = ["folder", "open_documents"]

ZOTERO = r"""
@article{mill_water_2017,
	title = {Water for {Tea}: the role of {Ca}$^{\textrm{2+}}$ \& {Mg}},
	volume = {12},
	copyright = {All rights reserved},
	url = {https://www.tea.example/a\_b},
	doi = {10.1234/tea.2017.12},
	number = {3},
	urldate = {2024-02-01},
	journal = {Journal of {Tea} Science},
	author = {Mill, Jos{\'e} and van den Oord, Anna and {World Tea Organization} and Sch{\"o}n, Jr., B.},
	month = jun,
	year = {2017},
	note = {Publisher: Kettle},
	pages = {101--112},
	file = {Full Text PDF:files/12/Mill - 2017 - Water.pdf:application/pdf;Snapshot:files/13/x.html:text/html},
}
"""
BETTER_BIBLATEX = r"""
@inproceedings{oordSteeping2019,
  title = {Steeping},
  subtitle = {A Survey},
  booktitle = {Proceedings of the 4th Conference on Leaves},
  author = {family=Oord, given=Anna, prefix=van den, useprefix=true and family=Li, given=IJsbrand, given-i={{IJ}}},
  date = {2019-04-03},
  eprint = {1904.00001},
  eprinttype = {arXiv},
  pages = {33–40},
  file = {/home/anna/Zotero/storage/7MX8QFJA/Oord and Li - 2019 - Steeping.pdf}
}
"""


def works(text: str, uri: str = "library.bib") -> list[Work]:
    """The works of an export, which must be read without complaint."""
    found = list(read_export(uri, text))
    assert all(isinstance(work, Work) for work in found), found
    return [work for work in found if isinstance(work, Work)]


def matched(entries: str, *paths: str, uri: str = "library.bib") -> dict[str, str]:
    """The citation key of each document."""
    return {path: work.key for path, work in match_works(works(entries, uri), paths)[0].items()}


# --- works ----------------------------------------------------------------------------------------------------------


def test_zotero() -> None:
    """An entry of Zotero's own BibTeX, with names, LaTeX and two files."""
    (work,) = works(ZOTERO)
    assert work.files == ("files/12/Mill - 2017 - Water.pdf", "files/13/x.html")
    assert work.csl_item() == {
        "id": "mill_water_2017",
        "type": "article-journal",
        "title": "Water for Tea: the role of Ca^2+ & Mg",
        "author": [
            {"family": "Mill", "given": "José"},
            {"family": "Oord", "given": "Anna", "non-dropping-particle": "van den"},
            {"literal": "World Tea Organization"},
            {"family": "Schön", "given": "B.", "suffix": "Jr."},
        ],
        "issued": {"date-parts": [[2017, 6]]},
        "container-title": "Journal of Tea Science",
        "volume": "12",
        "issue": "3",
        "page": "101-112",
        "DOI": "10.1234/tea.2017.12",
        "URL": "https://doi.org/10.1234/tea.2017.12",
    }


def test_better_biblatex() -> None:
    """BibLaTeX's names with prefixes, a date, a subtitle, and an arXiv id as the address."""
    (work,) = works(BETTER_BIBLATEX)
    assert work.csl_item() == {
        "id": "oordSteeping2019",
        "type": "paper-conference",
        "title": "Steeping: A Survey",
        "author": [
            {"family": "Oord", "given": "Anna", "non-dropping-particle": "van den"},
            {"family": "Li", "given": "IJsbrand"},
        ],
        "issued": {"date-parts": [[2019, 4, 3]]},
        "container-title": "Proceedings of the 4th Conference on Leaves",
        "page": "33-40",
        "URL": "https://arxiv.org/abs/1904.00001",
    }


@pytest.mark.parametrize(
    ("issued", "parts"),
    [
        ({"date-parts": [["2019", 4, "3"]]}, [2019, 4, 3]),
        ({"date-parts": [[2019]], "season": 2}, [2019]),
        ({"raw": "2019-04"}, [2019, 4]),
        ("2019", [2019]),
    ],
)
def test_csl_json(issued: object, parts: list[int]) -> None:
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
    (work,) = works(json.dumps([item]), "my library.json")
    assert work.csl_item() == {
        "id": "li2019",
        "type": "chapter",
        "title": "Of Camellia & heat",
        "author": [{"family": "Li", "given": "A."}],
        "issued": {"date-parts": [parts]},
        "container-title": "All of tea",
        "page": "9-12",
    }


def test_pandoc_reads_the_same(pandoc: str, tmp_path: Path) -> None:
    """Pandoc, which is not ours, finds the same people, dates, pages and containers."""
    for form, text in (("bibtex", ZOTERO), ("biblatex", BETTER_BIBLATEX)):
        (tmp_path / "x.bib").write_text(text, encoding="utf-8")
        args = [pandoc, "-f", form, "-t", "csljson", str(tmp_path / "x.bib")]
        (theirs,) = json.loads(subprocess.run(args, check=True, capture_output=True, text=True).stdout)
        (work,) = works(text)
        ours = work.csl_item()
        for name in ("type", "container-title", "volume", "issue", "DOI"):
            assert str(theirs.get(name)).casefold() == str(ours.get(name)).casefold()  # it lowers words of titles
        assert theirs["page"].replace("–", "-") == ours["page"]
        assert theirs["issued"] == ours["issued"]
        people = [name.get("family", name.get("literal")) for name in ours["author"]]
        assert [name.get("family", name.get("literal")) for name in theirs["author"]] == people


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("PDF:files/5/A Paper.pdf:application/pdf", ["files/5/A Paper.pdf"]),
        ("files/6/A_Paper.pdf;files/7/s1.html", ["files/6/A_Paper.pdf", "files/7/s1.html"]),
        (r"A, B.pdf:/home/x/Zotero/storage/K/A, B.pdf:application/pdf", ["/home/x/Zotero/storage/K/A, B.pdf"]),
        (r"x.pdf:C\:\\Users\\m\\Zotero\\storage\\K\\A b.pdf:application/pdf", ["C:/Users/m/Zotero/storage/K/A b.pdf"]),
        (r"A\; b.pdf:/z/A\; b.pdf:application/pdf;S:/z/s.html:text/html", ["/z/A; b.pdf", "/z/s.html"]),
        (":leaf2012.pdf:PDF", ["leaf2012.pdf"]),
        ("leaf.pdf:leaf.pdf:PDF", ["leaf.pdf"]),
        (r":C$\backslash$:/Users/m/A{\_}b.pdf:pdf", ["/Users/m/A{_}b.pdf"]),
        (r"files/Li\:2010p7/A's, 2010.pdf", ["files/Li:2010p7/A's, 2010.pdf"]),
        (r"file://localhost/Users/d/A\%20Paper.pdf", ["/localhost/Users/d/A Paper.pdf"]),
        ("{attachments/A (2003).pdf}", ["attachments/A (2003).pdf"]),
        ("", []),
    ],
)
def test_file_fields(value: str, files: list[str]) -> None:
    """Every form in which reference managers write where a work's files are."""
    (work,) = works(f"@article{{a, title = {{A}},\n  file = {{{value}}}\n}}")
    assert [file.removeprefix("C:").lstrip("/") for file in work.files] == [
        file.removeprefix("C:").lstrip("/") for file in files
    ]


def entry(key: str, title: str = "", **fields: str) -> str:
    """An entry of BibTeX."""
    fields = {"title": title or f"The {key}", **fields}
    return f"@article{{{key},\n{''.join(f'  {name} = {{{value}}},{chr(10)}' for name, value in fields.items())}}}\n"


LONG = "Steeping time and the taste of green leaves in hard water"


@pytest.mark.parametrize(
    ("entries", "path"),
    [
        (entry("k", file="files/1/a.pdf"), "files/1/a.pdf"),
        (entry("k", file="/home/x/Zotero/storage/AB/a b.pdf"), "papers/a b.pdf"),
        (entry("k", file=r"C\:\\z\\Caf\'e.pdf;C\:\\z\\e.pdf"), "e.pdf"),
        (entry("k", file="x/Café.pdf"), "Cafe\u0301.pdf"),
        (entry("mill2017"), "sub/Mill2017.pdf"),
        (entry("k", doi="https://doi.org/10.1234/tea.17(2)"), "10.1234_tea.17(2).pdf"),
        (entry("k", LONG), f"{LONG}.pdf"),
        (entry("k", f"{{{{Steeping}}}} {LONG[9:]}"), f"Mill et al. - 2019 - {LONG[:40]}.pdf"),
    ],
)
def test_a_document_is_found_by_file_key_doi_or_title(entries: str, path: str) -> None:
    """By the path, by the name in another folder, by accents stored differently, and by what the name says."""
    assert matched(entries + entry("other", "Another title of many letters and words"), path, "zzz.pdf") == {
        path: "k" if "{k," in entries else "mill2017"
    }


def test_the_path_counts_more_than_the_name() -> None:
    """Two entries have a file of one name; each is the document in its folder."""
    both = entry("one", file="files/1/Paper.pdf") + entry("two", file="/z/storage/2/Paper.pdf")
    assert matched(both, "files/1/Paper.pdf", "pdf/2/Paper.pdf") == {
        "files/1/Paper.pdf": "one",
        "pdf/2/Paper.pdf": "two",
    }


def test_an_export_in_a_folder_names_files_from_there() -> None:
    """Zotero writes `My Library/My Library.bib` beside `My Library/files/`."""
    assert matched(
        entry("k", file="PDF:files/1/a.pdf:application/pdf"), "My/files/1/a.pdf", "x.pdf", uri="My/My.bib"
    ) == {"My/files/1/a.pdf": "k"}


@pytest.mark.parametrize(
    ("entries", "path"),
    [
        (entry("one", file="/a/Paper.pdf") + entry("two", file="/b/Paper.pdf"), "Paper.pdf"),
        (entry("one", LONG) + entry("two", f"{LONG}: a reply"), f"X - {LONG[:40]}.pdf"),
    ],
)
def test_what_may_be_two_works_is_neither(entries: str, path: str) -> None:
    """It is reported with the file, the line and both keys."""
    found, (message,) = match_works(works(entries), [path])
    assert found == {}
    assert message == f"library.bib:1: {path} may be one or two; name it in the `file` field of one entry"


def test_one_work_in_two_exports_is_no_doubt() -> None:
    """The entry that says more counts; of its two files, the PDF is the work."""
    item = {"id": "a", "type": "book", "title": "x", "DOI": "10.1234/TEA.2017.12", "file": "a.html"}
    every = [*works(json.dumps([item]), "z.json"), *works(ZOTERO.replace("files/12/", "").replace("files/13/x", "a"))]
    found, messages = match_works(every, ["a.html", "Mill - 2017 - Water.pdf"])
    assert {path: work.key for path, work in found.items()} == {"Mill - 2017 - Water.pdf": "mill_water_2017"}
    assert messages == []


def test_short_names_are_no_titles() -> None:
    """`a.pdf` is not every work whose title begins with an a."""
    assert matched(entry("k", "A title"), "a.pdf", "notes.md") == {}


# --- broken ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "text", "message"),
    [
        (
            "a.bib",
            f"{entry('one')}\n@article{{x, title = {{No end\n\n{entry('two')}",
            "a.bib:5: the entry cannot be read",
        ),
        ("b.json", '[{"id": "a",\n "type" "book"}]', "b.json:2: not JSON"),
        ("c.json", "[" * 100_000, "c.json:1: not JSON"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(uri: str, text: str, message: str) -> None:
    """And what else is in the export is read."""
    every = list(read_export(uri, text))
    assert [said[: len(message)] for said in every if isinstance(said, str)] == [message]
    assert [work.key for work in every if isinstance(work, Work)] == (["one", "two"] if uri == "a.bib" else [])


def test_an_entry_with_a_key_or_a_field_twice_is_read() -> None:
    """As real exports have them."""
    text = entry("k", file="a.pdf").replace("{a.pdf},", "{a.pdf},\n  file = {b.pdf},") + entry("k")
    assert [work.files for work in works(text)] == [("a.pdf", "b.pdf"), ()]


@pytest.mark.parametrize("text", ['{"name": "x"}', "[1, null]", '[{"id": 1}]', "null"])
def test_other_json_is_no_export(text: str) -> None:
    """Data among the documents is passed over."""
    assert works(text, "data.json") == []


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


@given(st.text("@article{}(),=\"'\\#$%&-~;:/.\n ab1", max_size=200))
def test_any_bibtex_is_read(text: str) -> None:
    """Whatever an entry holds, it comes out as a reference or as a message."""
    for work in read_export(
        "x.bib", f"@article{{k,\n title = {{{text}}}, author = {{{text}}}, file = {{{text}}}}}\n{text}"
    ):
        if isinstance(work, Work):
            json.dumps(work.csl_item(), ensure_ascii=False).encode()
        else:
            assert work.startswith("x.bib:")


# --- documents ------------------------------------------------------------------------------------------------------


def test_a_pdf_is_the_work_that_an_export_names(folder: Path, open_documents: OpenDocuments) -> None:
    """It is found and read by the address of its DOI, with its title, and knows its file; the rest stays as it was."""
    write(folder, {"files/12/Mill - 2017 - Water.pdf": make_pdf(shown("Sencha"), title="final.doc")})
    write(folder, {"my library.bib": ZOTERO})
    documents = open_documents()
    assert found(documents, "sencha") == ["https://doi.org/10.1234/tea.2017.12"]
    assert len(documents) == 5
    fetched = read(documents, "https://doi.org/10.1234/TEA.2017.12")
    assert fetched.title == "Water for Tea: the role of Ca^2+ & Mg"
    assert fetched.work is not None
    assert fetched.work["custom"] == {"file": "documents/files/12/Mill - 2017 - Water.pdf"}
    assert found(documents, "hardness") == ["file:///documents/water.md"]
    assert (documents.troubles, list(documents.messages)) == ((), [])


def test_a_change_of_the_export_is_a_change_of_its_documents(folder: Path, tmp_path: Path) -> None:
    """The file is read again when its entry comes, changes or goes, though the file itself stays."""
    write(folder, {"oord.pdf": make_pdf(shown("Sencha"), title="")})
    with Documents(tmp_path / "documents.sqlite", Folder(folder, "documents")) as documents:
        for doi in ("", "10.1234/a", "10.1234/b", ""):
            write(folder, {"x.bib": entry("oord", doi=doi) if doi else ""})
            documents.refresh()
            assert found(documents, "sencha") == [f"https://doi.org/{doi}" if doi else "file:///documents/oord.pdf"]


def test_a_broken_export_loses_no_document(folder: Path, open_documents: OpenDocuments) -> None:
    """It is reported with file and line, and the documents are there as if it were not."""
    write(folder, {"x.bib": "@article{a,\n", "big.json": "[" + " " * 5_000, "sub/y.json": "[\n{"})
    documents = open_documents(max_bytes=4_000)
    assert len(documents) == 4
    assert [message.partition(": ")[0] for message in documents.messages] == ["big.json:1", "sub/y.json:2", "x.bib:1"]
