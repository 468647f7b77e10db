"""The version of the code that a kept result depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbook_cache.versions import code_version


def test_the_version_is_of_all_code_of_a_package_and_of_its_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed module or template gives another version; other files do not."""
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "package_with_a_version"
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text("", "utf-8")
    versions = []
    for name in ("__init__.py", "inner.py", "templates/page.html", "notes.txt"):
        (package / name).write_text(f"# {name}\n", "utf-8")
        code_version.cache_clear()
        versions.append(code_version(package.name))
    assert len({*versions[:3]}) == 3
    assert versions[3] == versions[2]


def test_a_package_that_is_missing_has_no_version() -> None:
    """A misspelled name is no package without code."""
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        code_version("no_such_package")
