"""What has a record is one question: `check`, the solver, its table and `measure` give the same answer on every key."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from megasolve.cli.ending.refusals import Refusal
from megasolve.cli.measuring.options import AskedTimes
from megasolve.cli.measuring.wanted_times import wanted_times
from megasolve.contracts import Key, Study, asked_calls, is_launchable
from megasolve.contracts.check.unmeasured import unmeasured
from megasolve.simulate import Objective
from megasolve.solver import Derivation, Judge, Question, RecordUse, candidates, service_table
from tests.support.command import megasolve
from tests.support.planning.random_records import recorded_studies

EVERYTHING = AskedTimes(
    spec="spec.yaml",
    device=None,
    root=None,
    groups=(),
    entries=(),
    budgets=(),
    batches=(),
    backend="gpu",
    cache="warm",
    samples=None,
    warmups=None,
    output=None,
)


def wished(asked: Study) -> list[Key]:
    return [one.key for one in wanted_times(asked, EVERYTHING, Derivation()).wanted]


@settings(max_examples=75)
@given(recorded_studies())
def test_check_the_table_and_measure_agree_on_what_is_recorded(asked: Study) -> None:
    rows = service_table(asked).rows
    calls = {one.key: one for one in asked_calls(asked)}
    assert [row.key for row in rows] == list(calls)
    launched = [row for row in rows if is_launchable(asked, calls[row.key])]
    assert [bool(row.refused) for row in rows] == [not is_launchable(asked, calls[row.key]) for row in rows]
    open_keys = [row.key for row in launched if not row.is_recorded]
    if rows and all(row.refused and not row.is_recorded for row in rows):
        with pytest.raises(Refusal, match="nothing that is asked for can be launched"):
            wished(asked)
    else:
        assert wished(asked) == open_keys
    programmed = [row for row in launched if calls[row.key].has_program]
    derived = Counter(row.key.group for row in programmed if not row.is_recorded)
    found = unmeasured(asked)
    assert (dict(found.groups) if found else {}) == dict(derived)
    assert not found or found.programmed == len(programmed)


@settings(max_examples=40)
@given(recorded_studies())
def test_the_solver_looks_for_no_key_that_is_not_among_those_of_the_study(asked: Study) -> None:
    known = {one.key for one in asked_calls(asked)}
    rows = {row.key: row.found for row in service_table(asked).rows}
    for batch in asked.spec.value.batches:
        judge = Judge(asked, Question(asked.spec.value, batch, Objective(asked.spec.value.objective)))
        for candidate in candidates(asked.spec.value):
            for variant in judge.variants(candidate):
                for choice in variant:
                    for need in judge.needs(choice, candidate.policy):
                        for key, contract in judge.keys(choice, need):
                            found = judge.evidence.find(key, contract)
                            if contract.value.backend == "conventional" or need.budget_ctas in contract.value.budgets:
                                assert key in known
                                assert isinstance(found, RecordUse) is isinstance(rows[key], RecordUse)


def test_a_record_of_another_shape_is_recorded_for_nobody(tmp_path: Path) -> None:
    """The consumer decodes 2 frames; a record of 3 once counted as recorded in `check`, and the solver had none."""
    (tmp_path / "plan").mkdir()
    files = {
        "spec.yaml": """\
megasolve: spec/v1
name: model
device: h100_nvl
precision: bf16
batches: [1]
groups:
  - {name: B, role: producer}
  - {name: C, role: consumer, left_context_frames: 0}
stream: {first_chunk: 2, next_chunk: 2}
contracts: [c.yaml]
records: [r.yaml]
""",
        "c.yaml": """\
megasolve: contract/v1
entry: c
backend: megakernel
members: [C]
budgets_ctas: [132]
launch: {threads: 256, registers: 128}
dispatch: {kind: cooperative, host_waits: true, host_us: 1, exposed_us: 1}
programs:
  C:
    - operators:
        - {name: decode, kind: explicit, tiles: 1, compute_us: 1}
""",
    }
    record = """\
megasolve: records/v1
records:
  - group: C
    backend: megakernel
    entries: [c]
    budget_ctas: 132
    batch: 1
    precision: bf16
    device: h100_nvl
    context: {launch: {threads: 256, registers: 128}}
    shapes: {frames: FRAMES}
    duration_us: 10
    hbm_bytes: 0
    provenance: {kind: profiled, source: invented}
"""
    for frames, is_derived in ((3, True), (2, False)):
        for name, text in (*files.items(), ("r.yaml", record.replace("FRAMES", str(frames)))):
            (tmp_path / "plan" / name).write_text(text, encoding="utf-8")
        spec = str(tmp_path / "plan" / "spec.yaml")
        checked, table = megasolve("check", spec), megasolve("table", spec, "--no-cache")
        assert ("1 of 1 times on h100_nvl are derived" in checked.stdout) is is_derived
        assert ("tile-simulated" in table.stdout) is is_derived, table.stderr
