"""The page in a browser: it draws, says nothing on the console, asks for nothing, and can be used by everybody."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from megasolve.contracts import load_spec
from megasolve.report.page.page import report_page
from megasolve.solver.reported.reported import ReportWishes, reported
from tests.support.browser import browser, complaints, opened, requested, sized, themed
from tests.support.planning.shown import receding, tiled, with_assumed_layer
from tests.support.planning.studies import SPECS
from tests.support.toolchain import needs_browser

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = needs_browser
WIDTHS = (390, 1280, 1920)
# Text that a reader sees, with where it stands; what is cut off by its own box, or hidden, is none.
TEXTS = """
return [...document.querySelectorAll('h1,h2,h3,p,figcaption,label,button,.marks span,.ticks span,.names div,td,th')].flatMap(element => {
  const style = getComputedStyle(element);
  const hidden = style.visibility === 'hidden' || element.closest('.wide') || !element.getClientRects().length;
  if (hidden || !element.textContent.trim()) return [];
  const range = document.createRange(); range.selectNodeContents(element);
  const box = element.matches('.names div') ? element.getBoundingClientRect() : range.getBoundingClientRect();
  return [[element.textContent.trim().slice(0, 60), box.left, box.top, box.right, box.bottom]];
});
"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Chrome]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    quick = reported(load_spec(SPECS / "nh_tts.yaml"), wishes=ReportWishes(is_quick=True))
    studies = [reported(one) for one in (receding(), with_assumed_layer(), tiled(repeat=300))]
    return written(tmp_path_factory.mktemp("report"), report_page([quick, *studies], "1"))


def written(folder: Path, text: str) -> Path:
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def short_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of few rows: what axe has to look at grows with them."""
    return written(tmp_path_factory.mktemp("short"), report_page([reported(with_assumed_layer())], "1"))


def shown(chrome: Chrome, page: Path, width: int) -> None:
    sized(chrome, width)
    opened(chrome, page)


def test_a_page_says_nothing_on_the_console_and_asks_for_nothing_but_itself(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 1280)
    assert complaints(chrome) == []
    assert requested(chrome) == [page.as_uri()]


def test_schedules_are_drawn_of_the_best_and_of_one_beside_it(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 1280)
    wide = "[...chart.querySelectorAll('.spans rect')].filter(rect => rect.getBoundingClientRect().width > 1).length"
    charts = f"[...viewer.querySelectorAll('.chart:not([hidden])')].filter(chart => !chart.querySelector('canvas')).map(chart => {wide})"
    drawn = chrome.execute_script(f"return [...document.querySelectorAll('.viewer')].map(viewer => {charts})")
    assert [len(each) for each in drawn[:3]] == [2, 2, 2]
    assert min(least for each in drawn for least in each) > 0


def test_tiles_are_painted_line_by_line_and_named_where_one_points(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 1280)
    painted = """
    const canvas = document.querySelector('canvas'), data = JSON.parse(canvas.dataset.spans), pen = canvas.getContext('2d');
    return data.tracks.map((_, row) => {
      const line = pen.getImageData(0, (row + 0.5) * data.row, canvas.width, 1).data;
      return line.filter((value, at) => at % 4 === 3 && value > 0).length / canvas.width;
    });
    """
    lines = chrome.execute_script(painted)
    assert len(lines) == 4
    assert max(lines) > 0.5
    point = """
    const canvas = document.querySelector('canvas'), box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 2, clientY: box.top + 2, bubbles: true }));
    return canvas.closest('.viewer').querySelector('.under').textContent;
    """
    assert "gemm" in chrome.execute_script(point)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_lies_over_another_and_nothing_stands_outside(chrome: Chrome, page: Path, width: int) -> None:
    shown(chrome, page, width)
    texts = chrome.execute_script(TEXTS)
    assert len(texts) > 50
    overlapping = [
        (one[0], other[0])
        for one, other in combinations(texts, 2)
        if one[0] not in other[0]
        and other[0] not in one[0]
        and min(one[3], other[3]) - max(one[1], other[1]) > 1
        and min(one[4], other[4]) - max(one[2], other[2]) > 3
    ]
    assert overlapping == []
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chrome: Chrome, short_page: Path, scheme: str) -> None:
    shown(chrome, short_page, 1280)
    themed(chrome, scheme)
    chrome.set_script_timeout(120)
    chrome.execute_script((files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = chrome.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    serious = [(one["id"], one["nodes"][0]["html"][:120]) for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert serious == []


def test_columns_sort_and_rows_are_filtered(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 1280)
    first = "return document.querySelector('.ranking tbody tr').cells[4].textContent"
    best = chrome.execute_script(first)
    click = "document.querySelector('.ranking button[data-column=\"1\"]').click()"
    chrome.execute_script(click)
    assert chrome.execute_script(first) == best
    chrome.execute_script(click)
    assert chrome.execute_script(first) != best
    chrome.execute_script("const f = document.querySelector('.filter'); f.value = 'dynamic'; f.dispatchEvent(new Event('input'))")
    left = chrome.execute_script(
        "return [...document.querySelectorAll('.ranking')[0].tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[4].textContent)"
    )
    assert left
    assert all("@dynamic" in one for one in left)


def test_keys_zoom_and_pan_and_all_comes_back(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 1280)
    box = "const box = document.querySelector('.spans').viewBox.baseVal; return [box.x, box.width]"
    begun = chrome.execute_script(box)
    press = "document.querySelector('.chart').dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0]}))"
    chrome.execute_script(press, "+")
    zoomed = chrome.execute_script(box)
    assert zoomed[1] == pytest.approx(begun[1] / 2)
    chrome.execute_script(press, "ArrowRight")
    assert chrome.execute_script(box)[0] > zoomed[0]
    chrome.execute_script(press, "0")
    assert chrome.execute_script(box) == pytest.approx(begun)


SUMMARY = "const table = document.querySelector('.summary'); return "


def test_on_a_telephone_all_of_the_first_table_is_seen_and_on_paper_it_is_a_table(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 390)
    assert chrome.execute_script(f"{SUMMARY} table.parentElement.scrollWidth <= table.parentElement.clientWidth")
    assert chrome.execute_script(f"{SUMMARY} getComputedStyle(table.tBodies[0].rows[0]).display") == "grid"
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert chrome.execute_script(f"{SUMMARY} getComputedStyle(table.tBodies[0].rows[0]).display") == "table-row"
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_page_prints(chrome: Chrome, page: Path) -> None:
    shown(chrome, page, 1280)
    printed = base64.b64decode(chrome.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF")
    assert len(printed) > 20_000
