"""The pictures of the README, taken of today's page: `python -m benchmarks.pictures [FOLDER]`, by default docs/images.

Needs chromium, chromedriver and selenium.

- *report_answer.png*: the first screen of the report on nh_tts, and how designs stand from batch to batch.
- *report_schedules.png*: the best at batch 32 beside the best serial one, in the dark theme.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from megasolve.contracts import load_spec, shipped_specs
from megasolve.report.page.page import report_page
from megasolve.solver.reported.reported import reported
from tests.support.browser import browser, opened, sized, themed

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

BATCH = "study-1-batch-32"
FIRST = "return document.querySelector('.said').getBoundingClientRect().bottom"
SECOND = f"""
const viewer = document.querySelector('#{BATCH} .viewer'), choice = viewer.querySelector('.beside');
choice.value = [...choice.options].find((option) => option.textContent.includes('@serial')).value;
choice.dispatchEvent(new Event('change'));
const box = viewer.querySelector('.charts').getBoundingClientRect();
return [box.top, viewer.querySelector('.key').getBoundingClientRect().bottom];
"""


def taken(chrome: Chrome, top: float, bottom: float) -> bytes:
    """Return the page from *top* to *bottom* as a PNG file."""
    clip = {"x": 0, "y": top, "width": 1180, "height": bottom - top, "scale": 1}
    shot = chrome.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip})
    return base64.b64decode(str(shot["data"]))


def main() -> None:
    """Write both pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="docs/images", type=Path)
    folder: Path = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as name, browser() as chrome:
        page = Path(name, "report.html")
        page.write_text(report_page([reported(load_spec(shipped_specs() / "nh_tts.yaml"))], "0"), encoding="utf-8")
        # So high that nothing scrolls: a picture is taken of the page as it was measured.
        sized(chrome, 1180, 16_000)
        opened(chrome, page)
        (folder / "report_answer.png").write_bytes(taken(chrome, 0, chrome.execute_script(FIRST) + 16))
        themed(chrome, "dark")
        top, bottom = chrome.execute_script(SECOND)
        (folder / "report_schedules.png").write_bytes(taken(chrome, top - 12, bottom + 16))


if __name__ == "__main__":
    main()
