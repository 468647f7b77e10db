"""Messages about missing optional dependencies."""

from __future__ import annotations


def describe_missing(error: ImportError, extra: str) -> str:
    """Describe a failed import and the command that installs `extra`; the message follows the name of what needs it.

    Only a `ModuleNotFoundError` means that a package is missing. Any other `ImportError` comes from an installed
    package, often without naming it, and carries its own message.
    """
    if isinstance(error, ModuleNotFoundError) and error.name:
        lack = f"needs the package {error.name.partition('.')[0]}"
    else:
        lack = f"needs a package that cannot be imported ({' '.join(str(error).split())})"
    return f"{lack}; run: python -m pip install 'path/to/planbook[{extra}]'"
