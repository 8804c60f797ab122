from __future__ import annotations

import ctypes

import numpy as np
import pytest

from megasolve.gpu.errors import GpuError
from tests.support.standin.cpu_device import Argument, CpuDevice, CpuOutcome, CpuResult
from tests.support.standin.probes import THREADS, probe_library, rules_library
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler

NEVER = ctypes.c_uint64(2**60)
TWO_SECONDS = ctypes.c_uint64(2 * 10**9)


@pytest.fixture(scope="module")
def probes() -> CpuDevice:
    return CpuDevice(probe_library())


@pytest.fixture(scope="module")
def rules() -> CpuDevice:
    return CpuDevice(rules_library())


def run_chain(device: CpuDevice, *, slots: int, seed: int = 0, cooperative: bool = False, reverse: bool = False) -> CpuOutcome:
    """Run eight blocks of which each waits for the one before it."""
    values = np.full(8 * THREADS, np.nan, np.float32)
    arguments: list[Argument] = [np.zeros(1, np.uint32), values, 1]
    device.launch("probe_chain", arguments, grid=8, block=THREADS, cooperative=cooperative, reverse=reverse)
    outcome = device.run(slots, seed=seed)
    if outcome.is_done:
        assert (values.reshape(8, THREADS) == np.arange(1, 9)[:, None]).all()
    return outcome


def queue_meeting(device: CpuDevice, counter: np.ndarray, blocks: int, *, stream: int, wanted: int, cooperative: bool = True) -> None:
    """Queue blocks that add themselves to *counter* and wait until it is *wanted*."""
    arguments: list[Argument] = [counter, 1, wanted, np.zeros(1, np.uint32), np.zeros(1, np.uint32), NEVER]
    device.launch("probe_meet", arguments, grid=blocks, block=THREADS, cooperative=cooperative, stream=stream)


def corun(device: CpuDevice, *, slots: int, consumer_first: bool, cooperative: bool = True) -> CpuOutcome:
    """Run a producer of 5 CTAs beside a consumer of 3 that waits for all of it."""
    counter = np.zeros(1, np.uint32)
    for is_consumer in (consumer_first, not consumer_first):
        blocks, wanted = (3, 5) if is_consumer else (5, 0)
        queue_meeting(device, counter, blocks, stream=int(is_consumer), wanted=wanted, cooperative=cooperative)
    return device.run(slots)


@pytest.mark.parametrize("slots", [1, 3, 8])
def test_blocks_that_start_in_the_order_of_their_waits_finish_in_any_number_of_slots(probes: CpuDevice, slots: int) -> None:
    for seed in range(3):
        assert run_chain(probes, slots=slots, seed=seed).is_done


def test_equal_seeds_give_equal_runs_and_others_do_not(probes: CpuDevice) -> None:
    first, again, other = (run_chain(probes, slots=8, seed=seed, reverse=True) for seed in (3, 3, 4))
    assert first == again
    assert first.clock_ns != other.clock_ns


def test_a_seed_draws_the_order_of_threads(rules: CpuDevice) -> None:
    orders = []
    for seed in range(3):
        place = np.zeros(2 * THREADS, np.uint32)
        rules.launch("order", [np.zeros(1, np.uint32), place, np.zeros(2, np.uint32)], grid=2, block=THREADS)
        assert rules.run(2, seed=seed).is_done
        assert sorted(place) == list(range(2 * THREADS))
        orders.append(tuple(place))
    assert len(set(orders)) == 3


def test_a_deadlock_is_found_at_once_and_says_who_waits_for_what(probes: CpuDevice) -> None:
    outcome = run_chain(probes, slots=2, reverse=True)
    assert outcome.result is CpuResult.DEADLOCK
    assert "probe_chain (stream 0): 2 of 8 CTAs resident, 0 ended, 6 wait for a slot, 0 free" in outcome.explanation
    assert "cta 7 on SM 0: 1 polling (counter 0 is 0 of 7), 127 at the block barrier" in outcome.explanation


def test_a_cooperative_grid_that_never_fits_is_refused_and_nothing_runs(probes: CpuDevice) -> None:
    outcome = run_chain(probes, slots=7, cooperative=True)
    assert outcome.result is CpuResult.TOO_LARGE
    assert outcome.explanation == "probe_chain: 8 CTAs, and the device holds 7 at once"
    assert outcome.steps == 0


def test_a_reversed_cooperative_grid_finishes_where_the_ordinary_one_of_as_many_slots_less_one_cannot(probes: CpuDevice) -> None:
    assert run_chain(probes, slots=8, cooperative=True, reverse=True).is_done
    assert run_chain(probes, slots=7, reverse=True).result is CpuResult.DEADLOCK


@pytest.mark.parametrize("cooperative", [True, False])
def test_a_consumer_that_is_launched_first_takes_the_slots_that_its_producer_needs(probes: CpuDevice, cooperative: bool) -> None:
    assert corun(probes, slots=8, consumer_first=True, cooperative=cooperative).is_done
    assert corun(probes, slots=6, consumer_first=False, cooperative=cooperative).is_done
    starved = corun(probes, slots=3, consumer_first=True, cooperative=False)
    assert starved.result is CpuResult.DEADLOCK


def test_a_cooperative_producer_starts_as_a_whole_or_not_at_all(probes: CpuDevice) -> None:
    outcome = corun(probes, slots=6, consumer_first=True)
    assert outcome.result is CpuResult.DEADLOCK
    assert "probe_meet (stream 0, cooperative): 0 of 5 CTAs resident, 0 ended, 5 wait for a slot, 3 free" in outcome.explanation
    assert corun(probes, slots=6, consumer_first=True, cooperative=False).is_done


