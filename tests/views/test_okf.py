"""The base as a bundle of the Open Knowledge Format, judged by a validator that is not ours, and read back."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pyromark
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from okf_schema.validator import validate_bundle

from generator.cli import main
from generator.library import link_tree
from generator.library.linking import read_page
from generator.markdown.front_matter import split_front_matter
from generator.model import Page, Reference, Tree
from generator.page.parse import fingerprint
from generator.views.checks import PageCheck, SourceCheck, SourceStatus, statements
from generator.views.metadata import Site
from generator.views.portable.citations import footnoted_text
from generator.views.portable.okf import Bundle
from tests.conftest import ROOT
from tests.site.cited import cited_site

REMARKS = {
    "W1": "a page without a description has none",
    "W2": "it looks for links with an anchor as files of that name",
    "W3": "who wrote a page, and when, is not known of every page",
    "W7": "it wants lists on one line, unlike the specification's own examples",
    "W9": "a heading of this name in code",
    "W12": "it looks for footnotes in code",
}
"""Warnings of the validator, and why they stand."""
OKF = """\
---
type: Playbook
title: Kettles
tags: [tea]
status: stable
generated: {by: "human:ada", at: 2026-11-01T09:00:00Z}
verified: {by: "human:bo", at: 2026-11-02T09:00:00Z}
stale_after: 2027-05-01
owner: kitchen
sources:
  - id: boil
    resource: https://tea.example/boil
    title: Boiling
    author: team:kettles
    usage_count: 12
    last_modified: 2026-10-01
    quotes: {q1: at 100 degrees}
  - {resource: all kettles of the house}
usage_window: {from: 2026-10-01, to: 2026-10-31}
---

# Kettles

Water boils.[^boil] It steams [@boil, q1].

[^boil]: Boiling
"""


def materialize(root: Path, folder: Path, *options: str) -> str:
    """The output of the command."""
    command = ["materialize", str(folder), "--format", "okf", "--root", str(root), *options]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    return done.output


def head(path: Path) -> dict[str, Any]:
    """The front matter of a file."""
    return split_front_matter(path.read_text("utf-8"))[0]


def bundle_of(pages: dict[str, str], checks: dict[str, PageCheck] | None = None, earlier: str = "") -> dict[str, str]:
    """The bundle of a base without plans."""
    library = link_tree(Tree({}, {}, {uri: text.encode() for uri, text in pages.items()}))
    return Bundle(library, checks or {}).files(pages, frozenset(), Site("Tea"), earlier)


def page_of(text: str, uri: str = "a.md") -> Page:
    """The page of a text."""
    return read_page(text.encode(), uri, False)[0]


@pytest.mark.parametrize("is_own", [False, True])
def test_a_validator_that_is_not_ours_finds_no_error(tmp_path: Path, is_own: bool) -> None:
    """In a project with pages of every kind, and in our own base; and it does find what is wrong."""
    tree = tmp_path / "tree"
    materialize(ROOT if is_own else cited_site(tmp_path / "project"), tree)
    report = validate_bundle(tree)
    assert [finding.message for finding in report.errors] == []
    odd = [f.message for f in report.warnings if f.code not in REMARKS]
    assert odd == []
    page = next(path for path in sorted(tree.rglob("*.md")) if "type: Knowledge Page" in path.read_text("utf-8"))
    page.write_text(page.read_text("utf-8").replace("type: Knowledge Page\n", "", 1), "utf-8")
    (page.parent / "index.md").write_text("---\ntitle: x\n---\n", "utf-8")
    codes = {finding.code for finding in validate_bundle(tree).errors}
    assert "E2" in codes


def test_pages_are_listed_once_and_links_lead_there(tmp_path: Path) -> None:
    """Each folder has its list; a folder's page by its author and a page called log.md have names of their own."""
    tree, root = tmp_path / "tree", cited_site(tmp_path / "project")
    (root / "docs" / "old" / "log.md").write_text("# Log of pots\n\nSee [old](README.md).\n", "utf-8")
    materialize(root, tree)
    listed: list[Path] = []
    for index in tree.rglob("index.md"):
        found = re.findall(r"^\* \[.*?\]\(([^)]+)\)", index.read_text("utf-8"), re.MULTILINE)
        listed += [(index.parent / path.replace("%20", " ")).resolve() for path in found]
        assert index.read_text("utf-8").startswith("# ") or index.parent == tree
    assert len(listed) == len(set(listed))
    pages = {path.resolve() for path in tree.rglob("*.md") if path.name not in ("index.md", "log.md")}
    assert pages == {path for path in listed if path.suffix}
    assert all((path / "index.md").is_file() for path in listed if not path.suffix)
    assert (tree / "index.md").read_text("utf-8").startswith('---\nokf_version: "0.2"\n---\n\n# ')
    assert "See [old](overview.md)" in (tree / "old" / "log-page.md").read_text("utf-8")
    assert not (tree / "INDEX.md").exists()


