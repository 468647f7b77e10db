"""Templates show what they can read of a page as it is now."""

from __future__ import annotations

import pytest

from tests.speed.conftest import Site
from tests.speed.themes import THEME

READING = (
    '{{% extends "base.html" %}}\n{{% block announce %}}{{% if page %}}{shown}{{% endif %}}{{% endblock %}}\n'
    "{{% block content %}}{{{{ super() }}}}{{% endblock %}}\n"
)


READS_SOURCE = (
    "{{ page.file.content_string | length }} {{ page.file.content_string | e }}",
    "{{ page.file.content_bytes | length }}",
    "{{ page.file | attr('content_string') | length }}",
    "{{ page.file['content_string'] | e }}",
    "{% set name = 'content_string' %}{{ page.file | attr(name) | e }}",
    "{{ page | attr('markdown') | e }}",
    "{{ [page.file] | map(attribute='content_string') | join | e }}",
)
"""Ways of a template to show what is in a page's file."""


def test_a_template_that_shows_a_page_s_source(site: Site) -> None:
    """A change that its HTML does not show: another mark of emphasis, or a comment in the front matter."""
    site.write("theme/main.html", THEME.replace("SHOWN", READS_SOURCE[4]))
    assert_follows_source(site)


def test_templates_of_pages_that_show_a_page_s_source(site: Site) -> None:
    """Each page has a template of its own, which reads the source in another way."""
    for n, shown in enumerate(READS_SOURCE):
        site.write(f"theme/own{n}.html", THEME.replace("SHOWN", shown))
    site.write("docs/1.md", "# One\n\n*text*\n")
    texts = ("*text*\n", "_text_\n", "_text_\n\n[x]: y\n")
    for text in (texts[0], *texts):
        for n in range(len(READS_SOURCE)):
            site.write(f"docs/own/{n}.md", f"---\ntemplate: own{n}.html\n---\n# One\n\n{text}")
        site.assert_same()


@pytest.mark.nightly  # the one above has them all; here no other template hides that one is not understood
@pytest.mark.parametrize("shown", READS_SOURCE)
def test_each_template_that_shows_a_page_s_source(site: Site, shown: str) -> None:
    """The same holds for each way alone."""
    site.write("theme/main.html", THEME.replace("SHOWN", shown))
    assert_follows_source(site)


def assert_follows_source(site: Site) -> None:
    """Change what a page's HTML does not show, and expect the site of a plain build each time."""
    site.write("docs/1.md", "# One\n\n*text*\n")
    site.assert_same()
    site.assert_same()
    site.write("docs/1.md", "# One\n\n_text_\n")
    site.assert_same()
    site.write("docs/1.md", "---\n# comment\ntitle: One\n---\n# One\n\n_text_\n")
    site.assert_same()
    site.write("docs/1.md", "---\n# another\ntitle: One\n---\n# One\n\n_text_\n")
    site.assert_same()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "shown",
    [
        "{{ page.update_date }}",
        "{{ page.file.inclusion }} {{ page.file.generated_by }} {{ page.file.url }}",
        "{{ page.parent.title }} {{ page.is_homepage }} {{ page.is_section }}",
        "{% for item in page.toc.items %}{{ item.title }}{% endfor %}",
        "{{ page }}",
        "{% for key, value in config.items() %}{{ key }}{% endfor %}",
        "{{ self._TemplateReference__context.keys() | list }}",
        "{{ page.previous_page and page.previous_page.meta.tags }}",
        "{{ (page | attr('next_page')).title }}",
        "{% set p = page %}{{ p.file.content_string | length }}{{ p.markdown | length }}",
        "{% with file = page.file %}{{ file.content_string | length }}{% endwith %}",
        "{% macro of(x) %}{{ x.markdown }}{% endmacro %}{{ of(page) }}",
    ],
)
def test_a_template_that_reads_much(site: Site, shown: str) -> None:
    """A page changes in its front matter alone, then another one in its title."""
    site.write("theme/main.html", READING.format(shown=shown))
    site.assert_same()
    text = (site.root / "docs/1.md").read_text("utf-8")
    site.write("docs/1.md", text.replace("tags: [", "own: x\ntags: [more, "))
    site.assert_same()
    site.write("docs/0.md", text.replace("# Page", "# Sheet"))
    site.assert_same()
