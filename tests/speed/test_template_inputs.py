"""A template is known to read its own page alone, or pages are rendered in each build."""

from __future__ import annotations

import jinja2
import pytest

from planbook_speed.digests import UnclearError
from planbook_speed.template_inputs import require_own_page

OWN = (
    "{{ page.title }} {{ page.meta.note }} {{ page['content'] }}",
    "{% for tag in page.meta.tags | sort %}{{ tag }}{% endfor %}",
    "{{ page.meta.rows[0] }} {{ page.meta.rows[1:] }}",
    "{% for row in page.meta.rows %}{{ page.meta.names[loop.index0] }}{% endfor %}",
    "{{ page.meta.rows | map(attribute='name.first') | join(', ') }}",
    "{{ page.meta.rows | selectattr('name', 'equalto', page.title) | list }}",
    "{{ config.extra | attr('note') }}",
)
OF_OTHERS = {
    "{{ nav }}": "nav",
    "{{ page.next_page.title }}": "next_page",
    "{{ page['next_page'].title }}": "next_page",
    "{{ (page | attr('next_page')).title }}": "next_page",
    "{{ [page] | map(attribute='next_page.meta.note') | first }}": "meta",
    "{{ [page] | map(attribute='parent.title') | first }}": "parent",
    "{{ [page] | groupby('next_page.title') }}": "next_page",
    "{{ [page] | sum(attribute='parent.children') }}": "children",
    "{{ [page] | min(attribute='next_page') }} ": "next_page",
    "{{ [page] | max(attribute='next_page') }}": "next_page",
    "{{ [page] | join(', ', attribute='next_page.title') }}": "next_page",
    "{{ [page] | map('attr', 'next_page') | first }}": "next_page",
    "{{ page[key].title }}": "an attribute by its name",
    "{{ page | attr(key) }}": "an attribute by its name",
    "{{ [page] | map(attribute=key) | first }}": "an attribute by its name",
    "{{ [page] | map(*names) | first }}": "an attribute by its name",
    "{{ [page] | map(**{'attribute': 'next_page'}) | first }}": "an attribute by its name",
    "{{ [page] | selectattr(key) | list }}": "an attribute by its name",
}
"""Templates, and which name the message has."""


@pytest.mark.parametrize("template", OWN)
def test_a_template_of_its_own_page_is_certain(template: str) -> None:
    """Its output is made again only if the page or what all share has changed."""
    require_own_page("main.html", template, jinja2.Environment(autoescape=True))


@pytest.mark.parametrize(("template", "name"), OF_OTHERS.items())
def test_a_template_that_may_read_other_pages_is_not(template: str, name: str) -> None:
    """Jinja divides the names of attributes at dots, and a name may be known only when the template runs."""
    with pytest.raises(UnclearError, match=f"the template main.html, which reads '{name}'"):
        require_own_page("main.html", template, jinja2.Environment(autoescape=True))


def test_a_file_that_is_no_template_reads_nothing() -> None:
    """It would fail the build if it were used."""
    require_own_page("data.txt", "{% no such tag %} {{ page.next_page }}", jinja2.Environment(autoescape=True))
