"""Optional dependencies: what to tell a user who lacks one."""

from __future__ import annotations


def describe_missing(error: ImportError, extra: str) -> str:
    """Return what an import lacks, to follow the name of what needs it, and the command that installs `extra`.

    Only a `ModuleNotFoundError` means that a package is missing. Any other `ImportError` comes from a package that is
    there, often names none, and says itself what is wrong.
    """
    if isinstance(error, ModuleNotFoundError) and error.name:
        lack = f"needs the package {error.name.partition('.')[0]}"
    else:
        lack = f"needs a package that cannot be imported ({' '.join(str(error).split())})"
    return f"{lack}; run: python -m pip install 'path/to/planbook[{extra}]'"
