"""`megasolve import` and `megasolve new` on task graphs of MPK: what they show, and a study that is clean and solves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import check_paths, shipped_specs
from megasolve.report.shapes.tasks import TasksShape
from tests.support.command import megasolve
from tests.support.profiles.task_graphs import steps_text

SAMPLES = shipped_specs().parent / "examples" / "mpk"
GRAPH, TIMES, STEPS = (str(SAMPLES / "layers" / name) for name in ("task_graph.json", "pertask_by_bs.csv", "bs1_iters.csv"))
FORK = [str(SAMPLES / "fork" / name) for name in ("task_graph.json", "pertask_by_bs.csv")]


def new(spec: Path, *files: str, options: tuple[str, ...] = ("--device", "b200")) -> Any:
    return megasolve("new", str(spec), *(word for file in files for word in ("--from", file)), *options)


def ranked(spec: Path) -> Any:
    result = megasolve("solve", str(spec), "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["results"][0]["ranking"][0]


def test_import_shows_the_order_the_types_and_what_repeats() -> None:
    result = megasolve("import", GRAPH, TIMES, STEPS)
    assert result.exit_code == 0, result.stderr
    assert "137 tasks in 34 stages, 5 of them 6 times in a row" in result.stdout
    assert "order: static" in result.stdout
    assert "times of tasks of MPK on 8 workers, batches 1, 4" in result.stdout
    assert "9 only decode batch 1: 808.500 µs each (lower median)" in result.stdout


def test_import_marks_a_table_that_mixes_batches() -> None:
    result = megasolve("import", *FORK)
    assert "order: as events launch them" in result.stdout
    assert "NOTE: the columns named batch 4 are of steps in which about 1 request ran" in result.stdout


def test_import_as_json_keeps_its_schema() -> None:
    shown = json.loads(megasolve("import", GRAPH, TIMES, STEPS, "--format", "json").stdout)
    TasksShape.model_validate(shown)
    assert [one["tasks"] for one in shown["graphs"]] == [137]
    assert shown["tables"][0]["workers"] == 8


def test_a_study_with_steps_is_clean_and_scores_the_step_that_was_timed(tmp_path: Path) -> None:
    spec = tmp_path / "plans" / "model.yaml"
    result = new(spec, GRAPH, TIMES, STEPS)
    assert result.exit_code == 0, result.stderr
    assert "one record: 9 steps that only decode" in result.stdout
    assert check_paths([spec.parent]).findings == ()
    row = ranked(spec)
    assert (row["score_us"], row["evidence"]) == ("808.500000", ["profiled"])


def test_a_study_without_steps_is_simulated_task_by_task(tmp_path: Path) -> None:
    spec = tmp_path / "model.yaml"
    assert new(spec, GRAPH, TIMES).exit_code == 0
    assert not (tmp_path / "model" / "records.yaml").exists()
    assert "order: static, data_us: 1.15, queue_us: 1.57" in (tmp_path / "model" / "contracts" / "D_mpk.yaml").read_text()
    assert ranked(spec)["evidence"] == ["tile-simulated"]


def test_of_tables_of_steps_that_of_the_batch_is_taken_and_the_others_are_noted(tmp_path: Path) -> None:
    other = tmp_path / "bs8_iters.csv"
    other.write_text(steps_text([(0, 8, "900.5")] * 5))
    result = new(tmp_path / "model.yaml", str(other), STEPS, GRAPH, TIMES)
    assert result.exit_code == 0, result.stderr
    assert "one record: 9 steps that only decode" in result.stdout
    assert "NOTE: bs8_iters.csv times no step of batch 1" in result.stdout
    again = tmp_path / "again.csv"
    again.write_text(steps_text([(0, 1, "900.5")] * 5))
    refused = new(tmp_path / "twice.yaml", GRAPH, TIMES, STEPS, str(again))
    assert refused.exit_code == 2
    assert "again.csv: times steps of batch 1, as " in refused.stderr
    assert not (tmp_path / "twice.yaml").exists()


def test_what_is_odd_about_a_graph_is_told_of_its_study(tmp_path: Path) -> None:
    graph = json.loads(Path(GRAPH).read_text())
    graph["all_events"][4]["num_triggers"] = 2
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps(graph))
    result = new(tmp_path / "model.yaml", str(odd), TIMES)
    assert "NOTE: 1 event opens before all that arrive have arrived (event 4: 2 of 6): planned as waits for all of them" in result.stdout


def test_the_precision_that_is_stated_is_not_assumed(tmp_path: Path) -> None:
    spec = tmp_path / "model.yaml"
    assert new(spec, *FORK, options=("--device", "b200", "--precision", "fp8")).exit_code == 0
    assert "precision: fp8\n" in spec.read_text()


@pytest.mark.parametrize(
    ("files", "options", "reason"),
    [
        ([GRAPH, TIMES], (), "does not name its GPU; say which device it is with --device"),
        ([GRAPH], ("--device", "b200"), "a study is made from one task graph and its table of times"),
        ([GRAPH, TIMES], ("--device", "b200", "--batch", "4"), "is of another task graph than"),
        (FORK, ("--device", "b200", "--batch", "4"), "no time of them is used"),
        ([GRAPH, TIMES], ("--device", "b200", "--cut", "layers"), "a task graph is one group"),
        ([f"1={GRAPH}", f"4={TIMES}"], ("--device", "b200"), "a task graph is compiled for one batch"),
        ([GRAPH, str(SAMPLES.parent / "trace" / "decoder.json.gz")], ("--device", "b200"), "is no file of MPK"),
    ],
)
def test_what_makes_no_study_is_refused_in_one_line_and_nothing_is_written(
    tmp_path: Path, files: list[str], options: tuple[str, ...], reason: str
) -> None:
    result = new(tmp_path / "model.yaml", *files, options=options)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert not list(tmp_path.iterdir())


def test_more_workers_than_the_device_has_sms_are_refused(tmp_path: Path) -> None:
    device = tmp_path / "small.yaml"
    text = (shipped_specs() / "devices" / "b200.yaml").read_text()
    device.write_text(text.replace("name: b200", "name: small").replace("sms: 148", "sms: 4", 1))
    result = new(tmp_path / "model.yaml", GRAPH, TIMES, options=("--device", str(device)))
    assert (result.exit_code, "is of 8 workers, one an SM, and small has 4 SMs" in result.stderr) == (2, True)


def test_records_of_kernels_are_refused(tmp_path: Path) -> None:
    result = megasolve("import", GRAPH, "-o", str(tmp_path / "records.yaml"))
    assert (result.exit_code, "a task graph gives no records of kernels" in result.stderr) == (2, True)
