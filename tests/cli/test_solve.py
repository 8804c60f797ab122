"""The command `solve`: what it prints, what it refuses, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.command import CHECKOUT, FIXTURES, megasolve

SPEC = "specs/worked_example.yaml"
GAPS = "tests/cli/fixtures/gaps.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_the_worked_example_as_a_table(golden: Callable[[str, str], None]) -> None:
    golden("worked_example.txt", megasolve(SPEC).stdout)


def test_the_best_designs_of_a_graph_with_repeated_layers_are_proven(golden: Callable[[str, str], None]) -> None:
    golden("omni.txt", megasolve("specs/omni.yaml").stdout)


def test_exclusions_are_grouped_by_cause(golden: Callable[[str, str], None]) -> None:
    golden("exclusions.txt", megasolve(GAPS).stdout)


def test_a_ranking_in_markdown(golden: Callable[[str, str], None]) -> None:
    golden("gaps.md", megasolve(GAPS, "--format", "markdown").stdout)


def test_all_shows_every_candidate() -> None:
    ids = [
        row["id"] for row in json.loads(megasolve("specs/nh_tts.yaml", "--batch", "32", "--format", "json").stdout)["results"][0]["ranking"]
    ]
    text = megasolve("specs/nh_tts.yaml", "--batch", "32", "--all").stdout
    assert len(ids) == 81
    assert all(f" {id_} " in text for id_ in ids)
    assert "more candidate" not in text


def test_a_short_table_keeps_the_designs_that_everybody_looks_for() -> None:
    text = megasolve("specs/nh_tts.yaml", "--batch", "32").stdout
    assert all(id_ in text for id_ in ("c:P/c:B/c:L/c:C@serial", "m:P+B+L+C@", "m:P/m:B+L/m:C@serial"))
    assert "69 more candidates, all of them with --all" in text


def test_no_line_of_a_short_table_is_wider_than_120_columns() -> None:
    table = [line for line in megasolve("specs/nh_tts.yaml").stdout.splitlines() if "@" in line and line.startswith("   ")]
    assert len(table) > 30
    assert max(map(len, table)) <= 120


def test_only_the_asked_batches_are_solved_each_once_in_the_asked_order() -> None:
    result = megasolve("specs/nh_tts.yaml", "--batch", "64", "--batch", "1", "--batch", "64", "--format", "json")
    assert [batch["batch"] for batch in json.loads(result.stdout)["results"]] == [64, 1]


def test_a_batch_outside_of_the_spec_is_refused_with_the_list() -> None:
    result = megasolve("specs/nh_tts.yaml", "--batch", "2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--batch 2 is not in the list of the spec: 1, 32, 64" in result.stderr


def test_an_objective_that_the_spec_does_not_have_is_refused() -> None:
    result = megasolve(SPEC, "--objective", "chunk_interval")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "needs stream.next_chunk" in result.stderr


@pytest.mark.parametrize("ablation", ["additive", "no_overlap"])
def test_an_ablation_ranks_by_its_own_scores_and_says_so(ablation: str) -> None:
    text = megasolve(SPEC, "--ablation", ablation).stdout
    assert f"ablation {ablation}" in text
    assert "best: m:P/m:B+L/m:C@serial, 30.100 ms" in text


def test_another_device_can_be_planned_for() -> None:
    solved = json.loads(megasolve("specs/published/llama_1b_decode.yaml", "--device", "h200", "--format", "json").stdout)
    assert solved["device"] == "h200"
    assert solved["results"][0]["ranking"][0]["score_us"] == "759.830000"


def test_a_device_that_nobody_knows_is_refused_with_the_nearest_name() -> None:
    result = megasolve(SPEC, "--device", "h2000")
    assert result.exit_code == 2
    assert "did you mean 'h200'?" in result.stderr


def test_a_batch_without_any_candidate_exits_with_1_and_prints_every_cause() -> None:
    result = megasolve(GAPS, "--batch", "2", "--format", "table")
    assert result.exit_code == 1
    assert "nothing is feasible" in result.stdout
    causes = {
        cause["because"]
        for row in json.loads(megasolve(GAPS, "--batch", "2", "--format", "json").stdout)["results"][0]["excluded"]
        for cause in row["causes"]
    }
    assert len(causes) > 5
    assert all(because in result.stdout for because in causes)


def test_findings_in_the_files_stop_the_command_and_are_all_printed() -> None:
    result = megasolve("tests/cli/fixtures/faulty.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    found = megasolve("check", "tests/cli/fixtures/faulty.yaml").stdout.splitlines()[:-1]
    assert found
    assert result.stderr.splitlines()[: len(found)] == found


def test_a_spec_can_come_from_stdin_under_a_name() -> None:
    text = Path(GAPS).read_text()
    piped = megasolve("-", "--stdin-filename", GAPS, "--batch", "1", stdin=text)
    assert piped.exit_code == 0
    assert piped.stdout == megasolve(GAPS, "--batch", "1").stdout


def test_a_spec_from_stdin_without_a_name_is_looked_up_from_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    assert megasolve("solve", "-", "--batch", "1", stdin=Path("gaps.yaml").read_text()).exit_code == 0


@pytest.mark.parametrize(
    ("stdin", "reason"), [("", "is empty"), (b"\xff\xfe\x00", "is not UTF-8 text"), ("# nothing\n", "holds no values")]
)
def test_rubbish_on_stdin_is_refused_in_one_line(stdin: str | bytes, reason: str) -> None:
    result = megasolve("-", stdin=stdin)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: <stdin>: ")
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_name_for_stdin_without_stdin_is_wrong_usage() -> None:
    assert "--stdin-filename is only for a spec from stdin" in megasolve(SPEC, "--stdin-filename", "x.yaml").stderr


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_two_runs_give_the_same_bytes(form: str) -> None:
    first, second = (megasolve("specs/nh_tts.yaml", "--format", form).stdout_bytes for _ in range(2))
    assert first == second
    assert first.endswith(b"\n")


def test_a_too_close_margin_is_said_with_both_numbers() -> None:
    text = megasolve("specs/published/llama_1b_decode.yaml").stdout
    assert "too close to call: c:D@serial is 0.69 % slower, the evidence states ±2.00 %" in text


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_a_reconstruction_is_called_a_regression_above_its_ranking_and_never_a_prediction(form: str) -> None:
    text = megasolve("specs/nh_tts.yaml", "--batch", "1", "--format", form).stdout
    note, best = text.index("this ranking is a regression of the method, not a prediction"), text.index("best: ")
    assert note < best
    assert "predicted" not in text


def test_a_mechanism_of_the_schedule_can_be_switched_off_by_name() -> None:
    shown = megasolve("specs/nh_tts.yaml", "--batch", "32", "--without", "contention").stdout
    assert "without contention" in shown.splitlines()[0]
    assert "best: m:P/m:B+L/m:C@dynamic:88/44, 42.299 ms" in shown
    assert megasolve("table", "specs/nh_tts.yaml", "--without", "contention").exit_code == 2


def test_a_launch_cost_that_nobody_states_is_a_finding_with_its_place_and_no_internal_error() -> None:
    result = megasolve("solve", "tests/reject/REF-08-dispatch-cost-missing.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "decode_cooperative.yaml:7:18: REF-08 no exposed_us for a launch of kind 'cooperative'" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--objective", "chunk_interval"), "--objective chunk_interval needs stream.next_chunk, the frames of a later chunk"),
        (("--pareto", "first_publication,chunk_interval"), "--pareto chunk_interval needs stream.next_chunk, the frames of a later chunk"),
        (("--where", "chunk_interval_us<=3"), "--where 'chunk_interval_us<=3': chunk_interval needs stream.next_chunk"),
        (("--time-limit", "nan"), "'--time-limit': nan is not in the range x>0"),
    ],
)
def test_what_no_plan_can_keep_to_is_refused_with_the_option_that_says_it(words: tuple[str, ...], said: str) -> None:
    result = megasolve("solve", "specs/nh_tts.yaml", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr.splitlines()[-1]


def test_a_result_in_json_says_of_which_files_with_which_options_and_by_which_version_it_was_made() -> None:
    result = json.loads(megasolve("solve", "specs/worked_example.yaml", "--ablation", "additive", "-f", "json").stdout)
    assert result["version"] == "0.1.0"
    assert (result["options"]["ablation"], result["options"]["top"], result["options"]["where"]) == ("additive", 10, [])
    assert not {"form", "output", "jobs", "spec"} & result["options"].keys()
    first = result["inputs"][0]
    assert first == {"path": "specs/worked_example.yaml", "sha256": sha256(Path(first["path"]).read_bytes()).hexdigest()}


@pytest.mark.parametrize("words", [("solve",), ("table",), ("check",), ("explain", "c:P/c:B/c:L/c:C@serial")])
def test_an_output_that_is_called_json_is_json_unless_another_form_is_asked_for(tmp_path: Path, words: tuple[str, ...]) -> None:
    command, *rest = words
    target = tmp_path / "out.json"
    megasolve(command, "specs/worked_example.yaml", *rest, "-o", str(target))
    assert "megasolve" in json.loads(target.read_text())
    target.unlink()
    form = "text" if command == "check" else "table"
    megasolve(command, "specs/worked_example.yaml", *rest, "-o", str(target), "-f", form)
    assert not target.read_text().startswith("{")


def test_capacity_is_refused_where_nobody_says_what_a_chunk_plays() -> None:
    refused = megasolve("solve", SPEC, "--objective", "capacity")
    assert refused.exit_code == 2
    assert "--objective capacity needs stream.next_chunk and frame_us" in refused.stderr
    many = megasolve("solve", SPEC, GAPS, "--objective", "capacity")
    assert many.exit_code == 2
    assert "ask for one spec" in many.stderr


STALLS = ("--set", "stream.next_chunk=2", "--set", "stream.frame_us=1000")


@pytest.mark.parametrize(("stream", "fail_on", "code"), [(STALLS, "finding", 1), (STALLS, "infeasible", 0), ((), "finding", 0)])
@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_a_plan_with_a_finding_fails_on_demand(stream: tuple[str, ...], fail_on: str, code: int, form: str) -> None:
    result = megasolve(SPEC, *stream, "--no-cache", "--format", form, "--fail-on", fail_on)
    assert result.exit_code == code
    assert ("PLN-01" in result.stdout) == bool(stream)


def test_a_stored_plan_keeps_that_it_has_a_finding(tmp_path: Path) -> None:
    asked = (SPEC, *STALLS, "--format", "jsonl", "--store", str(tmp_path), "--resume")
    assert [megasolve(*asked, "--fail-on", fail_on).exit_code for fail_on in ("infeasible", "finding")] == [0, 1]
    assert len([*tmp_path.glob("??/*.json")]) == 1
