"""Whatever a file repeats, reading it takes time in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from planbook.citations.citation_links import NumberedCitations, link_citations
from planbook.citations.identifiers import trim_address, work_key
from planbook.citations.in_text import find_citations
from planbook.citations.quotes import words
from planbook.library import link_tree
from planbook.library.drops import parse_drop
from planbook.library.pages import read_page
from planbook.markdown.budgets import budget_notes, read_budget
from planbook.markdown.document import read_document
from planbook.markdown.escape import fence_code, inline_words, verbatim
from planbook.markdown.normalize import fix_markdown
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import unique_words
from planbook.model import DropUri, PageUri, Problem, State, Tree
from planbook.plan.mark import mark
from planbook.plan.parse import parse
from planbook.problems import read_ignored
from planbook.research.drafts import Brief, Draft
from planbook.research.proof.draft_rules import check_draft
from planbook.rules.credentials import find_credentials
from planbook.rules.pages import find_budgets
from planbook.rules.project import Project
from planbook.rules.registry import check, fix_file
from tests.growth import assert_linear

UNITS = (
    *("<!--", "<!-- x", "<!--\n", "--> <!--", "<", "<a ", "<div>", "<div>\n\n", "</", "<details>\n\n</div>\n\n", "`"),
    *("`a`", "`a` ", "```", "```\n", "```x\n", "``` ", "~~~\n", "```x\n~~~y\n", "````\n```x\n````\n\n", "`é`[@a]\n"),
    *("[", "[ ", "[a](", "[a](b.md) ", "[a](https://a.test/b) ", "![", "![a](", "[a][", "[a] ", "[[", "[[a|", "]]"),
    *("[@", "[@a, ", "[@a; ", "[@a] ", "[^1]", "[^1]: a\n", "[x]: ", "[x]: https://a.test/b\n", "[1] ", "[1]:"),
    *("[ ]", "*", "**", "**a ", "_", "_a", "a_", "__a__ ", "*_a", "~", "**a: ", "**Step 1: a**\n"),
    *("**Section 1: a**\n", ">", "> ", "> a\n", "- ", "- a\n", "- a\n\n", "- - ", "1. ", "1. a\n"),
    *("  - a\n    - b\n", "> - a\n", "- ```\n", "|", "| ", "|a|b|\n", "|a|source|\n|-|-|\n", "&", "&amp;", "\\", "$"),
    *("$$", "{", "{%", "{: a=b }\n", '"', "'", "(", ")", "()", "(~10 lines) ", "10 lines ", "1,", "1-", "---"),
    *("---\n", "# ", "# a\n", "## a (~10 lines)\n", "#", "=\n", "http://", "https://a.test/b ", "https://a.test/b\n"),
    *("doi:10.1/", "doi:10.1234/a ", "arXiv:", "10.1234/", "www.", "a.com/", ".md", "b/a.md ", "../", "./"),
    *("/home/a/", "a://", ":", ": ", "a:\n", ",", ".", "!", "@", "—", "“", "\t", "\ta\n", "    a\n"),
    *("!!! note\n\n    a\n\n", " ", "\n", "  \n", "\r", "\r\n", "a", "a ", "é", "漢字", "aB", "\x00", "lorem ipsum "),
    *("Lorem ipsum.\n\n", "a\\\n", "accessed 2025-01-02 ", "Miller et al. (2020) ", "2020-01-02 ", "A. ", "From "),
    *("From [a](https://a.test): ", "Sources:\n", "## Sources\n\n- [a](https://a.test)\n", "**Source**: A b c\n"),
    *("PART 1 ", "## PART 1: a\n", "## PART 2: a\n\n```x\n\n", "## PART 2: a\n\n```\n\n"),
    *("- [ ] PART 1: Create a.md\n", 'Search: "a" ', "api_key = ", "-----BEGIN ", "<!-- planbook-ignore: "),
    *("<!-- planbook-ignore: K001 -- ", "--8<--\n"),
)
"""What pages and plans of hostile hands may repeat: marks that open and never close, and those that close."""

PLAN = "# Bread\n\n## PART 1: Create bread/rye.md (~400 lines)\n\n{}- Section 1: Rye (~9 lines)\n  - flour\n"
PLANNED = parse(PLAN.format("- [ ] PART 1: Create bread/rye.md\n\n"), "plans/x.md")[0]
BRIEF = Brief(PLANNED, PLANNED.parts[0], PageUri("bread/rye.md"), DropUri("drop.md"), "Rye")
HEAD = "---\ntitle: Rye\nreferences:\n- {id: a, title: A, URL: https://a.test/x}\n---\n"
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def read(text: str) -> object:
    """Read `text` as a page."""
    return read_page(text.encode(), "bread/rye.md", False)


def marked(text: str) -> object:
    """Mark the PART whose status line ends in `text`."""
    plan = f"## PART 1: Rye\n\n- [x] PART 1: {text}\n"
    return [mark(plan, part, State.DONE, NOW) for part in parse(plan, "plans/x.md")[0].parts[:1]]


def checked(text: str) -> object:
    """Check and fix a page."""
    tree = Tree(plans={"plans/x.md": PLAN.format("").encode()}, pages={"bread/rye.md": text.encode()}, drops={})
    headed, fix = f"# A (~9 lines)\n{text}".encode(), Problem("docs/x.md", 1, "K029", "")
    return [check(Project(tree=tree, library=link_tree(tree))), find_budgets(headed), fix_file(headed, [fix])]


MOVED = Problem("plans/x.md", 3, "P030", "", fix=("a.md", "b/a.md"))
READERS: dict[str, Callable[[str], object]] = {
    "plan": lambda text: parse(text, "plans/x.md"),
    "PART": lambda text: parse(PLAN.format("") + text, "plans/x.md"),
    "outline in a fence": lambda text: parse(f"## PART 1: a\n\n````markdown\n{text}\n````\n", "plans/x.md"),
    "status line": marked,
    "plan to fix": lambda text: fix_file((PLAN.format("") + text).encode(), [MOVED]),
    "page": read,
    "page's heading": lambda text: read(f"# {text}a"),
    "page's sources": lambda text: read(f"## Sources\n\n{text}"),
    "source's entry": lambda text: read(f"## Sources\n\n- [a](https://a.test/b) {text}\n\n a"),
    "words before an address": lambda text: read(f"From {text} https://a.test/b"),
    "page to fix": lambda text: fix_markdown(text, {"b.md": "../b.md"}),
    "page to check": checked,
    "draft": lambda text: check_draft(Draft(HEAD + text, "hand"), BRIEF, (), frozenset()),
    "drop": lambda text: [parse_drop(text, "x.md"), parse_drop(f"**File**: {text}", "x.md")],
    "front matter": lambda text: read_document(f"---\na: b\n---\n{text}"),
    "citations": lambda text: link_citations(text, NumberedCitations.of((), find_citations(text))),
    "line": lambda text: [
        f(text) for f in (plain_text, inline_words, verbatim, fence_code, words, unique_words, trim_address)
    ],
    "address": lambda text: [work_key(text), work_key(f"https://a.test/{text}")],
    "budget": lambda text: [read_budget(f"{text} (9 lines)"), *budget_notes(f"(9 lines {text} (~9 lines)")],
    "secrets and comments": lambda text: [find_credentials(text), read_ignored(f"<!-- planbook-ignore: P001 {text}")],
}


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_the_text(name: str, step: int) -> None:
    """Four times the text takes at most eight times as long, whatever it repeats."""
    for unit in UNITS[::step]:
        assert_linear(READERS[name], unit)


def lines(form: str, n: int) -> str:
    """`form`, a line for each number up to `n`."""
    return "".join(form.replace("%", str(i)) for i in range(n))


MANY: dict[str, Callable[[int], str]] = {
    "pages": lambda n: lines("From [A b](c/d%.md):\n", n),
    "works of one title": lambda n: "## Sources\n\n" + lines("- [Rye](https://a.test/%)\n", n),
    "facts of one work": lambda n: "## Sources\n\n- Rye\n" + lines("  - URL: https://a.test/%\n", n),
    "blank lines in an entry": lambda n: "## Sources\n\n- Rye https://a.test\n" + "\n" * n * 9 + "   a\n",
    "places in an entry": lambda n: "## Sources\n\n- Rye\n" + lines("  here % https://a.test/%\n", n),
    "numbers in a quote": lambda n: ">" * n * 4 + "[1]:" * n + "\n\n## Sources\n\n1. [Rye](https://a.test)\n",
    "works of a footnote": lambda n: "a[^1]\n" * n + "[^1]: " + lines("https://a.test/% ", n),
    "years": lambda n: "Miller (2020) says.\n" * n + "\n## Sources\n\n" + lines("- Miller, A. (2020). Rye %.\n", n),
    "unknown ids": lambda n: (
        "---\nreferences:\n"
        + lines("- {id: aa%, title: A, URL: 'https://a.test/%'}\n", n)
        + "---\n"
        + lines("[@ab%] ", n)
    ),
    "blanks in a heading": lambda n: "# a" + " " * n * 9 + "a\n",
}


@pytest.mark.parametrize("name", MANY)
def test_time_grows_with_the_number(name: str) -> None:
    """Four times as many works take at most eight times as long."""
    assert_linear(lambda text: read(MANY[name](len(text))), "x", sizes=(60, 240, 960))


def test_lists_in_lists_stay_small() -> None:
    """A line that opens a thousand lists does not indent each line below it a thousand times."""
    text = "- " * 1_000 + "a\n" + "a\n" * 1_000
    assert len(fix_markdown(text)) < 500 * len(text.splitlines())
