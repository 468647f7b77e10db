"""Plans, pages and drops as one Library: what belongs together, and what does not fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.library import Entry, Library, link_tree
from planbook.library.names import page_uri
from planbook.model import PageUri, State, Tree
from planbook.plan.parse import parse
from planbook.problems import CODES

HEAD = "# The rye book\n\n**Target Folder**: `bread/`\n\n---\n\n"


def part(number: int, target: str, mark: str = " ", more: str = "") -> str:
    """A PART that is to make `target`."""
    return f"## PART {number}: Create {target} (400 lines)\n\n- [{mark}] PART {number}: Create {target}\n\n{more}\n"


def library(plans: dict[str, str], pages: dict[str, str] | None = None, drops: dict[str, str] | None = None) -> Library:
    """The base of these texts."""

    def raw(texts: dict[str, str] | None) -> dict[str, bytes]:
        return {uri: text.encode() for uri, text in (texts or {}).items()}

    return link_tree(Tree(raw(plans), raw(drops), raw(pages)))


def codes(found: Library, *, below: str = "P02") -> list[tuple[str, int, str]]:
    """Where each Problem of the base stands, with its code; those of one plan alone are left out."""
    return [(p.uri, p.line, p.code) for p in found.problems if p.code >= below or p.code.startswith("K")]


def only(found: Library) -> Entry:
    """The one entry of the base."""
    (entry,) = found.entries
    return entry


# ---------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize(
    ("target", "uri"),
    [
        ("bread/10-rye.md", "bread/10-rye.md"),
        ("10-rye.md", "bread/10-rye.md"),  # a bare name stands in the Target Folder
        ("docs/bread/10-rye.md", "bread/10-rye.md"),
        ("bread//10-rye.md", "bread/10-rye.md"),
        ("bread/Käse und Öl.md", "bread/Käse und Öl.md"),
        ("../../etc/x.md", None),
        ("bread/../../x.md", None),
        ("/abs.md", None),
        ("~/x.md", None),
        ("C:\\x.md", None),
        ("bread\\x.md", None),
        ("bread/.x.md", None),
        ("bread/a\x00b.md", None),
        ("bread/a\nb.md", None),
        ("bread/<x>.md", None),
        ("bread/" + "x" * 300 + ".md", None),
        ("bread/" + "ü" * 150 + ".md", None),
        ("bread/10-rye.md/x.md", None),
        ("bread/10-rye", None),
        ("", None),
    ],
)
def test_a_target_stays_in_the_base(target: str, uri: str | None) -> None:
    """It is a path below the documentation folder, or none."""
    plan, _ = parse(HEAD + part(1, "x.md"), "plans/rye.md")
    assert page_uri(plan, target) == uri


@given(st.text() | st.text(alphabet="./\\~ab:", max_size=12))
def test_no_target_leaves_the_base(target: str) -> None:
    """Whatever a plan says, the path has no way up, no root and no hidden name in it."""
    plan, _ = parse("# P\n", "plans/p.md")
    uri = page_uri(plan, target)
    if uri is not None:
        assert not uri.startswith("/")
        assert all(name and not name.startswith(".") for name in uri.split("/"))
        assert not set(uri) & set('\\:*?"<>|\0\n\r')


# ---------------------------------------------------------------------------------------------- entries


def test_an_entry_links_plan_page_and_drop() -> None:
    """The finished page with its own title, the drop that names the page."""
    found = library(
        {"plans/rye.md": HEAD + part(1, "bread/10-rye.md", "x")},
        {"bread/10-rye.md": "# All about rye\n\nIt is dark.\n"},
        {"plans/KNOWLEDGE-DROP-any.md": "# Drop\n\n**File**: bread/10-rye.md\n"},
    )
    entry = only(found)
    assert (entry.title, entry.is_written, entry.differs) == ("All about rye", True, False)
    assert entry.drop is found.drops[0]
    assert found.by_uri[PageUri("bread/10-rye.md")] is entry
    assert found.entries_of(entry.plan, entry.part) == (entry,)
    assert codes(found) == []


@pytest.mark.parametrize(
    ("mark", "there", "amiss", "code"),
    [
        ("x", True, False, []),
        ("x", False, True, ["P030"]),
        (" ", True, True, ["P031"]),
        (" ", False, False, []),
        ("/", True, False, []),
        ("/", False, False, []),
    ],
)
def test_claim_and_disk_are_two_facts(mark: str, there: bool, amiss: bool, code: list[str]) -> None:
    """Where they differ it is a Problem, and the entry says so; a partial PART may have its page or not."""
    pages = {"bread/10-rye.md": "# Rye\n"} if there else {}
    found = library({"plans/rye.md": HEAD + part(1, "bread/10-rye.md", mark)}, pages)
    assert only(found).differs is amiss
    assert [c for _, _, c in codes(found)] == code


def test_a_page_belongs_to_one_part() -> None:
    """The first that claims it and is not disabled; the second is told."""
    found = library({"plans/a.md": HEAD + part(1, "bread/10-rye.md"), "plans/b.md": HEAD + part(3, "bread/10-rye.md")})
    assert codes(found) == [("plans/b.md", 7, "P021")]
    assert found.by_uri[PageUri("bread/10-rye.md")].plan.uri == "plans/a.md"


def test_a_disabled_part_gives_way() -> None:
    """It owns its page only if no other PART wants it, and nothing is told."""
    disabled = "## DISABLED PARTS (keeping for reference)\n\n" + part(1, "bread/10-rye.md")
    found = library({"plans/a.md": HEAD + disabled, "plans/b.md": HEAD + part(3, "bread/10-rye.md")})
    assert found.counts[State.DISABLED] == 1
    assert found.by_uri[PageUri("bread/10-rye.md")].plan.uri == "plans/b.md"
    assert codes(found) == []


def test_a_read_that_is_nowhere_is_told() -> None:
    """P033 for a page that the base does not hold; a page, a planned one, a folder and an INDEX are known."""
    reads = "".join(
        f"- [ ] Read {path}\n" for path in ("INDEX.md", "bread/", "x/1-a.md", "bread/10-rye.md", "no/9-z.md")
    )
    more = f"**Step 0: Check existing knowledge**\n{reads}"
    found = library({"plans/a.md": HEAD + part(1, "bread/10-rye.md", " ", more)}, {"x/1-a.md": "# A\n"})
    assert [p.message for p in found.problems if p.code == "P033"] == [
        "PART 1 builds on no/9-z.md, which is not in the base"
    ]


# ---------------------------------------------------------------------------------------------- titles


@pytest.mark.parametrize(
    ("heading", "more", "title"),
    [
        ("PART 1: Create bread/10-dark-rye.md", "", "Dark rye"),
        ("PART 1: Dark *rye* at home", "- [ ] PART 1: Create bread/10-x.md\n", "Dark rye at home"),
        ("PART 1: Create bread/10-x.md", "**Title**: The *dark* one\n", "The dark one"),
        ("PART 1: Create bread/10-pytorch-cuda.md", "- [ ] Section 1: PyTorch and CUDA\n", "PyTorch CUDA"),
    ],
)
def test_a_page_that_is_not_there_has_a_title(heading: str, more: str, title: str) -> None:
    """It is the plan's, else one made of the path in the plan's own spelling."""
    assert only(library({"plans/a.md": f"{HEAD}## {heading}\n\n{more}"})).title == title


# ---------------------------------------------------------------------------------------------- drops


@pytest.mark.parametrize(
    ("name", "text", "belongs"),
    [
        ("KNOWLEDGE-DROP-any.md", "---\nplan: rye\npart: 1\n---\n", True),
        ("KNOWLEDGE-DROP-any.md", "---\nplan: rye\npart: 2\n---\n", False),
        ("KNOWLEDGE-DROP-any.md", "---\nplan: other\npart: 1\n---\n", False),
        ("KNOWLEDGE-DROP-any.md", "**File**: bread/10-rye.md\n", True),
        ("KNOWLEDGE-DROP-any.md", "**File**: docs/bread/10-rye.md\n", True),
        ("KNOWLEDGE-DROP-any.md", "**File**: bread/11-wheat.md\n", False),
        ("KNOWLEDGE-DROP-dark-rye-2024-05-09.md", "No word on anything.\n", True),
        ("KNOWLEDGE-DROP-dark-rye-2024-05-09-0708.md", "No word.\n", True),
        ("KNOWLEDGE-DROP-light-rye-2024-05-09.md", "No word.\n", False),
        ("KNOWLEDGE-DROP-dark-rye-2024-05-09.md", "**File**: bread/11-wheat.md\n", False),
    ],
)
def test_whose_drop_it_is(name: str, text: str, belongs: bool) -> None:
    """By its front matter, by the page it names, or by the name that the plan asked for; any other is told."""
    asks = "**Step 4: Leave a KNOWLEDGE DROP**\n- [ ] Create KNOWLEDGE-DROP-dark-rye-<date>.md\n"
    found = library(
        {"plans/rye.md": HEAD + part(1, "bread/10-rye.md", " ", asks)},
        drops={f"plans/{name}": f"{text}\n# Drop\n"} if not text.startswith("---") else {f"plans/{name}": text},
    )
    assert (only(found).drop is not None) is belongs
    assert codes(found) == ([] if belongs else [(f"plans/{name}", 1, "P034")])


@pytest.mark.parametrize("folder", ["plans", "work/open"])
def test_a_plans_slug_is_its_path_in_the_plans_folder(folder: str) -> None:
    """Wherever the plans lie: a drop that names the plan by its slug belongs to it."""
    drop = b"---\nplan: oven/steam\npart: 1\n---\n# Drop\n"
    plans = {f"{folder}/oven/steam/plan.md": (HEAD + part(1, "bread/10-rye.md")).encode()}
    found = link_tree(Tree(plans, {f"{folder}/KNOWLEDGE-DROP-any.md": drop}, {}, folder))
    assert found.plans[0].slug == "oven/steam"
    assert only(found).drop is not None


def test_the_newest_drop_counts() -> None:
    """Of several attempts the last is shown, and none of them is unclaimed."""
    drops = {
        f"plans/KNOWLEDGE-DROP-{n}.md": f"---\nplan: rye\npart: 1\nfinished: 2024-05-0{day} 07:08\n---\n# {day}\n"
        for n, day in enumerate((3, 9, 4))
    }
    found = library({"plans/rye.md": HEAD + part(1, "bread/10-rye.md")}, drops=drops)
    drop = only(found).drop
    assert drop is not None
    assert drop.title == "9"
    assert codes(found) == []


# ---------------------------------------------------------------------------------------------- files


def test_files_that_are_not_utf8_are_told() -> None:
    """K002 with the line of the first byte that is wrong; the rest of the file is read."""
    tree = Tree({}, {"plans/KNOWLEDGE-DROP-x.md": b"\xff"}, {"a.md": b"# A\n\nb\xe9d\n"})
    found = link_tree(tree)
    assert [(p.uri, p.line, p.code) for p in found.problems if p.code == "K002"] == [
        ("a.md", 3, "K002"),
        ("plans/KNOWLEDGE-DROP-x.md", 1, "K002"),
    ]
    assert found.pages[0].title == "A"


BYTES = st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass"))


@given(
    st.dictionaries(st.sampled_from(["plans/a.md", "plans/b/plan.md"]), BYTES),
    st.dictionaries(st.sampled_from(["plans/KNOWLEDGE-DROP-a.md"]), BYTES),
    st.dictionaries(st.sampled_from(["a.md", "b/10-c.md", "b/10-d.md", "b/²-e.md"]), BYTES),
)
def test_any_bytes_make_a_library(plans: dict[str, bytes], drops: dict[str, bytes], pages: dict[str, bytes]) -> None:
    """Nothing crashes; Problems have known codes and stand in order."""
    found = link_tree(Tree(plans, drops, pages))
    assert [page.uri for page in found.pages] == list(pages)
    assert all(problem.code in CODES for problem in found.problems)
    places = [(p.uri, p.line, p.code) for p in found.problems]
    assert places == sorted(places)


# ---------------------------------------------------------------------------------------------- metadata


def test_edges_are_links_and_pages_to_read() -> None:
    """They lead to pages that exist or are planned; a bare name is taken where one page has it; INDEX is not read."""
    pages = {
        "a/1.md": b"# One\n\n[two](2.md) [root](b/3.md) [gone](x.md) [planned](../c/9.md)\n",
        "a/2.md": b"# Two\n",
        "b/3.md": b"# Three\n",
    }
    plan = (
        b"# P\n\n---\n\n## PART 1: Create c/9.md (10 lines)\n\n- [ ] PART 1: Create c/9.md\n\n"
        b"**Step 0: Check existing knowledge**\n"
        b"- [ ] Read INDEX.md\n- [ ] Read a/1.md\n- [ ] Read 3.md\n- [ ] Read gone/x.md\n"
    )
    edges = link_tree(Tree({"plans/p.md": plan}, {}, pages)).linked().edges
    assert [(edge.source, edge.target, edge.kind) for edge in edges] == [
        ("a/1.md", "a/2.md", "link"),
        ("a/1.md", "b/3.md", "link"),
        ("a/1.md", "c/9.md", "link"),
        ("c/9.md", "a/1.md", "plan"),
        ("c/9.md", "b/3.md", "plan"),
    ]


# ------------------------------------------------------------------------------------ paths without their beginning


def test_task_lists_of_other_tools() -> None:
    """A `plan.md` beside a `tasks.md` is no plan without PARTs; a page that several groups name is no conflict."""
    tasks = "# Tasks\n\n## Phase 1: A\n\n- [x] Update docs/a.md\n\n## Phase 2: B\n\n- [ ] Update docs/a.md\n"
    found = library({"plans/x/plan.md": "# Design\n", "plans/x/tasks.md": tasks}, {"a.md": "# A\n"})
    assert [(str(plan.uri), len(plan.parts)) for plan in found.plans] == [("plans/x/tasks.md", 2)]
    assert [p.code for p in found.problems if p.code.startswith("P")] == []
    assert [entry.differs for entry in found.entries] == [False, False]
    (plan,) = library({"plans/add-heat/tasks.md": "## 1. Oven\n\n- [x] Buy\n\n## 2. Use\n\n- [ ] Heat\n"}, {}).plans
    assert (plan.title, [part.title for part in plan.parts]) == ("add-heat", ["1. Oven", "2. Use"])


def test_the_only_page_that_ends_in_the_path_is_suggested() -> None:
    """P030 and P033 name it; two such pages, or the page of another PART, are no suggestion."""
    pages = {
        "bread/rye/1-a.md": "# A\n",
        "bread/rye/2-b.md": "# B\n",
        "oat/rye/2-b.md": "# B\n",
        "x/rye/3-c.md": "# C\n",
        "bread/y/1-a.md": "# A\n",
    }
    reads = "- [ ] Read y/1-a.md\n- [ ] Read oat/3-d.md\n"
    plan = HEAD + part(1, "rye/1-a.md", "x") + part(2, "rye/2-b.md", "x") + part(3, "rye/3-c.md", "x")
    plan += part(4, "x/rye/3-c.md", "x", reads)
    found = library({"plans/x.md": plan}, pages)
    assert [p.message.rpartition("; ")[2] for p in found.problems if p.code in {"P030", "P033"}] == [
        "write bread/rye/1-a.md (`--fix` does)",
        "write the page or open the PART",
        "write the page or open the PART",
        "write bread/y/1-a.md (`--fix` does)",
        "PART 4 builds on oat/3-d.md, which is not in the base",
    ]


def test_a_base_is_the_beginning_of_a_folders_paths() -> None:
    """Targets and pages to read are below it; paths that begin with it stay; the innermost folder counts."""
    plan = part(1, "1-a.md", "x", "- [ ] Read 2-b.md\n") + part(2, "bread/rye/2-b.md", "x")
    plans = {uri: plan.encode() for uri in ("plans/rye/x.md", "plans/completed/rye/old/y.md", "plans/z.md")}
    pages = {"bread/rye/1-a.md": b"# A\n", "bread/rye/2-b.md": b"# B\n"}
    found = link_tree(Tree(plans, {}, pages, target_folders={"rye/": "/bread/rye/", "rye/old": "bread/rye"}))
    assert {(e.plan.uri, e.uri, e.is_written) for e in found.entries} == {
        *((uri, page, True) for uri in list(plans)[:2] for page in ("bread/rye/1-a.md", "bread/rye/2-b.md")),
        ("plans/z.md", "1-a.md", False),
        ("plans/z.md", "bread/rye/2-b.md", True),
    }
    assert [e.target for e in found.linked().edges] == ["bread/rye/2-b.md"] * 3
    everywhere = link_tree(Tree(plans, {}, pages, target_folders={".": "bread/rye"}))
    assert all(entry.is_written for entry in everywhere.entries)


def test_a_drop_that_a_part_without_a_page_asks_for_is_known() -> None:
    """Its PART writes nothing but the drop."""
    plan = "# Rye\n\n**Worker 1: Stones**\n- Dressing\n- KNOWLEDGE-DROP: `KNOWLEDGE-DROP-stones-2026-11-20.md`\n"
    names = ["KNOWLEDGE-DROP-stones-2026-11-21.md", "KNOWLEDGE-DROP-sieves-2026-11-21.md"]
    found = library({"plans/rye.md": plan}, {}, {f"plans/{name}": "# Drop\n" for name in names})
    assert [p.uri for p in found.problems if p.code == "P034"] == [f"plans/{names[1]}"]


def test_a_drop_beside_its_plan_belongs_to_the_part_that_it_names() -> None:
    """Without front matter and page, and where the plan is the only one in the folder."""
    drops = {"plans/rye/KNOWLEDGE-DROP-x.md": "# Report of PART 2\n\nMade the page.\n"}
    plan = part(1, "rye/1-a.md") + part(2, "rye/2-b.md")
    found = library({"plans/rye/plan.md": plan}, {}, drops)
    assert [entry.drop is not None for entry in found.entries] == [False, True]
    assert not [p for p in found.problems if p.code == "P034"]
    two = library({"plans/rye/a.md": plan, "plans/rye/b.md": plan}, {}, drops)
    assert [p.code for p in two.problems if p.code == "P034"] == ["P034"]
    other = {"plans/rye/KNOWLEDGE-DROP-x.md": "# Report of PART 2\n\n**File**: `rye/1-a.md`\n"}
    found = library({"plans/rye/plan.md": plan}, {}, other)
    assert [entry.drop is not None for entry in found.entries] == [True, False]


def test_lists_of_pages_stay_as_they_are_after_a_few_words() -> None:
    """No list shows them: a save would make all lists anew. A minute of reading more is shown."""
    plans = {"plans/rye.md": HEAD + part(1, "10-rye.md")}
    text = "# Rye\n\nDough rests.\n\n## Oven\n\n" + "Word. " * 300
    before, after, longer = (library(plans, {"bread/10-rye.md": text + more}) for more in ("", "One", "Word. " * 300))
    assert before != after
    lists = [found.listed() for found in (before, after, longer)]
    assert lists[0] == lists[1] != lists[2]
