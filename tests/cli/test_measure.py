"""`megasolve measure`: the whole path on the stand-in, what it refuses, and what plans make of its records."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import check_paths
from megasolve.gpu.compile.cache_folder import cache_folder as shared_folder
from megasolve.gpu.standin.driver_double import StandIn
from tests.support.command import CHECKOUT, environment, megasolve, megasolve_process
from tests.support.kernels.streamlet import SPEC
from tests.support.standin.measuring import lines_of, write_small
from tests.support.standin.probes import shipped_device
from tests.support.toolchain import needs_host_compiler, needs_no_driver

ON_CPU = ("--backend", "cpu", "--samples", "2", "--warmup", "1")
RECORDS = "records: [small/records/cpu.jsonl]"


@pytest.fixture(autouse=True)
def compiled(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing twice: only what is derived is kept apart from what other tests have."""
    with monkeypatch.context() as usual:
        usual.delenv("MEGASOLVE_CACHE_DIR")
        folders = {name: shared_folder(name) for name in ("host", "cubins")}
    cache_folder.mkdir()
    for name, folder in folders.items():
        folder.mkdir(parents=True, exist_ok=True)
        (cache_folder / name).symlink_to(folder)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Streamlet at small sizes, in the folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    return write_small(tmp_path).relative_to(tmp_path)


def told(*words: str) -> dict[str, Any]:
    result = megasolve("measure", *words, "--format", "json")
    assert result.exit_code == 0, result.output
    facts: dict[str, Any] = json.loads(result.stdout)
    assert facts["megasolve"] == "measurement/v1"
    return facts


@needs_no_driver
def test_without_a_gpu_one_line_says_what_is_missing_and_how_to_get_it_at_once() -> None:
    start = time.monotonic()
    result = megasolve_process("measure", str(SPEC))
    took_s = time.monotonic() - start
    assert result.returncode == 2
    assert result.stdout == b""
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith("Error: no NVIDIA driver: libcuda.so.1 is not found; install release 580 or newer")
    assert line.endswith("--backend cpu tries everything out without one, --dry-run shows what would be measured")
    assert took_s < 3.0


def test_a_dry_run_lists_and_costs_every_experiment_and_needs_nothing(small: Path, golden: Callable[[str, str], None]) -> None:
    result = megasolve("measure", str(small), "--dry-run")
    assert result.exit_code == 0
    golden("measure_dry_run.txt", result.stdout)
    assert not Path("small").exists()


def test_filters_keep_what_is_asked_for(small: Path) -> None:
    facts = told(str(small), "--dry-run", "--group", "L", "--budget", "3")
    assert [(one["entry"], one["budget_ctas"]) for block in facts["blocks"] for one in block["times"]] == [("L", 3)]
    facts = told(str(small), "--dry-run", "--entry", "L_sample", "--entry", "B_qkv")
    assert sorted(one["entry"] for block in facts["blocks"] for one in block["times"]) == ["B_qkv", "L_sample"]


def test_on_the_cpu_the_smallest_batch_and_budget_are_enough_unless_asked_and_that_is_said(tmp_path: Path) -> None:
    spec = str(write_small(tmp_path, budgets="[3, 2]", batches="[1, 2]"))
    tried = [(block["batch"], [one["budget_ctas"] for one in block["times"]]) for block in _blocks(spec, "--backend", "cpu")]
    assert tried == [(1, [2])]
    asked = _blocks(spec, "--backend", "cpu", "--budget", "3", "--budget", "2", "--batch", "2")
    assert [(block["batch"], [one["budget_ctas"] for one in block["times"]]) for block in asked] == [(2, [3, 2])]
    every = [(block["batch"], [one["budget_ctas"] for one in block["times"]]) for block in _blocks(spec)]
    assert every == [(1, [3, 2]), (2, [3, 2])]
    assert any("the smallest batch and the smallest budget" in note for note in told(spec, "--dry-run", "--backend", "cpu")["notes"])


