"""Pages whose names were written by somebody who means harm: they are text, and the page stays as wide as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from megasolve.report.page.frozen import ResultFile
from megasolve.report.page.page import report_page
from megasolve.solver import plan_of_text
from tests.support.browser import browser, complaints, opened, requested, sized
from tests.support.toolchain import needs_browser

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = needs_browser
MARKUP = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'><svg onload=window.harmed=1>"
NAMES = {
    "markup": MARKUP,
    "quotes": "\"' onmouseover='window.harmed = 1' x=\"",
    "control": "a\x00b\x1b[31mc\u2028d",
    "right to left": "\u202edrowssap\u2066\u05d0\u05d1",
    "long": "x" * 4_000,
    "long words": "word " * 800,
}


@pytest.fixture(scope="module")
def chrome() -> Iterator[Chrome]:
    with browser() as running:
        yield running


def result(name: str, groups: int = 3) -> dict[str, Any]:
    """Return a result of `solve` with *name* wherever a name or a text stands."""
    ids = [f"m:{'+'.join(f'{name}{number}' for number in range(groups))}@{name}", f"c:{name}/c:{name}2@serial"]
    rows = [
        {"id": one, "score_ps": 10**9 + place, "entries": [name], "evidence": [name], "variants": [[name]]} for place, one in enumerate(ids)
    ]
    excluded = {"id": ids[0], "causes": [{"rule": name, "because": name}]}
    batch = {"batch": 1, "objective": name, "best": ids[:1], "ranking": rows, "excluded": [excluded], "notes": [name]}
    return {"megasolve": "result/v1", "spec": name, "device": name, "version": name, "results": [batch, {**batch, "batch": 2}]}


@pytest.mark.parametrize("name", NAMES)
def test_no_name_scripts_breaks_or_widens_a_page(chrome: Chrome, tmp_path: Path, name: str) -> None:
    page = tmp_path / "report.html"
    plan = plan_of_text("plan.json", json.dumps(result(NAMES[name])))
    text = report_page([ResultFile(NAMES[name], plan)], "1")
    assert all(char.isprintable() or char == "\n" for char in text)
    page.write_text(text, encoding="utf-8")
    sized(chrome, 390)
    opened(chrome, page)
    assert complaints(chrome) == []
    assert requested(chrome) == [page.as_uri()]
    assert chrome.execute_script("return window.harmed") is None
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= 390
    assert chrome.execute_script("return document.querySelectorAll('script').length") == 1


def test_a_page_of_twenty_eight_layers_is_small_and_names_them_by_their_ends() -> None:
    page = report_page([ResultFile("plan.json", plan_of_text("plan.json", json.dumps(result("layer", 28))))], "1")
    assert len(page) < 100_000
    assert "m:layer0+(26 more)+layer27@layer" in page
