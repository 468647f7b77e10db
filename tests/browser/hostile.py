"""A project in which every value that comes from a file tries to run a script on the site."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from planbook.citations import csl_variables
from planbook.citations.pins import CUSTOM
from planbook.citations.report import (
    VERSION,
    PageResult,
    PinResult,
    QuotedParagraph,
    SourceResult,
    VerifyReport,
    encode_report,
    make_page_result,
    merge_report,
)
from planbook.library.pages import fingerprint
from planbook.plan.forms import FORMS
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

HARMLESS = (
    "plain words 7",
    "`code` and *emphasis*",
    "[words](https://other.example/page)",
    "https://other.example/page",
    "x\n\n- y\n\n```\nz\n```",
)
"""Values with the Markdown that plans and drops may have, whose site shows what elements a site has."""

PAGE_KEYS = (
    *("title", "description", "author", "subtitle", "status", "location", "created", "updated", "plan", "part"),
    *("date", "image", "og_image", "summary", "keywords", "category", "categories", "slug", "draft", "id", "lang"),
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
        files[f"docs/{number}/{number}.svg"] = "<svg xmlns='http://www.w3.org/2000/svg'/>"
        files[f"documents/{file_name(payload)}.md"] = f"# {as_text(payload)}\n\n{payload}\n"
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


def in_line(payload: str) -> str:
    """The payload in one line."""
    return " ".join(payload.split())


def as_text(payload: str) -> str:
    """The payload as an author writes it into Markdown, who means the characters themselves."""
    return re.sub(r"[^\w ]", lambda found: f"&#{ord(found[0])};", in_line(payload), flags=re.ASCII)


def as_code(payload: str) -> str:
    """The payload as a code span, in which a fence of three stands for itself."""
    return f"```` {in_line(payload)} ````"


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
        _cited(number): _front_matter({"references": _references(payload)}) + _cited_text(number, payload),
        f"{number}/text.md": _text(number, payload),
        f"{number}/{name} d/index.md": _front_matter({"title": payload}) + "Text.\n",
        f"{number}/{name} e/x.md": "# X\n",
        f"{number}/{name} e/pic {name}.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        f"{number}/{name}.md": "No heading here.\n",
        f"{number}/{name} d/in folder {number}.md": "No heading here either.\n",
    }


def _text(number: int, payload: str) -> str:
    """A page whose author has escaped the payload everywhere: in headings, tables, links, lists and messages."""
    text, code = as_text(payload), as_code(payload).replace("|", "&#124;")
    name = re.sub(r"[\[\]<|`]", lambda found: f"&#{ord(found[0])};", file_name(payload))
    return f"""# {text} and {code}

{text}. *{text}* and {code}. [{text}](page.md "{text}") ![{text}](<{number}.svg> "{text}")

## {code} (~50 lines)

- **{text}**: {code}
- [ ] {text}

| Message {{: #m .messages }} | {text} |
| --- | --- |
| {code} | {text} |

[[{number}/page|{text}]] [[{name}]] [^n]

[^n]: {text} {code}

!!! note "{text.replace('"', "")}"

    {text}
"""


def _front_matter(values: object) -> str:
    return f"---\n{yaml.safe_dump(values, allow_unicode=True)}---\n\n"


def _references(payload: str) -> list[dict[str, object]]:
    work: dict[str, object] = dict.fromkeys(sorted(csl_variables.KNOWN_VARIABLES - {"id", "custom"}), payload)
    work |= {key: [{"family": payload, "given": payload}, {"literal": payload}] for key in sorted(csl_variables.NAMES)}
    by_quote = {"q1": payload, payload: payload}
    custom: dict[str, object] = dict.fromkeys((*CUSTOM, "permalink", "commit", "path", "repository"), payload)
    custom |= {"quotes": by_quote, "fragments": by_quote}
    work |= {"custom": custom}
    dates = {"issued": {"literal": payload}, "accessed": {"raw": payload}}
    return [
        {"id": "plain", **work, "type": "webpage", "URL": "https://work.example/"},
        {"id": "dated", **work, **dates, "title": f"<i>{payload}</i>", "URL": "https://dated.example/"},
        {"id": "local", "title": payload, "custom": {**custom, "file": f"documents/{file_name(payload)}.md"}},
        {"id": "code", "title": payload, "URL": f"https://github.com/tea/steep/blob/{'a' * 40}/{payload}#L1"},
        {"id": "evil", **work, "URL": payload},
        {"id": "path", **work, "URL": f"https://work.example/{payload}"},
        {"id": payload, **work, "URL": "page.md"},
    ]


def _cited_text(number: int, payload: str) -> str:
    text = f"# Cited {number}\n\nText [@plain, q1]. More [@evil, q1; @path, p. 3]. [@dated, q1] [@local, q1] [@code]\n"
    code = as_code(re.sub(r"[\[\];]", " ", payload))
    return f"{text}\nPlaces [see @plain, {as_text(payload)}] and [@local, {code}].\n"


OUTCOMES = {"plain": "ok", "evil": "moved", "path": "", "dated": "gone", "local": "ok", "code": "unread"}
"""The result of each work's check; where it is empty, the payload."""


def _checked(text: str, payload: str) -> PageResult:
    around = QuotedParagraph(f"before {payload} after", payload, payload)
    works = tuple(
        SourceResult(
            name,
            checkable=True,
            outcome=outcome,
            reason=payload,
            doubt=payload,
            file=payload,
            file_sha256=payload,
            pinned=PinResult(payload, payload, payload, payload, payload) if outcome == "ok" else None,
            moved_to=payload,
            sha256=payload,
            quotes={"q1": True},
            fetched=payload,
            copy=payload,
            findings=(payload,),
            checked=payload,
            passages={"q1": around},
        )
        for name, outcome in OUTCOMES.items()
        for outcome in [outcome or payload]
    )
    return make_page_result(works, payload, fingerprint(text), 3, offline=False)


def _plan_and_drop(number: int, payload: str) -> dict[str, str]:
    line = in_line(payload)
    name = file_name(payload)
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

**Target File**: `planned/{name}.md`

## PART 3: Create planned/forms-{number}.md

- [/] PART 3: Create planned/forms-{number}.md (Failed 2026-01-02 10:00 UTC: {line})

{_every_form(line)}
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
    named = f"## PART 1: Create planned/named-{number}.md\n\n- [x] PART 1: Create planned/named-{number}.md\n"
    return {
        f"plans/plan-{number}.md": plan,
        f"plans/{number} {name}.md": named,
        f"plans/KNOWLEDGE-DROP-{number}-2026-01-02.md": drop,
        f"plans/KNOWLEDGE-DROP-{number} {name}.md": drop.replace("**Part**: 1", "**Part**: 2"),
    }


def _every_form(line: str) -> str:
    """Each label of plans with the payload as its value, and each example with it in quotation marks."""
    lines = list[str]()
    for form in FORMS:
        lines += [f"**{form.name}**: {line}", "", f"- [ ] {form.name}: {line}", ""]
        lines += [re.sub(r'"[^"]+"', lambda _: f'"{line}"', form.example), ""]
    return "\n".join(lines)