def test_a_page_has_its_sources_and_state(tmp_path: Path) -> None:
    """Works as `sources` with quotes, citations as footnotes named after them; what is planned is a draft."""
    root = cited_site(tmp_path / "project")
    materialize(root, tmp_path / "tree")
    oats = tmp_path / "tree" / "bread" / "12-oats.md"
    meta = head(oats)
    assert (meta["type"], meta["status"], meta["part"]) == ("Knowledge Page", "draft", 4)
    assert "references" not in meta
    assert "verified" not in meta
    assert [source["id"] for source in meta["sources"]] == ["miller", "wheat", "notebook"]
    assert meta["sources"][0]["quotes"] == {"q1": "oats keep their hull"}
    assert [source["resource"] for source in meta["sources"][1:]] == ["10-light-wheat.md", "A notebook"]
    body = oats.read_text("utf-8")
    assert "a hull [^miller], and the hull matters (sec. &#34;On &#123;hulls&#125;&#34;)[^miller][^notebook]." in body
    assert "`[@miller]`" in body
    assert body.count("[^miller]:") == 1
    assert head(tmp_path / "tree" / "bread" / "13-barley.md")["status"] == "draft"
    assert head(tmp_path / "tree" / "bread" / "13-barley.md")["type"] == "Planned Page"
    assert head(tmp_path / "tree" / "about.md")["status"] == "stable"


GENERATED = [
    ("{writer: extract, date: 2026-11-20}", {"by": "process:planbook-extract", "at": "2026-11-20T00:00:00Z"}, "draft"),
    ("{writer: llm, model: m 1, date: 2026-11-20}", {"by": "planbook/m-1", "at": "2026-11-20T00:00:00Z"}, "draft"),
    ("{writer: hand, date: 2026-11-20}", None, "stable"),
    ("{writer: extract}", None, "draft"),
    ("{by: agent/2, at: 2026-11-20}", {"by": "agent/2", "at": date(2026, 11, 20)}, "draft"),
    ("{by: 'human:ada', at: x}", {"by": "human:ada", "at": "x"}, "stable"),
]


@pytest.mark.parametrize(("generated", "expected", "status"), GENERATED)
def test_the_writer_of_a_page_is_an_actor(generated: str, expected: dict[str, object] | None, status: str) -> None:
    """With what is known only; a page of a program that no person has reviewed is a draft."""
    files = bundle_of({"a.md": f"---\ngenerated: {generated}\n---\n\n# A\n"})
    meta = split_front_matter(files["a.md"])[0]
    assert meta.get("generated") == expected
    assert meta["status"] == status


def checked(status: SourceStatus, *, is_found: bool = True, quotes: int = 1) -> PageCheck:
    """A check of a page that cites one source."""
    source = SourceCheck(status, "2026-11-20", (("q1", is_found),) * quotes)
    return PageCheck("2026-11-20", "", quotes, {"boil": source}, "2026-11-20T10:11:12Z")


