"""What makes two addresses one work, and what a work's id is."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.identifiers import work_id, work_key
from planbook.citations.mentions import find_references
from planbook.library.pages import read_page

ONE_WORK = [
    [
        *("https://rye.test/a", "http://rye.test/a", "https://www.rye.test/a", "https://rye.test/a/"),
        *("HTTPS://RYE.test/a", "https://rye.test/a#part", "https://rye.test/a#:~:text=flour"),
        *("https://rye.test/a?utm_source=x&utm_medium=y", "https://rye.test/a?ref=mill", "https://rye.test:443/a"),
        *("https://rye.test/a/index.html", "//rye.test/a"),
    ],
    ["https://rye.test/a%20b", "https://rye.test/a b"],
    [
        *("https://arxiv.org/abs/2301.01234", "http://arxiv.org/pdf/2301.01234"),
        *("https://arxiv.org/pdf/2301.01234v2.pdf", "https://www.arxiv.org/html/2301.01234v1", "arXiv:2301.01234"),
        *("arXiv: 2301.01234v3", "arXiv preprint arXiv:2301.01234", "https://doi.org/10.48550/arXiv.2301.01234"),
        *("https://ar5iv.org/abs/2301.01234", "arxiv.org/abs/2301.01234"),
    ],
    [
        *("https://doi.org/10.1234/Grain.5", "http://dx.doi.org/10.1234/grain.5", "doi:10.1234/grain.5"),
        *("DOI: 10.1234/grain.5.", "10.1234/grain.5", "https://press.test/doi/10.1234/grain.5"),
        *("https://press.test/doi/abs/10.1234/grain.5",),
    ],
    [
        *("https://github.com/mill/grinder", "https://github.com/mill/grinder.git"),
        *("http://www.github.com/mill/grinder/", "https://github.com/mill/grinder?tab=readme-ov-file"),
        *("https://github.com/mill/grinder#readme",),
    ],
    [
        "https://github.com/mill/grinder/blob/main/core.py#L10-L20",
        "https://github.com/mill/grinder/blob/main/core.py#L1",
        "https://github.com/mill/grinder/blob/main/core.py?plain=1#L1",
    ],
    [
        *("bread/11-wheat.md", "/bread/11-wheat.md", "./bread/11-wheat.md", "../bread/11-wheat.md"),
        *("../../bread/11-wheat.md", "bread/11-wheat.md:12-40", "bread/11-wheat.md#storing"),
        *("bread/11-wheat.md#L12-L40", "bread/11-wheat.md (lines 12-40)"),
    ],
]
"""Spellings of one work; each row is another."""

NO_WORKS = ["![[loaf.png]]", "[[loaf.png]]", "![[rye]]", "![loaf](loaf.png)", "[[loaf.png|300]]", r"[[loaf.png\|300]]"]
"""Links to files that are no pages, and embedded ones."""

SEVERAL = [
    *("https://rye.test/", "https://rye.test/a", "https://rye.test/A", "https://rye.test/a/b"),
    *("https://docs.rye.test/a", "https://rye.test/a?id=1", "https://rye.test/a?id=2"),
    *("https://arxiv.org/abs/2301.01235", "https://doi.org/10.1234/x", "https://github.com/mill/grinder/issues/1"),
    *("https://github.com/mill/grinder/issues/2", "bread/11-rye.md", "oats/11-wheat.md"),
]


@pytest.mark.parametrize("spellings", ONE_WORK, ids=lambda spellings: spellings[0])
def test_spellings_of_one_work(spellings: list[str]) -> None:
    """All of them have one key, which is its own key."""
    keys = {work_key(spelling) for spelling in spellings}
    assert len(keys) == 1
    assert {work_key(key) for key in keys} == keys


def test_different_works() -> None:
    """Pages of one site, papers and files are several works."""
    addresses = [*SEVERAL, *(spellings[0] for spellings in ONE_WORK[2:])]
    assert len({work_key(address) for address in addresses}) == len(addresses)


@given(
    st.one_of(st.text(), st.text(alphabet="htps:/.w?#=&%25gabmd-").map("https://".__add__), st.sampled_from(SEVERAL))
)
def test_a_key_is_its_own_key(address: str) -> None:
    """The key of a key is the same, whatever the address."""
    assert work_key(work_key(address)) == work_key(address)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("11-wheat.md", "bread/11-wheat.md", True),
        ("../bread/11-wheat.md", "docs/bread/11-wheat.md", True),
        ("oats/11-wheat.md", "bread/11-wheat.md", False),
        ("wheat.md", "bread/11-wheat.md", False),
    ],
)
def test_the_same_page(one: str, other: str, is_same: bool) -> None:
    """A page is the same, written from the base's root or relative to another page."""
    for first, second in ((one, other), (other, one)):
        references, _ = find_references(f"From [Rye]({first}):\n\nFrom [Wheat]({second}):\n", "docs/oats/01-oats.md")
        assert (len(references) == 1) is is_same


