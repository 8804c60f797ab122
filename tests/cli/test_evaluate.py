"""The command `evaluate`: what it prints in each form, what it refuses, and with which exit code."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from megasolve.report.shapes.evaluation import EvaluationShape
from tests.support.command import CHECKOUT, megasolve
from tests.support.measured.measurements import HEAD, table

SPEC = "specs/nh_tts.yaml"
THREE = "m:P/m:B+L/m:C@"
CONVENTIONAL = "c:P/c:B/c:L/c:C@serial"
# Four blocks, two of them slower for all designs, and each a little more so for some.
ROWS = [
    (name, 32, block, run, level * pace + run + 40 * block**2 * (level > 36_000))
    for block, pace in ((1, 1.0), (2, 1.01), (3, 0.99), (4, 1.02))
    for name, level in ((f"{THREE}dynamic:88/44", 36_000), (f"{THREE}serial", 37_600), (CONVENTIONAL, 145_000))
    for run in (1, 2)
]


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


@pytest.fixture
def runs(tmp_path: Path) -> str:
    (tmp_path / "runs.csv").write_text(table(ROWS))
    return str(tmp_path / "runs.csv")


def facts(*words: str) -> dict[str, Any]:
    result = megasolve("evaluate", *words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_an_evaluation_as_text(golden: Callable[[str, str], None], runs: str) -> None:
    golden("evaluation.txt", megasolve("evaluate", SPEC, runs, "--statistic", "block_p95").stdout)


def test_an_evaluation_in_markdown(golden: Callable[[str, str], None], runs: str) -> None:
    golden("evaluation.md", megasolve("evaluate", SPEC, runs, "--format", "markdown").stdout)


def test_an_evaluation_in_json_has_what_each_planner_says_of_each_case(runs: str) -> None:
    found = facts(SPEC, runs)
    assert (found["megasolve"], found["spec"], found["label"]) == ("evaluation/v1", "nh_tts", "regression, counts for nothing")
    assert [(name, of["matches"], of["of"]) for name, of in found["planners"].items()] == [
        ("full", 1, 1),
        ("additive", 0, 1),
        ("no_overlap", 0, 1),
    ]
    (case,) = found["planners"]["full"]["cases"]
    assert case["measured_best"] == case["predicted_best"] == [f"{THREE}dynamic:88/44"]
    assert (case["batch"], case["match"], case["regret"], case["tau_b"], case["too_close"]) == (32, True, 0.0, 1.0, False)
    assert case["ratio"]["value"] == pytest.approx(1.0527, abs=1e-4)
    assert case["ratio"]["low"] < case["ratio"]["value"] < case["ratio"]["high"]
    best = case["errors"][0]
    assert (best["predicted_us"], best["predicted_ps"], best["blocks"], best["runs"]) == (42520.0, 42_520_000_000, 4, 8)
    assert best["error"] == pytest.approx(42_520 / best["measured_us"] - 1)
    assert found["inputs"][0]["path"] == SPEC
    assert found["inputs"][-1]["path"] == runs


def test_an_evaluation_in_csv_has_a_row_for_each_design_of_each_planner(runs: str) -> None:
    rows = list(csv.DictReader(StringIO(megasolve("evaluate", SPEC, runs, "--format", "csv").stdout)))
    assert [(row["planner"], row["id"], row["match"]) for row in rows[:4]] == [
        ("full", f"{THREE}dynamic:88/44", "yes"),
        ("full", f"{THREE}serial", "yes"),
        ("full", CONVENTIONAL, "yes"),
        ("additive", f"{THREE}dynamic:88/44", "no"),
    ]


def test_the_same_seed_gives_the_same_bytes(runs: str) -> None:
    first, again, other = (megasolve("evaluate", SPEC, runs, "--seed", seed, "-f", "json").stdout for seed in ("3", "3", "4"))
    assert first == again
    assert json.loads(other)["bootstrap"] == {"resamples": 20_000, "coverage": 0.95, "seed": 4}


def test_what_a_serving_benchmark_prints_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    for number, pace in enumerate((1.0, 1.01)):
        lines = [{"tag": name, "max_concurrency": 32, "ttfts": [level * pace / 10**6]} for name, _, _, _, level in ROWS[:6:2]]
        (tmp_path / f"p{number}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    columns = ("candidate=tag", "batch=max_concurrency", "time_us=ttfts:s", "block=@file")
    words = [word for column in columns for word in ("--column", column)]
    (case,) = facts(SPEC, *(str(tmp_path / f"p{number}.jsonl") for number in (0, 1)), *words)["planners"]["full"]["cases"]
    assert (case["measured_best"], case["errors"][0]["blocks"]) == ([f"{THREE}dynamic:88/44"], 2)


def test_a_file_that_does_not_say_whose_runs_it_holds_is_named_with_the_candidate(tmp_path: Path) -> None:
    words = []
    for name, (candidate, level) in enumerate(((f"{THREE}dynamic:88/44", 36.0), (f"{THREE}serial", 37.6))):
        (tmp_path / f"{name}.txt").write_text(f"=== Result ===\nRequests:  32\nMean TTFT (ms):  {level}\n")
        words.append(f"{candidate}={tmp_path / f'{name}.txt'}")
    columns = ("--column", "time_us=Mean TTFT (ms):ms", "--column", "batch==32")
    (case,) = facts(SPEC, *words, *columns)["planners"]["full"]["cases"]
    assert [(one["id"], one["measured_us"]) for one in case["errors"]] == [(f"{THREE}dynamic:88/44", 36000.0), (f"{THREE}serial", 37600.0)]
    twice = megasolve("evaluate", SPEC, words[0], words[0].replace("dynamic:88/44", "serial"), *columns)
    assert twice.exit_code == 2
    assert "cannot hold the runs of two candidates" in twice.stderr


def test_a_frozen_plan_that_is_still_the_plan_says_so_and_one_whose_files_changed_says_which(tmp_path: Path, runs: str) -> None:
    plan = str(tmp_path / "plan.json")
    assert megasolve("solve", SPEC, "-o", plan).exit_code == 0
    assert facts(SPEC, runs, "--plan", plan)["plan"] == {"changes": []}
    frozen = json.loads(Path(plan).read_text())
    frozen["inputs"][-1]["sha256"] = "0" * 64
    Path(plan).write_text(json.dumps(frozen))
    result = megasolve("evaluate", SPEC, runs, "--plan", plan)
    assert result.exit_code == 0
    assert "frozen plan: specs/nh_tts/records/batch_64.yaml has changed since" in result.stdout
    assert "additive:" not in result.stdout


def test_everything_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(
        table([("m:P/m:B+L/m:C@dynamic:88/4", 32, 1, 1, 36), (f"{THREE}serial", 48, 1, 1, 37), (f"{THREE}serial", 32, 1, 1, "nan")])
    )
    result = megasolve("evaluate", SPEC, str(tmp_path / "runs.csv"))
    assert (result.exit_code, result.stdout) == (2, "")
    *rows, last = result.stderr.splitlines()
    assert [row.rpartition("/runs.csv")[2].partition(" ")[0] for row in rows] == [":2:", ":3:", ":4:"]
    assert last == "Error: nothing is judged until these rows are repaired"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.csv"], "none.csv: no such file"),
        (["RUNS", "--plan", "none.json"], "none.json: no such file"),
        (["RUNS", "--plan", SPEC], "is no JSON, and so no result of megasolve solve"),
        (["RUNS", "--batch", "7"], "--batch 7 is not in the list of the spec: 1, 32, 64"),
        (["RUNS", "--column", "tim=x"], "--column 'tim=x': no column 'tim'; did you mean 'time_us'?"),
        (["RUNS", "-o", "/nonexistent/out.json"], "cannot write /nonexistent/out.json"),
        (["RUNS", "-o", "RUNS"], "which this command reads; choose another file"),
        ([], "Missing argument 'MEASURED...'"),
    ],
)
def test_what_cannot_be_judged_or_written_is_one_line_and_nothing_else(runs: str, words: list[str], said: str) -> None:
    result = megasolve("evaluate", SPEC, *(runs if word == "RUNS" else word for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert Path(runs).read_text() == table(ROWS)


def test_files_without_a_run_judge_nothing(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(f"{HEAD}\n")
    result = megasolve("evaluate", SPEC, str(tmp_path / "runs.csv"))
    assert result.exit_code == 1
    assert "nothing to judge" in result.stdout


def test_text_of_a_foreign_file_cannot_command_a_terminal_or_a_log(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(table([("::error::\x1b[31mx", 32, 1, 1, 5)]))
    result = megasolve("evaluate", SPEC, str(tmp_path / "runs.csv"))
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert not any(line.startswith("::") for line in result.stderr.splitlines())


def test_every_result_has_the_shape_of_its_schema(tmp_path: Path, runs: str) -> None:
    plan = str(tmp_path / "plan.json")
    megasolve("solve", SPEC, "-o", plan)
    text = table([*((*row, "") for row in ROWS), (f"{THREE}serial", 32, 1, 1, 9_000, "P")], f"{HEAD},group")
    (tmp_path / "parts.csv").write_text(text)
    for words in ([runs], [runs, "--plan", plan], [str(tmp_path / "parts.csv"), "--statistic", "p95", "--unit", "block"]):
        printed = megasolve("evaluate", SPEC, *words, "-f", "json").stdout
        assert EvaluationShape.model_validate_json(printed).megasolve == "evaluation/v1"
