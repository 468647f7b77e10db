"""Quotes that an earlier run found and that another page cites now, or the same one beside others."""

from __future__ import annotations

from planbook.citations.earlier_quotes import complete_from_earlier, quote_sha256
from planbook.citations.report import PageResult, PinResult, QuotedParagraph, QuoteTotals, SourceResult, VerifyReport

URL = f"https://github.com/rye/oven/blob/{'0' * 40}/oven.py"
WORDS = {"hot": "The oven is hot.", "cold": "The oven  is\ncold.", "new": "The oven is new."}


def work(name: str, *keys: str, **fields: object) -> SourceResult:
    """A reference with these quotes, which could not be read unless `fields` say otherwise."""
    hashes = {f"{name}-{key}": quote_sha256(WORDS[key]) for key in keys}
    values = {"checkable": True, "offline": True, "reason": "no stored text", **fields}
    return SourceResult(name, URL, f"sha-{name}", quote_sha256=hashes, **values)  # type: ignore[arg-type]


def found(name: str, *keys: str, **fields: object) -> SourceResult:
    """A reference whose quotes were found in a copy."""
    quotes = {f"{name}-{key}": True for key in keys}
    values = {"quotes": quotes, "outcome": "ok", "fetched": "2026-11-20T10:00:00Z", "copy": "2026-11-20", "reason": ""}
    return work(name, *keys, **{**values, **fields})


def page(*works: SourceResult) -> PageResult:
    """The result of a page."""
    total = sum(len(each.quote_sha256) for each in works)
    return PageResult("2026-11-30", True, "", quotes=QuoteTotals(0, total), references=works)


def second_run(new: SourceResult, *old: SourceResult) -> SourceResult:
    """The result of a reference on another page than the earlier ones."""
    report = VerifyReport(1, {"a.md": page(*old)})
    results = complete_from_earlier({"b.md": page(new)}, report)
    assert results["b.md"].quotes.found == results["b.md"].references[0].quotes_found
    return results["b.md"].references[0]


def test_a_quote_that_moves_to_another_page_stays_found() -> None:
    """With the day, the text and the paragraph of the run that found it; line ends make no difference."""
    paragraph = QuotedParagraph("The oven is cold. It is.", "f" * 64, "2026-11-20")
    old = found("x", "cold", sha256="f" * 64, passages={"x-cold": paragraph})
    result = second_run(work("y", "cold"), old)
    assert (result.outcome, result.copy, result.sha256, result.well) == ("ok", "2026-11-20", "f" * 64, True)
    assert result.quotes == {"y-cold": True}
    assert result.passages == {"y-cold": paragraph}


def test_a_new_quote_beside_it_is_said_to_be_not_compared() -> None:
    """It is no missing one."""
    pin = PinResult("rye/oven", "oven.py", "0" * 40, "2026-10-01", "this quote is in that file")
    result = second_run(work("y", "cold", "new"), found("x", "cold", "hot", pinned=pin))
    assert result.quotes == {"y-cold": True}
    assert result.findings == ("quote y-new not compared: no stored text",)
    assert not result.well
    assert result.pinned
    assert result.pinned.statement == "1 of 2 quotes are in that file at that commit of 2026-10-01"


def test_what_proves_nothing_is_not_taken_over() -> None:
    """A source that was read now, a quote that was missing, a doubtful page, another address."""
    missing = found("x", "cold", quotes={"x-cold": False})
    for new, old in (
        (found("y", "cold", quotes={"y-cold": False}), found("x", "cold")),
        (work("y", "cold"), missing),
        (work("y", "cold"), found("x", "cold", doubt="a consent wall")),
        (work("y", "cold"), found("x", "hot")),
        (work("y", "cold", outcome="gone"), found("x", "cold")),
        (work("y", "cold", file="a.txt"), found("x", "cold")),
        (work("y", "cold"), SourceResult("x", f"{URL}x", quotes={"q": True}, quote_sha256={"q": "0"}, outcome="ok")),
    ):
        assert second_run(new, old) == new


def test_a_reference_that_has_not_changed_keeps_its_own_result() -> None:
    """Which says more: `merge_report` takes it."""
    old = VerifyReport(1, {"a.md": page(found("x", "cold"))})
    results = {"a.md": page(work("x", "cold"))}
    assert complete_from_earlier(results, old)["a.md"].references == results["a.md"].references
