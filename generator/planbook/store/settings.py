"""A project's settings, read from its ``mkdocs.yml`` as MkDocs reads it.

``INHERIT`` and ``!ENV`` count.
"""

from __future__ import annotations

import glob
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from mkdocs.exceptions import ConfigurationError
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from planbook.markdown.front_matter import YAML_ERRORS, check_yaml
from planbook.store.blogs import folders_of_blogs
from planbook.store.files import RefusedError

CONFIGS = ("mkdocs.yml", "mkdocs.yaml", "properdocs.yml", "properdocs.yaml")
_TEXTS = (
    *("docs_dir", "site_dir", "site_url", "site_name", "site_description"),
    *("exclude_docs", "draft_docs", "dev_addr"),
)
_SITE_DIR = "site"
"""The folder that a build writes, by default."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A project's folders and its options for research, from its ``mkdocs.yml``."""

    root: Path
    docs_dir: str = "docs"
    site_dir: str = _SITE_DIR
    """The folder that a build writes."""
    plans_dir: str = "plans"
    """The first folder of plans."""
    plan_paths: tuple[str, ...] = ()
    """All folders, files and patterns that name plans; by default `plans_dir`."""
    target_folders: Mapping[str, str] = field(default_factory=dict)
    """The plugin's option ``base``: folders of the documentation by folder of plans."""
    folder_titles: Mapping[str, str] = field(default_factory=dict)
    """The plugin's option of this name: titles of folders of the documentation, by path."""
    site_url: str = ""
    site_name: str = ""
    site_description: str = ""
    nav: list[Any] | None = None
    """The hand-written navigation, as MkDocs reads it."""
    exclude_docs: str = ""
    """Patterns of files excluded from the site, one per line, in gitignore syntax."""
    dev_addr: str = "127.0.0.1:8000"
    """The host and port at which the site is served."""
    draft_docs: str = ""
    """Patterns of files that only `mkdocs serve` shows, likewise."""
    config: str = "mkdocs.yml"
    """The name of the file with these settings."""
    extensions: Mapping[str, object] = field(default_factory=dict)
    """The options of each Markdown extension, by its name as written."""
    theme: Mapping[str, object] = field(default_factory=dict)
    """The option `theme`, with at least a name."""
    plugins: tuple[str, ...] = ()
    """The names of the plugins."""
    post_folders: tuple[str, ...] = ()
    """The folders of the documentation that blogs read or fill."""
    hooks: tuple[str, ...] = ()
    """The paths of scripts of the author's that change the site too."""
    validation: Mapping[str, object] = field(default_factory=dict)
    """The levels at which MkDocs reports links, by kind."""
    plugin_options: Mapping[str, object] = field(default_factory=dict)
    """The options of the plugin `planbook`, as written."""
    expand: Mapping[str, object] = field(default_factory=dict)
    """The plugin's option ``expand``, as written."""
    is_vault: bool = False
    """True if the pages are notes of Obsidian, with comments that are not published."""
    plugin_lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each of the plugin's options in `config`, 1-based; nested keys are dotted,
    ``expand.search``."""

    @property
    def plan_folders(self) -> tuple[str, ...]:
        """The folders that hold all plans."""
        return tuple(dict.fromkeys(map(plans_folder, self.plan_paths))) or (
            self.plans_dir.strip("/"),
        )

    @property
    def bounds(self) -> tuple[Path, ...]:
        """The folders that links may lead into: the root, and pages and plans elsewhere."""
        return tuple(self.root / folder for folder in ("", self.docs_dir, *self.plan_folders))

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The folders that builds write."""
        return (self.root / self.site_dir,)


def find_root(start: Path) -> Path:
    """Return the nearest folder at or above `start` with one of `CONFIGS`; else `start`."""
    for folder in (start, *start.parents):
        if any((folder / name).is_file() for name in CONFIGS):
            return folder
    return start


def read_settings(root: Path) -> Settings:
    """Return the settings of the project at `root`.

    MkDocs' own YAML tags are ``None``, and run no code.

    Raises RefusedError if a configuration file is not YAML, or inherits from a missing file.
    """
    config = next((root / name for name in CONFIGS if (root / name).is_file()), None)
    if config is None:
        return Settings(root)
    values, lines = _read_config(config)
    plugin = _plugin_options(values.get("plugins"))
    paths = read_plan_paths(plugin.get("plans_dir"))
    nav, hooks, theme = values.get("nav"), values.get("hooks"), values.get("theme")
    texts = {name: str(values[name]) for name in _TEXTS if values.get(name)}
    return Settings(
        root=root,
        plans_dir=plans_folder(paths[0]),
        plan_paths=paths,
        target_folders={folder: str(path) for folder, path in _mapping(plugin.get("base")).items()},
        folder_titles={
            folder: str(title) for folder, title in _mapping(plugin.get("folder_titles")).items()
        },
        nav=nav if isinstance(nav, list) else None,
        config=config.name,
        **texts,
        theme=theme if isinstance(theme, dict) else {"name": str(theme or "mkdocs")},
        plugins=tuple(_options_by_name(values.get("plugins"))),
        post_folders=folders_of_blogs(values.get("plugins")),
        hooks=tuple(map(str, hooks)) if isinstance(hooks, list) else (),
        validation=_validation(values.get("validation")),
        plugin_options=plugin,
        extensions=_options_by_name(values.get("markdown_extensions")),
        expand=_mapping(plugin.get("expand")),
        is_vault=is_vault(root / texts.get("docs_dir", "docs"), root, plugin.get("vault")),
        plugin_lines=lines,
    )


