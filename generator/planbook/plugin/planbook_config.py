"""The options of the plugin `planbook`."""

from __future__ import annotations

from mkdocs.config import config_options as opt
from mkdocs.config.base import Config

from planbook.markdown import github


class PlanbookConfig(Config):
    """The options under ``plugins: - planbook:`` in ``mkdocs.yml``."""

    plans_dir = opt.Type((str, list), default="plans")
    """Folders, files and patterns of plans, relative to ``mkdocs.yml``: one, or a list."""
    base = opt.DictOfItems(opt.Type(str), default={})
    """Maps folders below ``plans_dir`` to the folders of the documentation that their plans' paths
    are relative to."""
    folder_titles = opt.DictOfItems(opt.Type(str), default={})
    """Maps folders of the documentation to their titles in the navigation and INDEX."""
    problems = opt.Choice(("summary", "list", "warn"), default="summary")
    """The log output for Problems that are no errors: a count, a list, or warnings (which fail a
    strict build)."""
    agents = opt.Type(bool, default=True)
    """Add Markdown twins of pages and llms.txt to the site."""
    fix_pages = opt.Type(bool, default=True)
    """Fix lists and links that Python-Markdown would misread."""
    markdown = opt.Choice(github.MODES, default=github.PYTHON)
    """The reader of pages: pyromark, as on GitHub, or Python-Markdown."""
    vault = opt.Optional(opt.Type(bool))
    """Pages are notes of Obsidian: hide comments; by default, if its folder `.obsidian` is
    there."""
    publish_documents = opt.Type(bool, default=False)
    """Show the local documents that pages cite, if they are text, as pages of the site."""
    expand = opt.Type(dict, default={})
    """Options for `planbook expand`; builds ignore them."""
