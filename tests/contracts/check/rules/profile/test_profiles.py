"""Contracts and records beside profiles of what ran: what differs is found at the contract's line, and planning reads no profile."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import CheckIncomplete, check_paths
from tests.support.command import environment
from tests.support.disk import rule_files
from tests.support.disk.rule_files import DEVICE, changed
from tests.support.profiles.kineto_traces import Event, annotation, call, kernel, trace_text
from tests.support.profiles.reports import DETAILS_HEADER, table

SPEC = """\
megasolve: spec/v1
name: model
device: device.yaml
precision: bf16
batches: [1]
groups:
  - {name: B, role: producer}
publication: {group: B, step: 1}
contracts: [decode.yaml]
records: []
profiles: [trace.json]
"""
CONTRACT = changed(
    rule_files.CONTRACT,
    ("registers: 128}", "registers: 128, shared_bytes: 1024}"),
    ("host_waits: false}\n", "host_waits: false}\nloops_on_device: false\nobserved: {kernels: [decode_loop]}\n"),
)
RECORDS = changed(
    rule_files.RECORDS,
    ("registers: 128}", "registers: 128, shared_bytes: 1024}"),
    ("{kind: published, source: invented}", "{kind: profiled, source: trace.json}"),
)
WITH_RECORDS = changed(SPEC, ("records: []", "records: [records.yaml]"))


def persistent(ts: int = 10, dur: int = 100, grid: int = 132, correlation: int = 1, **args: object) -> Event:
    """Return a launch of the persistent kernel as its contract declares it."""
    known: dict[str, Any] = {"registers per thread": 128, "shared memory": 1024, "grid": [grid, 1, 1], "block": [256, 1, 1]}
    return kernel("void decode_loop<4>(Step*)", ts, dur, correlation=correlation, **{**known, **args})


def write(folder: Path, *events: Event, spec: str = SPEC, contract: str = CONTRACT, **others: str) -> Path:
    """Write a study with a trace of *events*, and return its spec."""
    files: Mapping[str, str] = {"spec.yaml": spec, "decode.yaml": contract, "device.yaml": DEVICE, **others}
    for name, text in files.items():
        (folder / name).write_text(text)
    if events:
        (folder / "trace.json").write_text(trace_text(*events))
    return folder / "spec.yaml"


def findings(spec: Path, **asked: Any) -> list[str]:
    """Return what `check` says, each as `FILE:LINE:COLUMN CODE message`."""
    found = check_paths([spec], **asked).findings
    return [f"{Path(one.place.file).name}:{one.place.line}:{one.place.column} {one.rule.code} {one.message}" for one in found]


def test_a_contract_that_is_what_ran_is_clean(tmp_path: Path) -> None:
    assert findings(write(tmp_path, persistent(), persistent(200, correlation=2), persistent(400, grid=88, correlation=3))) == []


def test_a_trace_edited_by_hand_fails_at_the_line_of_the_contract(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent(), persistent(200, correlation=2), persistent(400, correlation=3))
    trace = tmp_path / "trace.json"
    edited = json.loads(trace.read_text())
    edited["traceEvents"][1]["args"]["grid"] = [100, 1, 1]
    trace.write_text(json.dumps(edited))
    (found,) = findings(spec)
    assert found == (
        "decode.yaml:5:15 PRF-01 grid: 'decode' ran with 100 CTAs in 1 of 3 launches of trace.json, the contract says 132 or 88; "
        "correct the contract, or profile the kernel that it describes"
    )


def test_a_declared_grid_stands_for_the_budgets(tmp_path: Path) -> None:
    contract = CONTRACT + "grid_ctas: 40\n"
    assert findings(write(tmp_path, persistent(grid=40), contract=contract)) == []
    (found,) = findings(write(tmp_path, persistent(), contract=contract))
    assert found.startswith("decode.yaml:10:12 PRF-01 grid: 'decode' ran with 132 CTAs")


def test_a_conventional_kernel_runs_on_the_grid_of_its_contract(tmp_path: Path) -> None:
    contract = CONTRACT.replace("megakernel", "conventional").replace("loops_on_device: false\n", "")
    contract = contract.replace("budgets_ctas: [132, 88]", "grid_ctas: 40")
    (found,) = findings(write(tmp_path, persistent(), contract=contract))
    assert found.startswith(
        "decode.yaml:5:12 PRF-01 grid: 'decode' ran with 132 CTAs in 1 of 1 launches of trace.json, the contract says 40;"
    )


def test_every_figure_that_differs_is_a_finding_of_its_own(tmp_path: Path) -> None:
    ran = persistent(grid=7, block=[64, 1, 1], **{"registers per thread": 40, "shared memory": 2048})
    assert [found.split()[1] for found in findings(write(tmp_path, ran))] == ["PRF-01", "PRF-02", "PRF-03", "PRF-04"]


def test_an_unknown_figure_is_not_compared(tmp_path: Path) -> None:
    ran = persistent()
    for key in ("grid", "block", "registers per thread", "shared memory"):
        del ran["args"][key]
    assert findings(write(tmp_path, ran)) == []


def test_the_symbol_of_a_source_stands_for_the_observed_kernels(tmp_path: Path) -> None:
    source = f"source: {{file: decode.cu, symbol: decode_loop, sha256: {'a' * 64}}}"
    contract = changed(CONTRACT, ("observed: {kernels: [decode_loop]}", source))
    (found,) = findings(write(tmp_path, persistent(grid=1), contract=contract))
    assert found.startswith("decode.yaml:5:15 PRF-01 grid: 'decode' ran with 1 CTA in")


def test_a_contract_that_names_no_kernel_is_not_compared(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("observed: {kernels: [decode_loop]}\n", ""))
    assert findings(write(tmp_path, persistent(grid=1), contract=contract)) == []


def test_a_kernel_that_no_profile_shows_is_a_warning_with_the_nearest_name(tmp_path: Path) -> None:
    (found,) = findings(write(tmp_path, persistent(), contract=changed(CONTRACT, ("[decode_loop]", "[decode_lop]"))))
    assert found == "decode.yaml:9:21 PRF-05 no kernel of trace.json is a launch of 'decode' (decode_lop); did you mean 'decode_loop'?"


def test_an_absent_profile_is_a_warning(tmp_path: Path) -> None:
    (found,) = findings(write(tmp_path))
    assert found.startswith("spec.yaml:11:12 PRF-08 'trace.json' matches no file, so nothing was compared with it;")


def test_a_broken_profile_is_an_error_at_its_name(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent())
    trace = tmp_path / "trace.json"
    trace.write_text(trace.read_text()[:-40])
    (found,) = findings(spec)
    assert found.startswith("spec.yaml:11:12 PRF-09 ")
    assert "truncated" in found


def test_another_profile_is_compared_where_it_is_asked_for(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent(grid=1))
    other = tmp_path / "other.json"
    other.write_text(trace_text(persistent()))
    assert findings(spec, profiles=[other]) == []


def test_a_profile_that_was_asked_for_and_is_not_there_is_unreadable(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent())
    with pytest.raises(CheckIncomplete, match=r"nowhere\.json: no such file"):
        check_paths([spec], profiles=[tmp_path / "nowhere.json"])


def test_a_profile_that_two_specs_name_is_compared_with_both(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent(grid=1))
    (tmp_path / "again.yaml").write_text(spec.read_text())
    report = check_paths([tmp_path / "spec.yaml", tmp_path / "again.yaml"])
    assert [finding.rule.code for finding in report.findings] == ["PRF-01"]


def test_planning_reads_no_profile(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent(grid=1))
    (tmp_path / "trace.json").write_text("no profile at all")
    program = f"import sys; from megasolve.contracts import load_spec; load_spec({str(spec)!r}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True, env=environment())
    assert not any(name.startswith("megasolve.contracts.profiles") for name in loaded.stdout.split())


def test_a_record_with_the_time_of_its_profile_is_clean(tmp_path: Path) -> None:
    assert findings(write(tmp_path, persistent(), spec=WITH_RECORDS, **{"records.yaml": RECORDS})) == []


def test_a_record_with_another_time_than_its_profile_is_an_error(tmp_path: Path) -> None:
    records = changed(RECORDS, ("duration_us: 100", "duration_us: 90"))
    (found,) = findings(write(tmp_path, persistent(), spec=WITH_RECORDS, **{"records.yaml": records}))
    assert found == (
        "records.yaml:11:18 PRF-06 trace.json shows 100 µs for 'decode' (1 sample, 100 µs to 100 µs), the record says 90 µs; "
        "import the profile again"
    )


def test_a_record_may_be_off_by_the_accuracy_that_it_states(tmp_path: Path) -> None:
    records = changed(RECORDS, ("duration_us: 100", "duration_us: 90\n    accuracy: 0.1"))
    assert findings(write(tmp_path, persistent(), spec=WITH_RECORDS, **{"records.yaml": records})) == []


def test_a_record_may_be_off_by_what_the_samples_of_its_profile_differ(tmp_path: Path) -> None:
    spec = WITH_RECORDS + "attribution: {steps: period:1}\n"
    launches = [persistent(1000 * n, 100 + n, correlation=n) for n in range(5)]
    for stated, clean in ((98, True), (106, True), (97, False), (107, False)):
        records = changed(RECORDS, ("duration_us: 100", f"duration_us: {stated}"))
        assert (findings(write(tmp_path, *launches, spec=spec, **{"records.yaml": records})) == []) is clean


def test_a_record_of_a_kernel_that_its_profile_does_not_time_is_an_error(tmp_path: Path) -> None:
    records = changed(RECORDS, ("budget_ctas: 132", "budget_ctas: 88"))
    (found,) = findings(write(tmp_path, persistent(), spec=WITH_RECORDS, **{"records.yaml": records}))
    assert found.startswith("records.yaml:11:18 PRF-06 trace.json shows no time of 'decode' for group 'B';")


def test_a_record_of_another_run_of_that_name_is_an_error(tmp_path: Path) -> None:
    records = changed(RECORDS, ("source: trace.json", f"source: trace.json, profile_sha256: {'a' * 64}"))
    (found,) = findings(write(tmp_path, persistent(), spec=WITH_RECORDS, **{"records.yaml": records}))
    assert found.startswith("records.yaml:12:70 PRF-07 'trace.json' has the hash ")


def test_a_record_of_another_source_is_not_compared(tmp_path: Path) -> None:
    records = changed(RECORDS, ("source: trace.json", "source: other.json"), ("duration_us: 100", "duration_us: 1"))
    assert findings(write(tmp_path, persistent(), spec=WITH_RECORDS, **{"records.yaml": records})) == []


def test_steps_that_a_profile_has_not_are_an_error_at_the_attribution(tmp_path: Path) -> None:
    spec = WITH_RECORDS + "attribution: {steps: marks:ProfilerStep#*}\n"
    (found,) = findings(write(tmp_path, persistent(), spec=spec, **{"records.yaml": RECORDS}))
    assert found.startswith("spec.yaml:12:14 PRF-09 ")
    assert found.endswith("no record was compared with it")


@pytest.mark.parametrize("steps", ["period:0", "marks:", "every:2", "PERIOD:auto"])
def test_steps_are_found_in_one_of_the_known_ways(tmp_path: Path, steps: str) -> None:
    (found,) = findings(write(tmp_path, persistent(), spec=SPEC + f"attribution: {{steps: '{steps}'}}\n"))
    assert found.startswith("spec.yaml:12:22 SCH-04 ")


def test_a_profile_without_a_spec_to_compare_is_refused(tmp_path: Path) -> None:
    write(tmp_path, persistent())
    with pytest.raises(CheckIncomplete, match=r"trace\.json: is compared with the contracts of a spec, and no spec is checked"):
        check_paths([tmp_path / "decode.yaml"], profiles=[tmp_path / "trace.json"])


def test_a_kernel_that_was_profiled_by_itself_may_be_of_another_run(tmp_path: Path) -> None:
    spec = write(tmp_path, persistent(), spec=changed(SPEC, ("[trace.json]", "[trace.json, kernels.csv]")))
    row = ("0", "1", "server", "host", "decode_loop<4>(Step *)", "1", "7", "(256, 1, 1)", "(7, 1, 1)", "0", "9.0")
    metric = ("Launch Statistics", "Registers Per Thread", "register/thread", "40", "", "", "")
    (tmp_path / "kernels.csv").write_text(table(DETAILS_HEADER, [(*row, *metric)]))
    assert findings(spec) == []
    (tmp_path / "trace.json").unlink()
    assert [found.split()[1] for found in findings(spec)] == ["PRF-01", "PRF-03", "PRF-08"]


# A contract that loops on the device: one launch runs all steps, so that no profile has a time of one step.

LOOPING = changed(CONTRACT, ("loops_on_device: false", "loops_on_device: true"))
STEPS = tuple(annotation(f"ProfilerStep#{number}", 1000 * number, 900) for number in (1, 2, 3))


def called(ts: int, correlation: int, dur: int = 60) -> tuple[Event, Event]:
    """Return a launch of the persistent kernel with its call."""
    return call("cudaLaunchKernel", ts, correlation), persistent(ts + 5, dur, correlation=correlation)


@pytest.mark.parametrize("ts", [1010, 10])
def test_one_launch_for_all_steps_is_told_to_a_record_that_claims_a_step_of_it(tmp_path: Path, ts: int) -> None:
    tiny = [
        one for n in (1, 2, 3) for one in (call("cudaLaunchKernel", 1000 * n + 50, 9 + n), kernel("tiny", 4000 + 9 * n, correlation=9 + n))
    ]
    files = {"contract": LOOPING, "records.yaml": RECORDS}
    (found,) = findings(write(tmp_path, *STEPS, *called(ts, 1, 2500), *tiny, spec=WITH_RECORDS, **files))
    assert found.endswith(
        "PRF-06 trace.json shows no time of one step: one launch of 'decode' runs all 3 steps (loops_on_device: true) in 2,500.000 us, and "
        "nothing tells their times apart; a record is the time of one step: measure it, or write it from a run of a known number of steps"
    )


def test_one_launch_without_marks_runs_all_steps_that_there_are(tmp_path: Path) -> None:
    files = {"contract": LOOPING, "records.yaml": RECORDS}
    (found,) = findings(write(tmp_path, *called(10, 1, 2500), spec=WITH_RECORDS, **files))
    assert "one launch of 'decode' runs all steps (loops_on_device: true) in 2,500.000 us" in found


def test_several_launches_each_of_all_its_steps_have_no_time_of_one(tmp_path: Path) -> None:
    files = {"contract": LOOPING, "records.yaml": RECORDS}
    (found,) = findings(write(tmp_path, *called(10, 1), *called(90, 2), spec=WITH_RECORDS, **files))
    assert "2 launches of 'decode', each of which runs all of its steps (loops_on_device: true), take 120.000 us" in found


def test_a_launch_for_each_step_contradicts_an_entry_that_loops(tmp_path: Path) -> None:
    each = [one for number in (1, 2, 3) for one in called(1000 * number + 10, number)]
    (found,) = findings(write(tmp_path, *STEPS, *each, contract=LOOPING))
    assert found.startswith(
        "decode.yaml:8:18 PRF-10 'decode' says loops_on_device: true, one launch for all steps, but 3 launches of it ran in"
    )
    assert findings(write(tmp_path, *STEPS, *each)) == []


def test_one_launch_for_all_steps_is_no_fault_of_the_contract(tmp_path: Path) -> None:
    assert findings(write(tmp_path, *STEPS, *called(1010, 1, 2500), contract=LOOPING)) == []
