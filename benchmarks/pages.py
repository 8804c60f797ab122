"""Reports in a browser: how large each page is, and how long it takes until it is drawn.

`python -m benchmarks.pages [--trace FILE]`

Needs chromium, chromedriver and selenium. Pages are those of nh_tts, of llama_1b with its tiles, of a chain of 28 layers with a megakernel
for every run of them, and of a study that `megasolve new --cut layers` makes of a trace: a small one of our own, or FILE.

- *MB*: the file; the goal is less than 1.
- *loaded*: milliseconds from the start of the navigation to the load event, at which the page is drawn; the goal is less than 1,000.
- *work*: milliseconds of them that the page's thread computed; on a machine that does other things, too, this is what the page costs.
- *frame*: milliseconds from there to the second frame.
- *zoom*: milliseconds to draw the largest of its schedules again, zoomed in.

What the numbers do not compare: the time to plan, which is most of what `megasolve report` takes, or another browser.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from megasolve.contracts import Study, load_spec, shipped_specs
from megasolve.report.page.page import report_page
from megasolve.solver import Effort
from megasolve.solver.reported.reported import ReportWishes, reported
from tests.support.browser import browser, opened, sized
from tests.support.command import megasolve
from tests.support.planning.chains import chain_study
from tests.support.profiles.step_traces import trace

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

SECONDS = 60.0
FRAME = """
const done = arguments[arguments.length - 1], begun = performance.now();
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
"""
ZOOM = """
const of = (viewer) => viewer.querySelectorAll('.spans rect').length + [...viewer.querySelectorAll('canvas')].length * 10000;
const [largest] = [...document.querySelectorAll('.viewer')].sort((one, other) => of(other) - of(one));
const begun = performance.now();
largest.querySelector('[data-zoom=in]').click();
return performance.now() - begun;
"""
LOADED = "return performance.getEntriesByType('navigation')[0].loadEventEnd"


def studies(file: str | None, folder: Path) -> Iterator[tuple[str, Study]]:
    """Yield the studies with what they are called."""
    yield "nh_tts", load_spec(shipped_specs() / "nh_tts.yaml")
    yield "llama_1b", load_spec(shipped_specs() / "llama_1b.yaml")
    yield "28 layers", chain_study(Random(28), 28, 1)
    spec = folder / "traced.yaml"
    made = megasolve("new", str(spec), "--from", file or trace(folder, steps=4), *(("--cut", "layers") if file else ()))
    if made.exit_code:
        raise SystemExit(made.stderr)
    yield "a trace", load_spec(spec)


def worked_ms(chrome: Chrome) -> float:
    """Return how long the thread of the page has computed since it was opened."""
    metrics = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1000 * next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def line_of(chrome: Chrome, name: str, page: Path) -> str:
    """Open a page, and return what was measured."""
    sized(chrome, 1280)
    opened(chrome, page)
    work = worked_ms(chrome)
    frame = chrome.execute_async_script(FRAME)
    loaded, zoom = chrome.execute_script(LOADED), chrome.execute_script(ZOOM)
    return f"{name:<12} {page.stat().st_size / 1e6:>8.3f} {loaded:>8.0f} {work:>8.0f} {frame:>8.0f} {zoom:>8.0f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trace", help="a profile to make a study of")
    asked = parser.parse_args()
    print(f"{'page':<12} {'MB':>8} {'loaded':>8} {'work':>8} {'frame':>8} {'zoom':>8}")
    with tempfile.TemporaryDirectory() as name, browser() as chrome:
        folder = Path(name)
        chrome.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        for title, study in studies(asked.trace, folder):
            page = folder / f"{title.replace(' ', '_')}.html"
            shown = reported(study, wishes=ReportWishes(effort=Effort(seconds=SECONDS)))
            page.write_text(report_page([shown], "0"), encoding="utf-8")
            print(line_of(chrome, title, page), flush=True)


if __name__ == "__main__":
    main()