@pytest.mark.parametrize(
    ("address", "title", "name"),
    [
        ("https://docs.rye.test/a", "Rye: a handbook", "rye-handbook"),
        ("https://arxiv.org/abs/2301.01234", "The aging of flour", "arxiv-2301-01234-aging-flour"),
        ("https://github.com/mill/grinder.git", "Grinder", "mill-grinder"),
        ("https://rye.test/a/b", "rye.test/a/b", "rye-b"),
        ("bread/11-wheat.md", "bread/11-wheat.md", "bread-11-wheat"),
        (None, "Local investigation of the mill", "local-investigation-mill"),
        (None, "Über Brötchen", "uber-brotchen"),
        (None, "小麦", "work"),
        ("https://x.y.co.uk/", "", "y"),
        ("https://mill.readthedocs.io/en/stable/rye.html", "Rye flour", "mill-rye-flour"),
        ("https://mill.github.io/rye/", "Rye flour", "mill-rye-flour"),
        ("https://docs.github.com/en/pages", "Pages", "en-pages"),
    ],
)
def test_an_id_is_readable(address: str | None, title: str, name: str) -> None:
    """It says where the work lives and what it is called."""
    assert work_id(address, title) == name


@given(st.one_of(st.none(), st.text(), st.text().map("https://".__add__)), st.text())
def test_an_id_is_stable_and_free(address: str | None, title: str) -> None:
    """The same work has the same id; where that is taken, a number makes another."""
    taken: set[str] = set()
    names = []
    for _ in range(3):
        names.append(work_id(address, title, taken))
        taken.add(names[-1])
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) for name in names)
    assert work_id(address, title) == names[0]
    assert all(a != b for a, b in pairwise(names))
    assert names[1:] == [f"{names[0]}-2", f"{names[0]}-3"]


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ("[2021](https://a.test/tea)", "a.test/tea"),
        ("[img_0231](https://a.test/b.html)", "a.test/b.html"),
        ("Ann Doe and Bo Roe. 2017. Tea is hot. In Proc. of T'17. ACM, 6-10. https://doi.org/10.5555/1", "Tea is hot"),
        ("Ann Doe. 1978. Time, Tea. Commun. ACM 21, 7 (1978), 558–565. https://doi.org/10.1145/1.2", "Time, Tea"),
    ],
)
def test_years_numbers_and_authors_are_no_titles(entry: str, title: str) -> None:
    """A year or an image's number gives way to the address; a reference in ACM's form has the title after its year."""
    page, _ = read_page(f"# T\n\n## References\n\n- {entry}\n".encode(), "a/1.md", is_replaced=False)
    assert [work.title for work in page.references] == [title]


@pytest.mark.parametrize("text", NO_WORKS)
def test_an_image_is_no_work(text: str) -> None:
    """Neither in a list of sources nor in a sentence that cites."""
    assert find_references(f"From {text}:\n\n## Sources\n\n- {text}\n", "bread/01-rye.md")[0] == ()


def test_entities_are_characters() -> None:
    """Entities in a work's title and address are read as the characters that they name."""
    (work,), _ = find_references("## Sources\n\n- [Rye &amp; ash](https://rye.test/a?b=1&amp;c=2)\n", "bread/01-rye.md")
    assert (work.title, work.url) == ("Rye & ash", "https://rye.test/a?b=1&c=2")
