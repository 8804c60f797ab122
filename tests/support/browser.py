"""A headless Chromium that loads a page from disk; it has no network, and whatever a page says or asks for is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")


@contextmanager
def browser() -> Iterator[Chrome]:
    """Start a browser, and end it."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    # Root may not use the sandbox, and containers have little shared memory.
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield running
    finally:
        running.quit()


def sized(running: Chrome, width: int, height: int = 900) -> None:
    """Make the page *width* wide, also below what a window may be."""
    about = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    running.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", about)


def themed(running: Chrome, scheme: str) -> None:
    """Make the page believe that its reader wants the *scheme* light or dark."""
    running.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def opened(running: Chrome, page: Path) -> None:
    """Load *page* from disk."""
    for kind in ("browser", "performance"):
        _log(running, kind)
    running.get(page.as_uri())


def complaints(running: Chrome) -> list[str]:
    """Return what the page said on the console since it was opened."""
    return [entry["message"] for entry in _log(running, "browser")]


def requested(running: Chrome) -> list[str]:
    """Return every address that was asked for since the page was opened."""
    messages: list[dict[str, Any]] = [json.loads(entry["message"])["message"] for entry in _log(running, "performance")]
    return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]


def _log(running: Chrome, kind: str) -> list[dict[str, Any]]:
    """Return the log of one kind since it was last read."""
    entries: list[dict[str, Any]] = running.execute("getLog", {"type": kind})["value"]
    return entries
