"""The persistent interpreter on small programs: order, pools, guards and what it reports."""

from __future__ import annotations

import numpy as np
import pytest

from megasolve.gpu.programs.operations import operations_mask
from tests.support.kernels.host_build import persistent_kernel
from tests.support.kernels.programs import COMMON, DONE, MULTIPLIED, NORMED, POOL_X, POOL_Y, ROWS, HandMadeProgram, layer
from tests.support.standin.cpu_device import CpuResult
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler
TIMEOUT, STOPPED, UNKNOWN_OPERATION = 1, 2, 3


@pytest.mark.parametrize("ctas", [1, 2, 3, 8, 16])
@pytest.mark.parametrize("seed", range(3))
def test_a_program_gives_its_result_on_any_number_of_blocks(ctas: int, seed: int) -> None:
    program = layer()
    launched = program.launch(ctas, seed=seed)
    assert launched.outcome.is_done, launched.outcome.explanation
    program.operands.check(launched.floats, launched.ids)
    assert launched.counters.tolist() == [ROWS, 4, ROWS]
    assert (launched.stop, set(launched.diagnosis)) == (0, {0})


@pytest.mark.parametrize("threads", [128, 512])
def test_a_program_gives_its_result_with_other_blocks(threads: int) -> None:
    program = layer()
    launched = program.launch(3, threads=threads, is_traced=False)
    assert launched.outcome.is_done
    program.operands.check(launched.floats, launched.ids)


@pytest.mark.parametrize("slots", [1, 2, 5])
def test_a_program_finishes_with_fewer_blocks_resident_than_launched(slots: int) -> None:
    program = layer()
    launched = program.launch(8, slots=slots)
    assert launched.outcome.is_done
    program.operands.check(launched.floats, launched.ids)


@pytest.mark.parametrize(("ctas", "x_ctas"), [(2, 1), (5, 2), (5, 4)])
@pytest.mark.parametrize("reverse", [False, True])
def test_two_pools_share_one_launch_and_meet_at_counters(ctas: int, x_ctas: int, reverse: bool) -> None:
    program = layer(first=POOL_X, second=POOL_Y)
    launched = program.launch(ctas, x_ctas=x_ctas, seed=ctas, reverse=reverse)
    assert launched.outcome.is_done
    program.operands.check(launched.floats, launched.ids)


def test_each_pool_serves_the_common_stream_and_its_own() -> None:
    program = layer(first=COMMON, second=POOL_Y)
    own = layer(first=POOL_X)
    program.streams[POOL_X].extend([words[:1] + [0] * 4 + words[5:] for words in own.streams[POOL_X]])
    launched = program.launch(4, x_ctas=2)
    assert launched.outcome.is_done
    sms = [set(launched.trace[place, 3].tolist()) for place in (slice(ROWS, 2 * ROWS), slice(2 * ROWS, None))]
    assert not sms[0] & sms[1]


def test_a_pool_that_is_not_resident_lets_the_other_wait_and_that_is_a_deadlock() -> None:
    program = layer(first=POOL_X, second=POOL_Y)
    launched = program.launch(2, x_ctas=1, slots=1, reverse=True)
    assert launched.outcome.result is CpuResult.DEADLOCK
    assert f"counter {NORMED}" in launched.outcome.explanation


def test_the_trace_orders_what_counters_order() -> None:
    launched = layer().launch(4, seed=5)
    taken, begun, done, _ = launched.trace.T
    assert (taken <= begun).all()
    assert (begun <= done).all()
    assert begun[ROWS : ROWS + 4].min() >= done[:ROWS].max()
    assert begun[ROWS + 4 :].min() >= done[ROWS : ROWS + 4].max()


def test_a_wait_in_vain_ends_at_the_timeout_and_says_who_waited_for_what() -> None:
    program = layer()
    program.waits[-1] = (MULTIPLIED, 7)
    launched = program.launch(1, clock_jumps=64)
    assert launched.outcome.is_done
    assert launched.stop == 1
    assert launched.diagnosis[:6] == (TIMEOUT, 0, len(program.streams[COMMON]) - 1, MULTIPLIED, 4, 7)


@pytest.mark.parametrize("seed", range(4))
def test_a_timeout_ends_every_block_with_one_diagnosis(seed: int) -> None:
    program = layer()
    program.waits[-ROWS:] = [(MULTIPLIED, 7)] * ROWS
    launched = program.launch(6, seed=seed, clock_jumps=64)
    reason, cta, instruction, *counter = launched.diagnosis[:6]
    assert launched.outcome.is_done
    assert reason == TIMEOUT
    assert cta < 6
    assert ROWS + 4 <= instruction < ROWS + 4 + ROWS
    assert counter == [MULTIPLIED, 4, 7]


def test_the_stop_word_ends_a_launch_that_waits() -> None:
    program = layer()
    program.waits[-ROWS:] = [(MULTIPLIED, 7)] * ROWS
    launched = program.launch(3, stop=1, clock_jumps=64, timeout_ns=2**62)
    assert launched.outcome.is_done
    assert launched.diagnosis[0] == STOPPED
    assert launched.counters[DONE] == 0


def test_without_a_way_out_the_runtime_reports_the_wait() -> None:
    program = layer()
    program.waits[-1] = (MULTIPLIED, 7)
    launched = program.launch(2)
    assert launched.outcome.result is CpuResult.DEADLOCK
    assert f"counter {MULTIPLIED}" in launched.outcome.explanation


def test_an_operator_that_the_entry_does_not_hold_ends_the_launch() -> None:
    program = layer()
    holding = persistent_kernel(256, f"MS_OPERATIONS={operations_mask(['norm', 'elementwise'])}")
    launched = program.launch(2, device=holding, clock_jumps=64)
    assert launched.outcome.is_done
    assert launched.diagnosis[0] == UNKNOWN_OPERATION
    assert launched.diagnosis[2] in range(ROWS, ROWS + 4)


def with_many_waits(last: tuple[int, int]) -> HandMadeProgram:
    """Return the layer with products that wait for 70 counters, which the first norm signals, and then for *last*."""
    program, many = layer(), range(DONE + 1, DONE + 71)
    program.streams[COMMON][0][3:5] = [len(program.signals), 71]
    program.signals += [*many, NORMED]
    for words in program.streams[COMMON][ROWS : ROWS + 4]:
        words[1:3] = [len(program.waits), 71]
    program.waits += [*((counter, 1) for counter in many), last]
    return program


def test_an_instruction_may_wait_for_and_signal_more_counters_than_a_warp_has_lanes() -> None:
    program = with_many_waits((NORMED, ROWS))
    launched = program.launch(8)
    assert launched.outcome.is_done
    program.operands.check(launched.floats, launched.ids)
    assert set(launched.counters[DONE + 1 :].tolist()) == {1}


def test_the_last_of_many_waits_counts_too() -> None:
    launched = with_many_waits((NORMED, ROWS + 1)).launch(1, clock_jumps=64)
    assert launched.diagnosis[0] == TIMEOUT
    assert launched.diagnosis[3:6] == (NORMED, ROWS, ROWS + 1)


def test_a_missing_wait_is_seen_as_poison() -> None:
    program = layer()
    for words in program.streams[COMMON][ROWS : ROWS + 4]:
        words[2] = 0
    seen = [np.isnan(program.launch(8, seed=seed).floats).sum() for seed in range(4)]
    assert max(seen) > np.isnan(layer().launch(8).floats).sum()
