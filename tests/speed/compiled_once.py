"""Templates compiled once in a process: compiling those of Material is half of a build of a few pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jinja2

PACKAGES = {"builtins", "_operator", "jinja2", "markupsafe", "mkdocs"}
"""Those whose filters and tests give the same for the same values: the compiler calls them for constants."""
NOT_READ = {
    *("bytecode_cache", "cache", "globals", "linked_to", "loader", "overlayed", "shared"),
    *("install_gettext_translations", "install_null_translations", "install_gettext_callables"),
    *("uninstall_gettext_translations", "extract_translations", "list_templates"),
}
"""What the compiler does not read of an environment."""


def compile_once() -> None:
    """Let all environments of this process share what they compile, if nothing differs that the compiler reads."""
    compiled: dict[object, Any] = {}
    compile_anew: Callable[..., Any] = jinja2.Environment.compile

    def compile_template(env: jinja2.Environment, source: Any, *given: Any, **named: Any) -> Any:
        key = (source, given, tuple(named.items()), _settings(env)) if _is_usual(env) else None
        if key is None:
            return compile_anew(env, source, *given, **named)
        if key not in compiled:
            compiled[key] = compile_anew(env, source, *given, **named)
        return compiled[key]

    jinja2.Environment.compile = compile_template  # type: ignore[method-assign,assignment]


def _is_usual(env: jinja2.Environment) -> bool:
    """Return whether an environment has no filter, test or function of a hook's."""
    functions = (*env.filters.values(), *env.tests.values())
    return (
        type(env) is jinja2.Environment
        and env.finalize is None
        and all(str(getattr(each, "__module__", "")).partition(".")[0] in PACKAGES for each in functions)
    )


def _settings(env: jinja2.Environment) -> tuple[object, ...]:
    """Return what an environment has been given, of which the compiler may read anything."""
    values = {**vars(env), "extensions": [type(extension) for extension in env.extensions.values()]}
    return tuple((name, _hashable(value)) for name, value in values.items() if name not in NOT_READ)


def _hashable(value: object) -> object:
    if isinstance(value, Mapping):
        return tuple((key, _hashable(item)) for key, item in value.items())
    return value if callable(value) else repr(value)
