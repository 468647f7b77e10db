"""Configurations with other plugins."""

from __future__ import annotations

import json
from collections.abc import Sequence


def configuration(plugins: Sequence[object], **others: object) -> str:
    """A configuration with Material and these plugins."""
    theme = {"name": "material", "font": False}
    settings = {"site_name": "T", "site_url": "https://t.example/", "theme": theme, "plugins": plugins, **others}
    return json.dumps(settings)
