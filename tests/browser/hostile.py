"""A project in which every value that comes from a file tries to run a script on the site."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import yaml

from planbook.citations.report import (
    VERSION,
    PageResult,
    QuotedParagraph,
    SourceResult,
    VerifyReport,
    encode_report,
    make_page_result,
    merge_report,
)
from planbook.library.pages import fingerprint
from tests.files import put

CALL = "pwned()"
"""The function that every payload would call."""

PAYLOADS = (
    "<script>pwned()</script>",
    '"><script>pwned()</script>',
    "'><script>pwned()</script>",
    "<svg onload=pwned()>",
    '"><img src=x onerror="pwned()">',
    '" autofocus tabindex=1 onfocus="pwned()" x="',
    "' autofocus tabindex=1 onfocus='pwned()' x='",
    "x onmouseover=pwned() y",
    "</title><script>pwned()</script>",
    "</small></span></a><img src=x onerror=pwned()>",
    "--><script>pwned()</script><!--",
    '<!--<img src="--><img src=x onerror=pwned()//">',
    "javascript:pwned()",
    " \tjava\nscript:pwned()",
    "data:text/html,<script>pwned()</script>",
    "[x](javascript:pwned())",
    "[x](<javascript:pwned()>)",
    '![x](x" onerror="pwned())',
    "<javascript:pwned()>",
    "&lt;script&gt;pwned()&lt;/script&gt;",
    "&#60;img src=x onerror=pwned()&#62;",
    "&amp;lt;img src=x onerror=pwned()&amp;gt;",
    "\\<script>pwned()\\</script>",
    "`<script>pwned()</script>`",
    "`` ` ``<script>pwned()</script>",
    "```\n<script>pwned()</script>\n```",
    "x\n\n<script>pwned()</script>\n\ny",
    "{: onclick=pwned() onload=pwned() }",
    '{ #x .y onclick="pwned()" autofocus onfocus="pwned()" }',
    "<scr<script>ipt>pwned()</scr</script>ipt>",
    '<iframe srcdoc="<script>parent.pwned()</script>">',
    "<details open ontoggle=pwned()>",
    "<style onload=pwned()></style>",
    '<math><mi xlink:href="data:x,<script>pwned()</script>">',
    "]]><script>pwned()</script><![CDATA[",
    '";pwned();//',
    '\\";pwned();//</script><script>pwned()</script>',
    "${pwned()}{{pwned()}}{% raw %}<script>pwned()</script>",
    '<p markdown="1"><img src=x onerror=pwned()></p>',
    '<noscript><p title="</noscript><img src=x onerror=pwned()>">',
    "x\u2028<script>pwned()</script>\x00\u202e",
    "*x*<img src=x onerror=pwned()>_y_",
    "%3Csvg onload=pwned()%3E",
)
"""For elements, attributes in both quotes and none, scripts, addresses, comments, entities, and each syntax of ours."""

PAGE_KEYS = (
    *("title", "description", "author", "subtitle", "status", "location", "created", "updated", "plan", "part"),
    *("state", "lines_budget", "completed", "aliases", "git_revision_date_localized", "revision_date"),
    *("git_creation_date_localized", "canonical_url", "og:title", "planbook_tags", "planbook_head", "planbook_frame"),
)
"""Keys of front matter that are given the payload as it is. Of some, no template knows."""


def write_hostile_project(root: Path, payloads: Sequence[str] = PAYLOADS) -> Path:
    """Write a project with a plan, pages, a drop and a report of `planbook verify` for each payload."""
    files = {"mkdocs.yml": _configuration()}
    report = VerifyReport(VERSION, {})
    for number, payload in enumerate(payloads):
        pages = _pages(number, payload)
        files |= {f"docs/{uri}": text for uri, text in pages.items()}
        files |= _plan_and_drop(number, payload)
        report = merge_report(report, {_cited(number): _checked(pages[_cited(number)], payload)}, [*report.pages])
    put(root, files)
    (root / "planbook-verify.json").write_bytes(encode_report(report))
    return root


def _configuration() -> str:
    theme = {"name": "material", "font": False, "features": ["navigation.indexes", "content.action.edit"]}
    plugins = ["search", "planbook", "tags"]
    settings = {"site_name": "Hostile", "site_url": "http://127.0.0.1:65535/", "theme": theme, "plugins": plugins}
    return json.dumps({**settings, "repo_url": "https://code.example/x", "edit_uri": "edit/main/docs/"})


def file_name(payload: str) -> str:
    """The payload as the name of a file."""
    return " ".join(payload.replace("/", "\u2215").replace("\x00", "").split())[:80].strip(" .")


def _cited(number: int) -> str:
    return f"{number}/cited.md"


def _pages(number: int, payload: str) -> dict[str, str]:
    """The pages of a payload, by uri: in front matter, in references, and in names of files and folders."""
    name = file_name(payload)
    head: dict[str, object] = dict.fromkeys(PAGE_KEYS, payload)
    head |= {"tags": [payload, "plain"], "authors": [{"name": payload}], "reviewed": {"by": payload, "date": payload}}
    generated = {"writer": payload, "model": payload, "date": payload, "judge": payload, "plan": payload}
    listed = {key: [payload, {"name": payload}] for key in ("title", "description", "author", "subtitle", "status")}
    return {
        f"{number}/page.md": _front_matter({**head, "generated": generated})
        + f"# Page {number}\n\n[[in folder {number}]] Text.\n",
        f"{number}/listed.md": _front_matter({**listed, "tags": payload}) + f"# Listed {number}\n\nText.\n",
        f"{number}/sent.md": _front_matter({"template": "redirect.html", "location": payload}) + "# Sent\n",
        _cited(number): _front_matter({"references": _references(payload)}) + _cited_text(number),
        f"{number}/{name}.md": "No heading here.\n",
        f"{number}/{name} d/in folder {number}.md": "No heading here either.\n",
    }


def _front_matter(values: object) -> str:
    return f"---\n{yaml.safe_dump(values, allow_unicode=True)}---\n\n"


def _references(payload: str) -> list[dict[str, object]]:
    keys = ("title", "container-title", "publisher", "abstract", "note", "DOI", "type", "language", "archive", "genre")
    work: dict[str, object] = dict.fromkeys(keys, payload)
    work |= {"author": [{"family": payload, "given": payload}, {"literal": payload}], "issued": payload}
    work |= {"accessed": payload, "custom": {"quotes": {"q1": payload, payload: payload}, "file": payload}}
    return [
        {"id": "plain", **work, "type": "webpage", "URL": "https://work.example/"},
        {"id": "evil", **work, "URL": payload},
        {"id": "path", **work, "URL": f"https://work.example/{payload}"},
        {"id": payload, **work, "URL": "page.md"},
    ]


def _cited_text(number: int) -> str:
    return f"# Cited {number}\n\nText [@plain, q1]. More [@evil, q1; @path, p. 3].\n"


def _checked(text: str, payload: str) -> PageResult:
    around = QuotedParagraph(f"before {payload} after", payload, payload)
    works = tuple(
        SourceResult(
            name,
            checkable=True,
            outcome=outcome,
            reason=payload,
            moved_to=payload,
            sha256=payload,
            quotes={"q1": True},
            fetched=payload,
            copy=payload,
            findings=(payload,),
            checked=payload,
            passages={"q1": around},
        )
        for name, outcome in (("plain", "ok"), ("evil", "moved"), ("path", payload))
    )
    return make_page_result(works, payload, fingerprint(text), 3, offline=False)


def _plan_and_drop(number: int, payload: str) -> dict[str, str]:
    line = " ".join(payload.split())
    plan = f"""# {line}

**Topic**: {line}
**Date**: {line}
**Overview**: {line}

## PART 1: Create planned/{number}.md ({line})

- [ ] PART 1: Create planned/{number}.md (Completed {line})

**Goal**: {line}
**Sources**: {line}
**Search**: "{line}"
**Read**: {number}/page.md - {line}

- Step 1: {line}
- [ ] {line}

### Section 1: {line} (~50 lines)

- {line}
- `{line}`

## PART 2: {line}

- [✓] PART 2: {line} (Completed {line})

**Target File**: `planned/{file_name(payload)}.md`
"""
    drop = f"""# KNOWLEDGE DROP: {line}

**Runner**: {line}
**Timestamp**: {line}
**Status**: {line}
**File**: `planned/{number}.md`
**Part**: 1
**Plan**: {line}

{payload}
"""
    return {f"plans/plan-{number}.md": plan, f"plans/KNOWLEDGE-DROP-{number}-2026-01-02.md": drop}