CHECKS = [
    (checked(SourceStatus.VERIFIED), True, "2027-02-18"),
    (checked(SourceStatus.PINNED), True, "2027-02-18"),
    (checked(SourceStatus.MISSING, is_found=False), False, "2026-11-20"),
    (checked(SourceStatus.GONE), False, "2026-11-20"),
    (checked(SourceStatus.UNREAD), False, "2027-02-18"),
    (checked(SourceStatus.VERIFIED, quotes=0), False, "2027-02-18"),
    (None, False, None),
]


@pytest.mark.parametrize(("check", "is_verified", "stale"), CHECKS)
def test_verified_is_earned(check: PageCheck | None, is_verified: bool, stale: str | None) -> None:
    """By a process that found every quote, with its time; never by a person. What was found amiss is stale at once."""
    reference = "references: [{id: boil, title: B, URL: 'https://tea.example/', custom: {quotes: {q1: at 100}}}]"
    page = f"---\nreviewed: {{by: Ada, date: 2026-11-21}}\n{reference}\n---\n\n# A [@boil]\n"
    files = bundle_of({"a.md": page}, {"a.md": check} if check else {})
    meta: dict[str, Any] = split_front_matter(files["a.md"])[0]
    scope = "1 quote found in 1 source"
    event = {"by": "process:planbook-verify", "at": "2026-11-20T10:11:12Z", "scope": scope}
    assert meta.get("verified") == ([event] if is_verified else None)
    assert meta.get("stale_after") == (date.fromisoformat(stale) if stale else None)
    assert meta["sources"][0]["state"] == (check.by_id["boil"].status.value if check else "unchecked")


def test_fields_of_the_format_are_kept_and_read() -> None:
    """A page's own fields go before ours; its sources are works that it cites, its people are shown."""
    files = bundle_of({"a.md": OKF}, {"a.md": checked(SourceStatus.VERIFIED)})
    own: dict[str, Any] = split_front_matter(OKF)[0]
    meta: dict[str, Any] = split_front_matter(files["a.md"])[0]
    human = own["verified"]
    assert meta["verified"] == [human, {**meta["verified"][1], "by": "process:planbook-verify"}]
    added = ("verified", "sources", "description")
    assert {key: value for key, value in meta.items() if key not in added} == {
        key: value for key, value in own.items() if key not in added
    }
    boil, kettles = own["sources"]
    assert {**meta["sources"][0], **boil} == meta["sources"][0]
    assert {**meta["sources"][1], **kettles} == meta["sources"][1]
    assert files["a.md"].count("[^boil]:") == 1
    page = page_of(OKF)
    assert [(r.id, r.url, r.author, r.quotes, r.lines) for r in page.references] == [
        ("boil", "https://tea.example/boil", "team:kettles", (("q1", "at 100 degrees"),), (24,)),
        ("source-2", None, None, (), ()),
    ]
    said = [(each.label, each.text) for each in statements(page, None, None)]
    assert said[:2] == [("Written", "by ada, 2026-11-01"), ("Reviewed", "by bo, 2026-11-02")]


def test_fields_in_another_sense_are_not_taken_over() -> None:
    """A theme's `status`, a `verified` that names nobody, sources that are only names: the bundle has its own."""
    page = "---\ntype: [a]\nstatus: new\nverified: true\nsources: [x, {id: y}]\ngenerated: extract\n---\n\n# A\n"
    meta = split_front_matter(bundle_of({"a.md": page})["a.md"])[0]
    assert meta == {"type": "Knowledge Page", "title": "A", "status": "draft"}
    assert page_of(page).references == ()


def test_a_changed_source_ends_a_check() -> None:
    """The quotes in `sources` are part of what was checked; other fields are not."""
    assert fingerprint(OKF) != fingerprint(OKF.replace("at 100", "at 90"))
    assert fingerprint(OKF) == fingerprint(OKF.replace("type: Playbook", "type: Note"))


