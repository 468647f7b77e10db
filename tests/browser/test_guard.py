"""The browser of the tests asks no other host."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Error


@pytest.mark.parametrize("url", ["http://example.org/", "https://192.0.2.1/", "http://[2001:db8::1]/"])
def test_the_browser_asks_no_other_host(browser: Browser, url: str) -> None:
    """A page elsewhere is not found, by its name or its address: nothing is looked up or connected to."""
    page = browser.new_page()
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto(url)
    page.close()
