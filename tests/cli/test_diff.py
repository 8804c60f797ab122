"""`megasolve diff`: two plans of one spec, and an exit code for CI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from megasolve.report.shapes.diff import DiffShape
from tests.support.command import megasolve

SPEC = "specs/nh_tts.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("plans")
    before, after = str(folder / "before.json"), str(folder / "after.json")
    spec = str(Path(__file__).parents[2] / SPEC)
    assert megasolve("solve", spec, "-o", before).exit_code == 0
    assert megasolve("solve", spec, "--set", "records[group=B,entry=B+L,batch=1].duration_us=2400", "-o", after).exit_code == 0
    return before, after


def test_a_plan_beside_itself_has_changed_in_nothing(plans: tuple[str, str]) -> None:
    result = megasolve("diff", plans[0], plans[0], "--fail-if-worse", "0%")
    assert result.exit_code == 0
    assert "both plans were made of the same files, options and version" in result.stdout
    assert result.stdout.count("the same\n") == 3


def test_a_slower_record_shows_with_the_option_that_made_it(plans: tuple[str, str]) -> None:
    result = megasolve("diff", *plans)
    assert result.exit_code == 0
    assert "made with --set not given, and now it is records[group=B,entry=B+L,batch=1].duration_us=2400" in result.stdout
    assert "batch 1, first_publication: best was m:P/m:B+L/m:C@serial and is" in result.stdout
    assert "batch 32, first_publication: best stays" in result.stdout


@pytest.mark.parametrize(("allowed", "code"), [("2%", 1), ("5 %", 0), ("0.5%", 1)])
def test_ci_fails_where_the_best_is_slower_than_allowed(plans: tuple[str, str], allowed: str, code: int) -> None:
    result = megasolve("diff", *plans, "--fail-if-worse", allowed)
    assert result.exit_code == code
    assert result.stdout.count("worse than allowed") == code


def test_json_has_the_committed_shape(plans: tuple[str, str]) -> None:
    found = json.loads(megasolve("diff", *plans, "--format", "json", "--fail-if-worse", "2%").stdout)
    DiffShape.model_validate(found)
    assert [one["worse"] for one in found["batches"]] == [True, False, False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("README.md", "README.md"), "README.md: is no JSON"),
        (("nothing.json", "README.md"), "nothing.json: no such file"),
    ],
)
def test_what_is_no_plan_is_one_line(words: tuple[str, str], said: str) -> None:
    result = megasolve("diff", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("share", ["2", "x%", "-1%", "1e3%", "nan%", "99999%"])
def test_a_share_is_a_number_of_percent(plans: tuple[str, str], share: str) -> None:
    result = megasolve("diff", *plans, "--fail-if-worse", share)
    assert result.exit_code == 2
    assert "no share in percent" in result.stderr
