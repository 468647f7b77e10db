"""The addresses of the site's files, as pages link to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mkdocs.utils import get_relative_url


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """The address of each file of the site, by uri."""

    urls: Mapping[str, str]

    def __call__(self, page: str) -> Callable[[str], str]:
        """Return a function that returns each page's address relative to `page`."""
        page_url = self.urls.get(page)
        return lambda uri: (
            uri
            if page_url is None or uri not in self.urls
            else get_relative_url(self.urls[uri], page_url)
        )
