"""Gates: what a draft has to meet before it becomes a page. Pure, and the same for programs, agents and people.

What each gate asks is told in `generator.rules.limits`, which a writer's brief shows too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from generator.drafts import Brief, Draft, Finding, Source
from generator.rules.drafts.form import ask_front_matter, ask_lines, ask_sections, ask_target
from generator.rules.drafts.handed import Handed, handed_in
from generator.rules.drafts.markup import ask_credentials, ask_fences, ask_links, ask_markup
from generator.rules.drafts.works import ask_citations, ask_quotes, ask_references
from generator.rules.limits import RULES

GATES: Mapping[str, Callable[[Handed], Iterator[Finding]]] = {
    "target": ask_target,
    "front-matter": ask_front_matter,
    "sections": ask_sections,
    "citations": ask_citations,
    "references": ask_references,
    "quotes": ask_quotes,
    "lines": ask_lines,
    "markup": ask_markup,
    "fences": ask_fences,
    "links": ask_links,
    "credentials": ask_credentials,
}
"""Each gate by its name, in the order of `RULES`."""
assert list(GATES) == list(RULES)  # noqa: S101 - a gate without its rule, or the other way round, is a slip of ours


def gates(  # noqa: PLR0913 - all that a page is judged by
    draft: Draft,
    brief: Brief,
    sources: Sequence[Source],
    base_pages: Container[str],
    *,
    is_thin: bool,
    planned: Container[str] = frozenset(),
) -> tuple[Finding, ...]:
    """Check `draft`: return failures, which hold it back, and reports; nothing if it meets all rules.

    `sources` are those that were read for it, by the ids that it cites them by; `base_pages` the uris of the pages
    that links may lead to, and `planned` those of other PARTs that are not written: the site has a page in their place,
    so links to them hold, and are told. `is_thin` is whether there was no more evidence: then it may be short.

    Of a page by hand (``draft.writer == "hand"``), works that were not read are reports: their quotes are not verified.
    """
    handed = replace(handed_in(draft, brief, sources, base_pages, is_thin=is_thin), planned=planned)
    if handed.wrong:  # nothing else can be told of it
        return tuple(ask_front_matter(handed))
    return tuple(finding for ask in GATES.values() for finding in ask(handed))
