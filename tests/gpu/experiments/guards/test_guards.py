"""The guards, where they do not hold; where they do, the script that tries them shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from megasolve.contracts import load_spec
from megasolve.gpu.children.child import Failed
from megasolve.gpu.experiments.guards import trying
from megasolve.gpu.experiments.guards.trying import NothingTried, tried_text, try_guards
from megasolve.gpu.programs.diagnosis import TOLD_TO_STOP, TOO_LONG, Diagnosis
from megasolve.gpu.programs.group_calls import Call
from megasolve.gpu.programs.instructions import InstructionProgram
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.stuck import stuck_program
from megasolve.gpu.workloads.streamlet.trials import trial
from tests.support.disk.small_specs import SMS, write_small_spec
from tests.support.kernels.streamlet import diagnosis_on_cpu, shipped
from tests.support.standin.played_places import FEW, FaultyPlace
from tests.support.toolchain import needs_stand_in


@needs_stand_in
def test_grids_that_do_not_meet_are_a_guard_that_does_not_hold(tmp_path: Path) -> None:
    study = load_spec(write_small_spec(tmp_path))
    fewer = FaultyPlace(study.device.value.model_copy(update={"sms": SMS - 1}))
    tried = try_guards(study, fewer, "C", None)
    assert [guard.name for guard in tried.guards if not guard.held] == ["two cooperative grids meet", "two ordinary grids meet"]
    assert not tried.is_sound
    assert "FAILED  two ordinary grids meet: not co-resident: " in tried_text(tried)
    assert "no      two cooperative grids meet: not co-resident: " in tried_text(tried)


def test_an_entry_that_the_spec_lacks_is_refused(tmp_path: Path) -> None:
    study = load_spec(write_small_spec(tmp_path))
    with pytest.raises(NothingTried, match="spec 'streamlet' has no contract of 'absent'"):
        try_guards(study, FaultyPlace(study.device.value), "absent", None)


def test_without_an_entry_the_smallest_one_of_consumers_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(_run: str, values: dict[str, object], **_: object) -> Failed:
        return Failed("GpuError", str(values["entry"]), "")

    @contextmanager
    def environment(*_: object) -> Iterator[dict[str, str]]:
        yield {}

    monkeypatch.setattr(trying, "run_in_child", asked)
    place: Any = SimpleNamespace(ordinal=0, counts=FEW, environment=environment)
    with pytest.raises(NothingTried, match=r"^C$"):
        try_guards(shipped(), place, None, None)
    makers = tuple(document for document in shipped().contracts if "C" not in document.value.members)
    with pytest.raises(NothingTried, match=r"^B$"):
        try_guards(replace(shipped(), contracts=makers), place, None, None)
    kernels = tuple(document for document in makers if document.value.backend == "conventional")
    with pytest.raises(NothingTried, match="spec 'streamlet' has no contract of a megakernel"):
        try_guards(replace(shipped(), contracts=kernels), place, None, None)


SEEDS = range(24)


def diagnoses(*, timeout_ns: int, stop: int) -> tuple[InstructionProgram, list[Diagnosis]]:
    """Return what the stuck program of the shipped spec says when it gives up, in orders of threads drawn from each of the seeds."""
    study = shipped()
    model = model_of(study.spec.value, 1)
    contract = next(document.value for document in study.contracts if document.value.entry == "C")
    program = stuck_program(study, model, contract)
    arenas = trial(model, [Call("C")], 1).before
    said = [diagnosis_on_cpu(arenas, program, ctas=8, seed=seed, timeout_ns=timeout_ns, stop=stop) for seed in SEEDS]
    return program, [Diagnosis(*words[:6]) for words in said]


@needs_stand_in
def test_a_wait_that_never_ends_is_told_of_by_whichever_block_is_first_and_is_one_of_the_program() -> None:
    program, found = diagnoses(timeout_ns=10**5, stop=0)
    assert all(one.reason == TOO_LONG and one.is_a_wait_of(program) for one in found)
    assert len({(one.counter, one.wanted) for one in found}) > 1, "no seed makes another wait the first one"


@needs_stand_in
def test_a_kernel_that_is_told_to_stop_says_so_in_a_wait_of_its_program() -> None:
    program, found = diagnoses(timeout_ns=2**60, stop=1)
    assert all(one.reason == TOLD_TO_STOP and one.is_a_wait_of(program) for one in found)


def test_a_diagnosis_of_no_wait_of_the_program_is_none() -> None:
    study = shipped()
    contract = next(document.value for document in study.contracts if document.value.entry == "C")
    program = stuck_program(study, model_of(study.spec.value, 1), contract)
    counter, wanted = program.instruction(0).waits[-1]
    true = Diagnosis(TOO_LONG, 0, 0, counter, wanted - 1, wanted)
    assert true.is_a_wait_of(program)
    for wrong in ({"seen": wanted}, {"wanted": wanted + 1}, {"counter": counter + 1}, {"index": len(program)}):
        assert not replace(true, **wrong).is_a_wait_of(program)
