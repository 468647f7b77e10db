"""The citation style that a site is set up with."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError

from generator.extras import describe_missing

if TYPE_CHECKING:
    from generator.views.csl.page import Shown


def read_citation_style(root: Path, name: str | None, language: str) -> Callable[..., Shown] | None:
    """What shows citations in the style of the CSL file `name`; ``None`` where none is set.

    Raises:
        PluginError: the style cannot be used.
    """
    if not name:
        return None
    path = root / name
    if not path.is_file():
        what = "name a CSL file relative to mkdocs.yml, such as one from https://www.zotero.org/styles"
        raise PluginError(f"planbook: citation_style {name!r} is no file; {what}")
    try:
        from generator.views.csl.page import show  # noqa: PLC0415 - needs the extra `csl`
        from generator.views.csl.style import read_style  # noqa: PLC0415 - likewise

        return functools.partial(show, read_style(path.read_bytes(), name, language))
    except ImportError as error:
        raise PluginError(f"planbook: citation_style {describe_missing(error, 'csl')}") from error
    except ValueError as error:
        raise PluginError(f"planbook: citation_style {error}") from error