def read_site_dir(config: Path) -> str:
    """Return the folder that a build with the configuration file `config` writes.

    MkDocs does not keep it: `serve` and ``--site-dir`` replace it by another one.

    Raises RefusedError if the file cannot be read.
    """
    site_dir = _read_values(config).get("site_dir") if config.is_file() else None
    return str(site_dir or _SITE_DIR)


VAULT = ".obsidian"
"""The folder of Obsidian's settings, at the top of a vault."""


def is_vault(docs: Path, root: Path, option: object) -> bool:
    """Return whether pages are notes of Obsidian: as the option says, else by its folder."""
    if isinstance(option, bool):
        return option
    return (docs / VAULT).is_dir() or (root / VAULT).is_dir()


def _mapping(value: object) -> dict[str, object]:
    """Return a mapping with texts as keys; empty for any other value."""
    if not isinstance(value, dict):
        return {}
    return {str(key): item for key, item in value.items()}


def read_check_options(root: Path) -> Mapping[str, object]:
    """Return the table ``[tool.planbook.check]`` of the project's ``pyproject.toml``.

    The result is empty if there is none.

    Raises:
        ValueError: the file is not TOML, or this key is not a table.
    """
    pyproject = root / "pyproject.toml"
    table: object = (
        tomllib.loads(pyproject.read_text(encoding="utf-8")) if pyproject.is_file() else {}
    )
    for key in ("tool", "planbook", "check"):
        table = table.get(key, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise ValueError(
            f"{pyproject}: [tool.planbook.check] is not a table; "
            'write for example `ignore = ["P021"]`'
        )
    return table


class _TolerantLoader(yaml.SafeLoader):
    """A YAML loader that reads unknown tags as ``None``, but for those of MkDocs' own loader."""


_TolerantLoader.add_multi_constructor("", lambda loader, suffix, node: None)


def _read_config(config: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the values of `config` with inherited ones, and the lines of the plugin's options."""
    values = _read_values(config)
    with config.open("rb") as file:  # read above without an error
        lines = _lines_below(yaml.compose(file, _TolerantLoader), ("plugins", "planbook"))
    return values, lines


def _read_values(config: Path) -> dict[str, Any]:
    """Return the values of `config` with inherited ones. Raises RefusedError."""
    try:
        with config.open("rb") as file:
            check_yaml(file.read().decode("utf-8", "replace"))
            file.seek(0)
            values: object = yaml_load(file, get_yaml_loader(_TolerantLoader))
    except (ConfigurationError, *YAML_ERRORS) as error:
        defect = "it inherits from itself" if isinstance(error, RecursionError) else error
        raise RefusedError(f"the configuration in {config} cannot be read: {defect}") from error
    return values if isinstance(values, dict) else {}


def _options_by_name(value: object) -> dict[str, object]:
    """Return the options of extensions or plugins by name, in each form that MkDocs reads."""
    options: dict[str, object] = {}
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            options |= _mapping(entry)
        else:
            options[str(entry)] = None
    return options


def _validation(value: object) -> dict[str, object]:
    """Return the levels for links, which may stand below ``links`` or above it."""
    levels = value if isinstance(value, dict) else {}
    links = levels.get("links")
    return {**levels, **links} if isinstance(links, dict) else dict(levels)


def _plugin_options(plugins: object) -> dict[str, object]:
    """Return the options of the plugin, from a list of plugins or a mapping."""
    if isinstance(plugins, dict):
        plugins = [plugins]
    for entry in plugins if isinstance(plugins, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("planbook"), dict):
            return dict(entry["planbook"])
    return {}


def _lines_below(node: yaml.Node | None, path: tuple[str, ...]) -> dict[str, int]:
    """Return the line of each key of the mapping at `path`, searching through lists on the way."""
    if not path:
        return _lines_of_keys(node)
    if isinstance(node, yaml.SequenceNode):
        for below in node.value:
            lines = _lines_below(below, path)
            if lines:
                return lines
        return {}
    for name, _, value in _keys(node):
        if name == path[0]:
            return _lines_below(value, path[1:])
    return {}


def _lines_of_keys(node: yaml.Node | None) -> dict[str, int]:
    """Return the line of each key of a mapping; those of inner mappings are dotted."""
    lines: dict[str, int] = {}
    for name, line, value in _keys(node):
        lines[name] = line
        for inner_key, inner_line in _lines_of_keys(value).items():
            lines[f"{name}.{inner_key}"] = inner_line
    return lines


def _keys(node: yaml.Node | None) -> Iterator[tuple[str, int, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            yield key.value, key.start_mark.line + 1, value


PLANS_DIR = "plans"
"""The folder of plans by default."""


def read_plan_paths(value: object) -> tuple[str, ...]:
    """Return the folders, files and patterns in the option `plans_dir`: one, or a list."""
    values = value if isinstance(value, list) else [value]
    if not value:
        values = [PLANS_DIR]
    return tuple(str(path).removeprefix("./").strip("/") or "." for path in values)


def plans_folder(path: str) -> str:
    """Return the folder that holds all files that an entry of `plans_dir` names."""
    pieces = PurePosixPath(path).parts
    fixed = list(
        takewhile(lambda piece: not glob.has_magic(piece) and not piece.endswith(".md"), pieces)
    )
    return "/".join(fixed) or "."
