"""The theme's templates without indentation."""

from __future__ import annotations

import jinja2
import pytest
from markupsafe import Markup

from planbook.plugin.theme_templates import CompactTemplates, EscapeStripped


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("<p>\n  {% for n in [1, 2] %}\n    <b>{{ n }}</b>\n  {% endfor %}\n</p>", "<p>\n<b>1</b>\n<b>2</b>\n</p>"),
        ("<a\n  {% if no %}\n    class='x'\n  {% endif %}\n  href='y'>", "<a\nhref='y'>"),
        ("<a\n  {% if yes %}class='x'{% endif %}\n  href='y'>", "<a\nclass='x'\nhref='y'>"),
        ("one\n  {% if yes -%}\n  two\n  {%- endif %}\nthree", "one\ntwo\nthree"),
        ("one\n  {% set a = 1 %}\n  {% set b = 2 %}\n  two", "one\ntwo"),
        ("<pre>\n  {{ yes }}\n    kept\n</pre>", "<pre>\n  True\n    kept\n</pre>"),
    ],
)
def test_blanks_around_tags_go_and_one_between_words_stays(source: str, html: str) -> None:
    """A tag alone on its line leaves no line; words and attributes are still apart."""
    env = jinja2.Environment(autoescape=True)
    env.add_extension(CompactTemplates)
    assert env.from_string(source).render(yes=True, no=False) == html


@pytest.mark.parametrize("end", [" }}", "}}", " -}}"])
def test_what_is_stripped_of_tags_is_escaped_again(end: str) -> None:
    """A heading that escapes a script does not run it where a theme shows its title."""
    env = jinja2.Environment(autoescape=True, extensions=[EscapeStripped])
    title = Markup("<code>&lt;script&gt;</code>")
    assert env.from_string("{{ title | striptags" + end).render(title=title) == "&lt;script&gt;"


def test_errors_name_the_line_of_the_source() -> None:
    """No line is taken from a template."""
    env = jinja2.Environment(autoescape=True, extensions=[CompactTemplates])
    with pytest.raises(jinja2.TemplateSyntaxError) as error:
        env.from_string("<p>\n\n  {% if yes %}\n  {% endif %}\n  {% nonsense %}\n")
    assert error.value.lineno == 5