def test_commands_keep_the_fields(tmp_path: Path) -> None:
    """`cite --write` and `verify --write` find nothing to add, and change no byte."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: Tea\n", "utf-8")
    page = tmp_path / "docs" / "a.md"
    page.write_text(OKF, "utf-8")
    run = CliRunner().invoke
    listed = json.loads(run(main, ["cite", "--json", str(page)]).output)
    assert [work["id"] for work in listed[0]["references"]] == ["boil", "source-2"]
    assert run(main, ["cite", "--write", str(page)]).exit_code == 0
    done = run(main, ["verify", "--write", "--offline", "--root", str(tmp_path), str(page)])
    assert "0 of 1 source in order; 0 of 1 quote found" in done.output
    assert "only in its text" not in done.output
    assert page.read_text("utf-8") == OKF
    more = OKF.replace("\n[^boil]: Boiling", "\nFrom [Steam](https://tea.example/steam):\n\n[^boil]: Boiling")
    page.write_text(more.replace("human:ada", "agent/1").replace("agent/1", "human:ada"), "utf-8")
    assert run(main, ["cite", "--write", str(page)]).exit_code == 0
    own, meta = split_front_matter(OKF)[0], head(page)
    assert {key: meta[key] for key in own} == own
    assert [item["URL"] for item in meta["references"]] == ["https://tea.example/steam"]


def test_a_bundle_is_a_base_again(tmp_path: Path) -> None:
    """Its pages cite the works that they cited before."""
    root = cited_site(tmp_path / "project")
    materialize(root, tmp_path / "tree")
    for uri in ("bread/12-oats.md", "bread/19-sourdough.md"):
        before = page_of((root / "docs" / uri).read_text("utf-8"), uri).references
        after = page_of((tmp_path / "tree" / uri).read_text("utf-8"), uri).references
        assert [(r.id, r.url, r.title, r.quotes) for r in after] == [(r.id, r.url, r.title, r.quotes) for r in before]


def test_the_log_only_grows(tmp_path: Path) -> None:
    """New days come first; what an earlier run wrote stays, also if a page says something else now."""
    page = "---\ncreated: 2026-11-01\nupdated: 2026-11-0{}\n---\n\n# A & b\n"
    first = bundle_of({"x y.md": page.format(2)})["log.md"]
    assert first == (
        "# Update log\n\n## 2026-11-02\n\n* **Update**: [A &amp; b](/x%20y.md)\n"
        "\n## 2026-11-01\n\n* **Creation**: [A &amp; b](/x%20y.md)\n"
    )
    second = bundle_of({"x y.md": page.format(3)}, earlier=first)["log.md"]
    assert second == first.replace(
        "\n## 2026-11-02", "\n## 2026-11-03\n\n* **Update**: [A &amp; b](/x%20y.md)\n\n## 2026-11-02", 1
    )
    assert bundle_of({"x y.md": page.format(3)}, earlier=second)["log.md"] == second


IDS = st.sampled_from(["a", "b-1", "c.2"])


@given(
    st.lists(
        st.tuples(st.sampled_from(["[@{}]", "[@{}, q1]", "[@{}, p. 3; @a]", "[@a; @{}, p. 3]", "`[@{}]`", "x"]), IDS),
        max_size=5,
    )
)
def test_each_footnote_is_defined_once(cited: list[tuple[str, str]]) -> None:
    """Whatever is cited: each label that the text uses has one definition, and names a work."""
    works = [Reference(name, f"*{name}*", f"https://{name}.example/") for name in ("a", "b-1", "c.2")]
    text = footnoted_text(" and ".join(form.format(name) for form, name in cited) or "x", works, {})
    used, defined = re.findall(r"\[\^([^\]]+)\](?!:)", text), re.findall(r"^\[\^([^\]]+)\]:", text, re.MULTILINE)
    assert set(used) == set(defined)
    assert len(defined) == len(set(defined))
    shown = pyromark.html(text, options=pyromark.Options.ENABLE_FOOTNOTES)
    assert 'href="p.' not in shown
    assert shown.count('footnote-definition"') == len(defined)
