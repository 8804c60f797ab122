"""`megasolve report`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import megasolve

SPECS = ("specs/worked_example.yaml", "specs/equal_partitions.yaml")


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def test_several_specs_are_one_page_in_the_order_asked(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    result = megasolve("report", *SPECS, "-o", str(target))
    assert (result.exit_code, result.stdout) == (0, "")
    page = target.read_text(encoding="utf-8")
    assert "What would change the answer" in page
    assert page.startswith("<!doctype html>")
    assert page.index("worked_example</bdi></h1>") < page.index("equal_partitions</bdi></h1>")


def test_a_candidate_that_is_asked_for_is_drawn_or_named_with_the_reason() -> None:
    excluded = "c:P/c:B/c:L/c:C@serial"
    page = megasolve("report", "specs/nh_tts.yaml", "--quick", "--batch", "1", "--candidate", "m:P+B/c:L/c:C@serial").stdout
    assert '<figcaption title="m:P+B/c:L/c:C@serial">' in page
    assert f"{excluded} is excluded: MEM-02" in megasolve("report", SPECS[0], "--quick", "--candidate", excluded).stdout


@pytest.mark.parametrize("words", [("report",), ("report", "nothing.yaml"), ("report", SPECS[0], "--batch", "77")])
def test_what_cannot_be_reported_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    target = tmp_path / "report.html"
    result = megasolve(*words, "-o", str(target))
    assert result.exit_code == 2
    assert not target.exists()
    assert "Traceback" not in result.stderr


def test_no_input_is_overwritten() -> None:
    result = megasolve("report", SPECS[0], "-o", SPECS[0])
    assert result.exit_code == 2
    assert "would" in result.stderr or "input" in result.stderr
