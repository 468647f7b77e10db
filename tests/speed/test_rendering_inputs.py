"""Pages are cached only if all that their rendering depends on is known."""

from __future__ import annotations

import pytest
from mkdocs.config.defaults import MkDocsConfig

from planbook_speed.digests import UnclearError
from planbook_speed.rendering_inputs import read_rendering_inputs


def config_with(*extensions: str, **options: object) -> MkDocsConfig:
    """Return a configuration with extensions of Markdown, and with options of the first."""
    config = MkDocsConfig()
    config.load_dict({"site_name": "Bread", "markdown_extensions": [*extensions]})
    config.validate()
    if options:
        config.mdx_configs[extensions[0]] = options
    return config


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (config_with("pymdownx.snippets"), "the extension pymdownx.snippets"),
        (
            config_with("toc", slugify=pytest.importorskip),
            "a function of _pytest.outcomes in the options",
        ),
    ],
)
def test_an_extension_that_may_read_more_is_named(config: MkDocsConfig, message: str) -> None:
    """Then no page is cached, for this reason."""
    with pytest.raises(UnclearError, match=message):
        read_rendering_inputs(config, ())


def test_an_input_that_differs_has_a_name() -> None:
    """A verbose build says it."""
    plain, anchored = (read_rendering_inputs(config_with("toc", permalink=on), ()) for on in (False, True))
    assert [name for name in plain if plain[name] != anchored[name]] == ["the options of the extension 'toc'"]
