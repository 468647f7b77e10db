"""HTML templates; values that are not Markup are escaped."""

from __future__ import annotations

from importlib.resources import files

import jinja2

from generator.markdown.plain_text import count, number
from generator.markdown.safe_markdown import inline_html
from generator.views.labels import LABELS, MEANINGS, against_budget, length_of, printable

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FunctionLoader(lambda name: (files("generator.views") / "templates" / name).read_text("utf-8")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
_ENVIRONMENT.globals |= {
    **{"labels": LABELS, "meanings": MEANINGS, "count": count, "number": number},
    **{"against_budget": against_budget, "length_of": length_of, "printable": printable, "inline_html": inline_html},
}


def render_template(name: str, /, **values: object) -> str:
    """Return the HTML of a template."""
    return _ENVIRONMENT.get_template(name).render(**values)


def render_block(name: str, /, **values: object) -> str:
    """Return the HTML of a template without blank lines, which would end an HTML block of Markdown."""
    return "".join(f"{line}\n" for line in render_template(name, **values).splitlines() if line.strip())
