"""Writes down, beside the site, what MkDocs knows after all plugins have spoken.

`made/` holds the generated files, `nav.txt` the nav, `told.json` each page with its metadata.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

TOLD: dict[str, dict[str, Any]] = {}


def on_page_context(context: dict[str, Any], page: Any, config: Any, nav: Any) -> dict[str, Any]:
    """Take a page, and where it stands."""
    TOLD[page.file.src_uri] = {
        "title": page.title,
        "url": page.url,
        "edit_url": page.edit_url,
        "meta": dict(page.meta),
        "markdown": page.markdown,
        "ancestors": [section.title for section in reversed(page.ancestors)],
    }
    return context


def on_nav(nav: Any, config: Any, files: Any) -> Any:
    """Copy each generated file as it was written, and take the nav as a reader sees it: an item a line."""
    TOLD.clear()
    folder = Path(config.config_file_path).with_name("made")
    shutil.rmtree(folder, ignore_errors=True)
    for file in files:
        path = Path(file.abs_src_path or config.docs_dir)
        if path.suffix in {".md", ".json", ".bib"} and not path.is_relative_to(config.docs_dir):
            copy = folder / file.src_uri
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)

    def lines(items: Any, indent: str = "") -> list[str]:
        found = []
        for entry in items:
            place = entry.file.src_uri if entry.is_page else entry.url if entry.is_link else "section"
            found.append(f"{indent}- {entry.title or ''} ({place})")
            found += lines(entry.children or (), f"{indent}    ")
        return found

    Path(config.config_file_path).with_name("nav.txt").write_text("\n".join(lines(nav.items)) + "\n", encoding="utf-8")
    return nav


def on_post_build(config: Any) -> None:
    """Write."""
    path = Path(config.config_file_path).with_name("told.json")
    path.write_text(json.dumps(TOLD, ensure_ascii=False, default=str, sort_keys=True), encoding="utf-8")