def test_one_stream_keeps_its_order_and_two_run_beside_each_other(probes: CpuDevice) -> None:
    counter = np.zeros(1, np.uint32)
    for stream in (0, 0, 1):
        queue_meeting(probes, counter, 1, stream=stream, wanted=0)
    first, second, beside = probes.run(4).launches
    assert second.began_ns >= first.ended_ns
    assert beside.began_ns < first.ended_ns


def test_a_launch_that_waits_for_a_later_one_of_its_stream_is_a_deadlock(probes: CpuDevice) -> None:
    counter = np.zeros(1, np.uint32)
    queue_meeting(probes, counter, 1, stream=0, wanted=2)
    queue_meeting(probes, counter, 1, stream=0, wanted=2)
    outcome = probes.run(4)
    assert outcome.result is CpuResult.DEADLOCK
    assert "waits for its turn in the stream" in outcome.explanation


def test_the_time_limit_of_a_kernel_ends_it_where_the_clock_may_jump(probes: CpuDevice) -> None:
    for jumps, result, diagnosed in ((0, CpuResult.DEADLOCK, 0), (8, CpuResult.DONE, 1)):
        diagnosis = np.zeros(1, np.uint32)
        probes.launch("probe_meet", [np.zeros(1, np.uint32), 1, 9, np.zeros(1, np.uint32), diagnosis, TWO_SECONDS], grid=3, block=THREADS)
        assert probes.run(4, clock_jumps=jumps).result is result
        assert diagnosis[0] == diagnosed


def test_a_stop_word_ends_a_kernel(probes: CpuDevice) -> None:
    diagnosis = np.zeros(1, np.uint32)
    probes.launch("probe_meet", [np.zeros(1, np.uint32), 1, 9, np.ones(1, np.uint32), diagnosis, NEVER], grid=3, block=THREADS)
    assert probes.run(4).is_done
    assert diagnosis[0] == 2


def test_a_kernel_that_never_ends_spends_its_steps(rules: CpuDevice) -> None:
    rules.launch("busy", [], grid=1, block=32)
    outcome = rules.run(1, most_steps=10_000)
    assert outcome.result is CpuResult.STEPS_SPENT
    assert outcome.steps >= 10_000


@pytest.mark.parametrize("block", [32, 40, 96])
def test_a_warp_share_gives_every_lane_the_words_of_all_lanes(rules: CpuDevice, block: int) -> None:
    rounds, out = 50, np.zeros(2 * block, np.uint32)
    for first_lane in range(0, block, 32):
        lanes = min(32, block - first_lane)
        rules.launch("share", [out, rounds, lanes], grid=2, block=block)
        assert rules.run(2, seed=first_lane).is_done
        threads = np.arange(first_lane, first_lane + lanes, dtype=np.uint32)
        expected = threads.copy()
        for _ in range(rounds):
            expected = expected.sum(dtype=np.uint32) + threads
        assert (out.reshape(2, block)[:, first_lane : first_lane + lanes] == expected).all()


def test_threads_that_ended_hold_nobody_up(rules: CpuDevice) -> None:
    met = np.zeros(1, np.uint32)
    rules.launch("leave", [met], grid=3, block=64)
    assert rules.run(2).is_done
    assert met[0] == 3 * 32


def test_lanes_that_wait_at_different_meetings_are_a_deadlock(rules: CpuDevice) -> None:
    rules.launch("diverge", [], grid=1, block=32)
    assert "16 at the block barrier, 16 at a warp share" in rules.run(1).explanation


@pytest.mark.parametrize(("kernel", "rule"), [("disagree", "different numbers of words"), ("share_too_much", "at most 32 words")])
def test_a_broken_rule_of_the_runtime_is_named(rules: CpuDevice, kernel: str, rule: str) -> None:
    rules.launch(kernel, [], grid=1, block=32)
    outcome = rules.run(1)
    assert outcome.result is CpuResult.FAULT
    assert rule in outcome.explanation


def test_a_thread_that_overflows_its_stack_is_a_fault(rules: CpuDevice) -> None:
    rules.launch("deep", [], grid=1, block=32)
    outcome = rules.run(1)
    assert outcome.result is CpuResult.FAULT
    assert "overflowed its stack" in outcome.explanation


def test_shared_memory_is_poisoned_for_each_block(rules: CpuDevice) -> None:
    seen = np.zeros(32, np.uint32)
    rules.launch("poison", [seen], grid=2, block=32, shared_bytes=128)
    assert rules.run(1).is_done
    assert (seen == 0xAAAAAAAA).all()


def test_blocks_spread_over_the_slots(rules: CpuDevice) -> None:
    sms = np.full(4, 99, np.uint32)
    rules.launch("order", [np.zeros(1, np.uint32), np.zeros(4 * 32, np.uint32), sms], grid=4, block=32)
    assert rules.run(4).is_done
    assert sorted(sms) == [0, 1, 2, 3]


def test_the_virtual_clock_runs_slower_on_more_slots(rules: CpuDevice) -> None:
    out = np.zeros(8 * 32, np.uint32)
    times = []
    for slots in (1, 2, 8):
        rules.launch("share", [out, 100, 32], grid=8, block=32)
        times.append(rules.run(slots).clock_ns)
    assert times[0] > 1.8 * times[1] > 5 * times[2]


def test_an_unknown_kernel_and_an_array_with_gaps_are_refused(probes: CpuDevice) -> None:
    with pytest.raises(GpuError, match="no kernel 'absent'"):
        probes.launch("absent", [], grid=1, block=32)
    with pytest.raises(ValueError, match="contiguous"):
        probes.launch("probe_turn", [np.zeros(8, np.float32)[::2]], grid=1, block=32)
