"""`megasolve report`."""

from __future__ import annotations

import json
import re
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


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """The result file of a spec."""
    path = tmp_path / "plan.json"
    assert megasolve("solve", "specs/worked_example.yaml", "-o", str(path)).exit_code == 0
    return path


def test_a_result_file_is_shown_with_its_own_numbers_and_says_what_it_lacks(plan: Path) -> None:
    page = megasolve("report", str(plan)).stdout
    (batch,) = json.loads(plan.read_text(encoding="utf-8"))["results"]
    assert re.findall(r'data-ps="([^"]+)"', page) == [str(row["score_ps"]) for row in batch["ranking"]]
    assert page.count(f"the result file {plan} says: it holds no schedule") == 1
    assert "What runs when" not in page


def test_a_result_from_stdin_stands_beside_a_spec_in_the_order_asked(plan: Path) -> None:
    text = plan.read_text(encoding="utf-8")
    page = megasolve("report", "specs/equal_partitions.yaml", "-", "--quick", stdin=text).stdout
    assert page.index("equal_partitions</bdi></h1>") < page.index("worked_example</bdi></h1>")


def test_a_result_says_the_same_of_its_winner_as_its_spec(plan: Path) -> None:
    answer = re.compile('<p class="answer">.*</p>')
    from_spec = answer.search(megasolve("report", "specs/worked_example.yaml", "--quick").stdout)
    from_result = answer.search(megasolve("report", str(plan)).stdout)
    assert from_spec is not None
    assert from_result is not None
    assert from_spec[0] == from_result[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"megasolve": "result/v2"}', "is result/v2; a frozen plan is result/v1"),
        ('{"megasolve": "sweep/v1"}', "is sweep/v1; a frozen plan is result/v1"),
        ("[]", "names no kind"),
        ("{", "is no JSON"),
        ('{"megasolve": "result/v1", "spec": "x", "device": "d"}', "$.results: field required"),
    ],
)
def test_what_is_no_result_of_this_version_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text, encoding="utf-8")
    result = megasolve("report", str(path))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert said in result.stderr


def test_a_schedule_of_a_result_is_refused_in_a_line(plan: Path) -> None:
    result = megasolve("report", str(plan), "--candidate", "c:P/c:B/c:L/c:C@serial")
    assert result.exit_code == 2
    assert "a result file holds none: report its spec" in result.stderr


def test_a_result_of_another_release_is_shown_and_says_so(plan: Path) -> None:
    text = json.loads(plan.read_text(encoding="utf-8"))
    plan.write_text(json.dumps({**text, "version": "0.0.9"}), encoding="utf-8")
    assert "The result was written by megasolve 0.0.9, this page by" in megasolve("report", str(plan)).stdout


@pytest.mark.parametrize("target", ["none/report.html", "."])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, plan: Path, target: str) -> None:
    result = megasolve("report", str(plan), "-o", str(tmp_path / target))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "cannot write" in result.stderr or "is a folder" in result.stderr