def _blocks(spec: str, *words: str) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = told(spec, "--dry-run", "--entry", "L", *words)["blocks"]
    return blocks


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--group", "X"), "--group X is none of the spec's: P, B, L, C"),
        (("--budget", "7"), "--budget 7 is none of the spec's: 132, 3"),
        (("--batch", "2"), "--batch 2 is none of the spec's: 1"),
        (("--entry", "M"), "--entry M is none of the spec's"),
        (("-o", "records.yaml"), "-o records.yaml: records are added as JSON lines, to a file that ends in .jsonl"),
    ],
)
def test_words_that_name_nothing_are_refused(small: Path, words: tuple[str, ...], message: str) -> None:
    result = megasolve("measure", str(small), "--dry-run", *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_times_of_which_none_can_be_launched_are_refused_with_the_rule(tmp_path: Path) -> None:
    spec = str(write_small(tmp_path, budgets="[133, 3]"))
    refused = megasolve("measure", spec, "--dry-run", "--entry", "L", "--budget", "133")
    assert refused.exit_code == 2
    assert "nothing that is asked for can be launched: LIM-12 entry 'L': budget of 133 CTAs > 1 per SM x 132 SMs" in refused.stderr
    facts = told(spec, "--dry-run", "--entry", "L")
    assert [one["budget_ctas"] for block in facts["blocks"] for one in block["times"]] == [3]
    assert facts["notes"][0].startswith("cannot be launched, so not measured: LIM-12 entry 'L'")


def test_a_spec_from_stdin_is_refused() -> None:
    assert "measure needs a spec in a file" in megasolve("measure", "-", "--dry-run").stderr


def test_a_spec_of_other_kernels_is_refused_by_name() -> None:
    result = megasolve("measure", str(SPEC.with_name("llama_1b.yaml")), "--dry-run")
    assert result.exit_code == 2
    assert "spec 'llama_1b' has the groups P" in result.stderr


def test_a_target_that_is_no_records_file_is_refused_and_left_alone(small: Path) -> None:
    Path("mine.jsonl").write_text("my own notes\n")
    result = megasolve("measure", str(small), "--dry-run", "-o", "mine.jsonl")
    assert result.exit_code == 2
    assert "repair it, or write to another file with -o" in result.stderr
    assert Path("mine.jsonl").read_text() == "my own notes\n"


@needs_host_compiler
def test_another_device_than_the_specs_is_refused_with_both_names(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in StandIn(shipped_device("a100")).environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    result = megasolve_process("measure", str(small), cwd=tmp_path)
    assert result.returncode == 2
    (line,) = result.stderr.decode().splitlines()
    assert "the GPU here is STAND-IN a100, and the spec plans for h200" in line
    assert not Path("small").exists()


@needs_host_compiler
def test_the_whole_path_runs_on_the_cpu_and_its_records_are_no_evidence_unless_allowed_and_then_labelled(small: Path) -> None:
    first = told(str(small), "--group", "L", *ON_CPU)
    written = {(one["entry"], one["budget_ctas"]) for one in first["written"]}
    assert written == {("L", 3), ("L_norm_f", 132), ("L_logits", 132), ("L_sample", 132)}
    assert (first["fake"], first["failed"], first["not_accepted"], first["stopped"]) == (True, [], [], None)
    assert set(first["costs"]["launches"]) == {"stream", "graph", "cooperative"}
    assert first["costs"]["wait_us"] > 0
    assert first["whole_calls"][0]["launches"] == 3

    records = lines_of(Path("small/records/cpu.jsonl"))
    assert len(records) == 4
    for record in records:
        provenance = record["provenance"]
        assert (provenance["kind"], provenance["fake"], provenance["device_sms"]) == ("measured", True, 132)
        assert "STAND-IN h200" in provenance["source"]
        assert len(record["samples_us"]) == len(provenance["measurement"]["raw_us"]) == 2

    # What is there is not measured again.
    again = told(str(small), "--group", "L", *ON_CPU)
    assert (again["tried"], again["written"], again["costs"]) == (0, [], None)
    assert "nothing to measure" in again["notes"][0]
    _assert_only_a_stale_record_is_measured_again(small)

    small.write_text(small.read_text().replace("records: []", RECORDS))
    found = check_paths([small]).findings
    assert [(finding.rule.code, finding.count) for finding in found] == [("REC-05", 4)]
    for words in (("solve", str(small)), ("table", str(small)), ("explain", str(small), "c:P/c:B/c:L/c:C@serial")):
        refused = megasolve(*words)
        assert refused.exit_code == 2, words
        assert "--allow-simulated-hardware plans with them all the same, and says so" in refused.stderr

    solved = megasolve("solve", str(small), "--allow-simulated-hardware", "--format", "json")
    (batch,) = json.loads(solved.stdout)["results"]
    evidence = {row["id"]: row["evidence"] for row in batch["ranking"]}
    assert evidence["c:P/c:B/c:L/c:C@serial"] == ["simulated-hardware", "tile-simulated"]
    assert any("some times are from a stand-in for the hardware" in note for note in batch["notes"])
    text = megasolve("explain", str(small), "c:P/c:B/c:L/c:C@serial", "--allow-simulated-hardware").stdout
    assert "NOTE: times are from a stand-in for the hardware, whose clock is virtual: they say nothing about a GPU" in text
    table = json.loads(megasolve("table", str(small), "--group", "L", "--allow-simulated-hardware", "--format", "json").stdout)
    measured = {row["entry"]: row for row in table["rows"] if row["provenance"].get("fake")}
    assert set(measured) == {"L", "L_norm_f", "L_logits", "L_sample"}
    # A time of the stand-in never calibrates what programs say.
    assert all(row["calibrations"] == [] for row in table["rows"])
    # The spec names the file now, whose faults do not keep it from being measured into.
    assert told(str(small), "--group", "L", *ON_CPU)["tried"] == 0


def _assert_only_a_stale_record_is_measured_again(small: Path) -> None:
    file = Path("small/records/cpu.jsonl")
    before = lines_of(file)
    source = before[0]["provenance"]["source_sha256"]
    head, first, *others = file.read_text().splitlines(keepends=True)
    file.write_text("".join([head, first.replace(source, "0" * 64), *others]))
    facts = told(str(small), "--group", "L", *ON_CPU)
    assert [one["entry"] for one in facts["written"]] == before[0]["entries"]
    *kept, renewed = lines_of(file)
    assert kept == before[1:]
    assert (renewed["provenance"]["source_sha256"], renewed["context"]) == (source, before[0]["context"])


TABLE = f"""\
megasolve: compiled/v1
compiler: nvrtc 13.0
source_sha256: {"ab" * 32}
kernels:
  - {{entries: [L], symbol: ms_L, compute_capability: "9.0", threads: 256, ctas_per_sm: 1, registers: 197, stack_bytes: 0,
     spill_store_bytes: 0, spill_load_bytes: 0, shared_bytes: 0}}
"""


@needs_host_compiler
def test_what_fails_is_reported_and_the_rest_is_written(tmp_path: Path) -> None:
    spec = write_small(tmp_path)
    contract = tmp_path / "contracts/L.yaml"
    contract.write_text(contract.read_text().replace("registers: 197", "registers: 196"))
    (tmp_path / "compiled.yaml").write_text(TABLE)
    spec.write_text(f"{spec.read_text()}\ncompiled: [compiled.yaml]\n")
    result = megasolve("measure", str(spec), "--entry", "L", "--entry", "L_sample", *ON_CPU)
    assert result.exit_code == 1, result.stderr
    assert "CMP-02" in result.stderr
    (failed,) = [line for line in result.stdout.splitlines() if line.startswith("failed:")]
    assert failed.startswith("failed: L in 'L' on 3 CTAs, batch 1: entry 'L' states 196 registers a thread, and nvrtc 13.0 gives 197")
    assert "wrote 1 record to" in result.stdout
    assert [record["entries"] for record in lines_of(tmp_path / "small/records/cpu.jsonl")] == [["L_sample"]]


@needs_host_compiler
def test_a_run_that_is_killed_loses_no_finished_record_and_the_next_one_goes_on(tmp_path: Path) -> None:
    spec = write_small(tmp_path, budgets="[3, 2]", batches="[1, 2]")
    file = tmp_path / "small/records/cpu.jsonl"
    words = ("measure", str(spec), "--entry", "L", "--batch", "1", "--batch", "2", "--budget", "3", "--budget", "2", *ON_CPU)
    for delay_s in (0.0, 0.3):
        held = _records(file)
        with _started(*words) as run:
            _wait_for_more(file, len(held), run)
            time.sleep(delay_s)
            run.send_signal(signal.SIGKILL)
        assert _records(file)[: len(held)] == held
    assert megasolve(*words).exit_code == 0
    keys = [(record["batch"], record["budget_ctas"]) for record in lines_of(file)]
    assert sorted(keys) == [(1, 2), (1, 3), (2, 2), (2, 3)]


def _started(*words: str) -> subprocess.Popen[bytes]:
    inherited = {**environment(), "PYTHONPATH": os.pathsep.join([environment()["PYTHONPATH"], str(CHECKOUT)])}
    return subprocess.Popen([sys.executable, "-m", "megasolve.cli", *words], env=inherited, stdout=subprocess.DEVNULL)


def _records(file: Path) -> list[str]:
    """Return the lines of the records that are whole."""
    return file.read_text().split("\n")[1:-1] if file.exists() else []


def _wait_for_more(file: Path, records: int, run: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 300
    while len(_records(file)) <= records and run.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_check_names_the_measurements_that_would_replace_derived_times(small: Path) -> None:
    result = megasolve("check", str(small))
    assert result.exit_code == 0
    derived, summary = result.stdout.splitlines()
    assert derived == (
        "small.yaml: 39 of 39 times on h200 are derived from programs, not recorded (P 14, B 15, L 4, C 6); "
        "`megasolve measure small.yaml` measures them, with --group P those of one group"
    )
    assert summary == "no findings in 44 files"
    (lacking,) = json.loads(megasolve("check", str(small), "--format", "json").stdout)["unmeasured"]
    assert (lacking["spec"], lacking["derived"], lacking["of"]) == ("small.yaml", 39, 39)
    assert lacking["command"] == "megasolve measure small.yaml"
    assert lacking["groups"][2] == {"group": "L", "derived": 4, "command": "megasolve measure small.yaml --group L"}


def test_check_knows_no_command_for_kernels_of_others() -> None:
    result = megasolve("check", str(SPEC.with_name("llama_1b.yaml")))
    assert re.search(
        r"28 of 30 times on h100_nvl are derived .*; measure these kernels yourself, or import a profile of them", result.stdout
    )
    (lacking,) = json.loads(megasolve("check", str(SPEC.with_name("llama_1b.yaml")), "--format", "json").stdout)["unmeasured"]
    assert lacking["command"] is None


def test_check_says_nothing_where_every_time_is_recorded_or_no_contract_has_a_program() -> None:
    assert "derived" not in megasolve("check", str(SPEC.with_name("worked_example.yaml"))).stdout
