"""Every megakernel of streamlet and its conventional kernels, run on the CPU, against the float64 reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from megasolve.contracts import Spec
from megasolve.gpu.programs.arenas import Arenas
from megasolve.gpu.programs.group_calls import Call, serial_calls
from megasolve.gpu.programs.verify import ProgramGrid, faults
from megasolve.gpu.workloads.streamlet.conventional import launches_of
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.trials import differences, largest_distance, trial
from tests.support.kernels.streamlet import (
    compiled,
    entry_of,
    launch_pool_on_cpu,
    run_launches_on_cpu,
    run_on_cpu,
    shared_words,
    shipped,
    small,
    small_with,
    split_streams,
)
from tests.support.standin.cpu_device import CpuResult
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler

ENTRIES = ("P", "P_B", "P_B_L", "P_B_L_C", "B", "B_L", "B_L_C", "L", "L_C", "C")
EXPECTED_DISTANCE = 1e-4


def calls_of(spec: Spec, members: Sequence[str]) -> tuple[list[Call], list[Call]]:
    """Return the first calls in serial order that one launch of *members* covers, all of them included, and the calls before those."""
    calls = serial_calls(spec)
    for first in range(len(calls)):
        run = [call for call in calls[first:] if call.group in members]
        together = next((index for index, call in enumerate(calls[first:]) if call.group not in members), len(run))
        if {call.group for call in run[:together]} == set(members):
            return run[:together], list(calls[:first])
    raise AssertionError(members)


def check(arenas: Arenas, expected: Arenas) -> None:
    assert [str(difference) for difference in differences(arenas, expected)] == []
    assert largest_distance(arenas, expected) < EXPECTED_DISTANCE


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(("batch", "ctas", "seed"), [(1, 1, 1), (3, 7, 2), (9, 4, 3)])
def test_every_megakernel_equals_the_reference(entry: str, batch: int, ctas: int, seed: int) -> None:
    study = small()
    calls, earlier = calls_of(study.spec.value, entry_of(study, entry).members)
    model, program = compiled(study, entry, batch, calls)
    asked = trial(model, calls, seed, earlier)
    arenas = asked.before.copied()
    outcome, counters = run_on_cpu(arenas, program, ctas=ctas, seed=seed)
    assert outcome.is_done, outcome.explanation
    assert counters == np.bincount(program.signals, minlength=program.counters or 1).tolist()
    check(arenas, asked.expected)


@pytest.mark.parametrize(
    "sizes",
    [
        {"layers": 1, "heads": 10, "head_dim": 20, "vocab": 7, "state_heads": 2, "states": 33, "upsample_1": 1, "prompt": 37},
        {"layers": 3, "kv_heads": 1, "head_dim": 4, "ffn": 72, "state_heads": 3, "states": 1, "channels": 48, "prompt": 1, "steps": 5},
    ],
)
@pytest.mark.parametrize(("batch", "ctas"), [(2, 3), (17, 6)])
def test_other_sizes_equal_the_reference(sizes: dict[str, int], batch: int, ctas: int) -> None:
    study = small_with(**sizes)
    calls = serial_calls(study.spec.value)
    model, program = compiled(study, "P_B_L_C", batch, calls)
    assert faults(program, model.layout, ProgramGrid(ctas, ctas)) == ()
    asked = trial(model, calls, seed=batch)
    arenas = asked.before.copied()
    outcome, _ = run_on_cpu(arenas, program, ctas=ctas, seed=batch)
    assert outcome.is_done, outcome.explanation
    check(arenas, asked.expected)


@pytest.mark.parametrize("entry", ["P_B_L_C_128", "P_B_L_C_512", "B_L_128", "B_L_512"])
def test_other_thread_counts_equal_the_reference(entry: str) -> None:
    study = small()
    contract = entry_of(study, entry)
    calls, earlier = calls_of(study.spec.value, contract.members)
    model, program = compiled(study, entry, 3, calls)
    asked = trial(model, calls, 4, earlier)
    arenas = asked.before.copied()
    outcome, _ = run_on_cpu(arenas, program, ctas=3, threads=contract.launch.threads or 0, seed=1)
    assert outcome.is_done, outcome.explanation
    check(arenas, asked.expected)


@pytest.mark.parametrize(("batch", "seed"), [(1, 1), (3, 2), (9, 3)])
def test_the_conventional_kernels_equal_the_reference(batch: int, seed: int) -> None:
    study = small()
    model, calls = model_of(study.spec.value, batch), serial_calls(study.spec.value)
    asked = trial(model, calls, seed)
    arenas = asked.before.copied()
    outcome = run_launches_on_cpu(arenas, [launch for call in calls for launch in launches_of(study, model, call)], seed=seed)
    assert outcome.is_done, outcome.explanation
    check(arenas, asked.expected)


def test_streamlet_as_it_is_shipped_equals_the_reference() -> None:
    study, batch = shipped(), 1
    calls = serial_calls(study.spec.value)
    model, program = compiled(study, "P_B_L_C", batch, calls)
    asked = trial(model, calls, seed=batch)
    arenas = asked.before.copied()
    outcome, _ = run_on_cpu(arenas, program, ctas=5, seed=batch)
    assert outcome.is_done, outcome.explanation
    check(arenas, asked.expected)


@pytest.mark.parametrize("x_ctas", [1, 4])
def test_the_two_pools_of_a_shared_launch_equal_the_reference(x_ctas: int) -> None:
    study = small()
    model, program = compiled(study, "P_B_L_C", 3, split_streams(study.spec.value))
    asked = trial(model, serial_calls(study.spec.value), seed=6)
    arenas = asked.before.copied()
    outcome, _ = run_on_cpu(arenas, program, ctas=5, x_ctas=x_ctas, seed=x_ctas)
    assert outcome.is_done, outcome.explanation
    check(arenas, asked.expected)


@pytest.mark.parametrize("consumer_first", [False, True])
def test_two_launches_side_by_side_wait_for_each_other_through_shared_counters(consumer_first: bool) -> None:
    study = small()
    spec = study.spec.value
    model, program = compiled(study, "P_B_L_C", 3, split_streams(spec))
    calls = serial_calls(spec)
    asked = trial(model, calls[1:], 7, calls[:1])
    arenas = asked.before.copied()
    words = shared_words(program)
    # The admission ran before, and so did its arrivals.
    for index in program.common:
        for counter in program.instruction(index).signals:
            words[counter] += 1
    pools = [(program.y, 2), (program.x, 3)] if consumer_first else [(program.x, 3), (program.y, 2)]
    devices = [launch_pool_on_cpu(arenas, program, words, pool, ctas=ctas, stream=stream) for stream, (pool, ctas) in enumerate(pools)]
    outcome = devices[0].run(slots=5, seed=3)
    assert outcome.is_done, outcome.explanation
    check(arenas, asked.expected)


def test_a_grid_that_does_not_fit_is_refused_and_one_that_waits_for_ever_is_reported() -> None:
    model, program = compiled(small(), "P_B_L_C", 1, split_streams(small().spec.value))
    asked = trial(model, serial_calls(small().spec.value), seed=1)
    refused, _ = run_on_cpu(asked.before.copied(), program, ctas=6, x_ctas=3, slots=5)
    assert refused.result is CpuResult.TOO_LARGE
    stuck, _ = run_on_cpu(asked.before.copied(), program, ctas=6, x_ctas=3, slots=3, cooperative=False, reverse=True)
    assert stuck.result is CpuResult.DEADLOCK
