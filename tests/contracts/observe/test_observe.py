from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.observe import Outside
from megasolve.contracts.observe.observation import AttributedBy, GroupRule, Observation, ObservedGroup, StepsBy
from megasolve.contracts.observe.observe import observe, observe_apart
from megasolve.contracts.profiles import Kernel, KernelShape, ObservedDevice, ProfileRefused, Site, Span
from tests.support.profiles.executions import US, execution, in_a_row, kernel, profiled, shape, span

_ALL = (GroupRule("B"),)
_MARKED = StepsBy(marks="step *")
_LAUNCH = st.tuples(st.sampled_from("abc"), st.integers(0, 60), st.integers(1, 30), st.sampled_from([7, 9]))
_LAUNCHES = st.lists(_LAUNCH, min_size=1, max_size=25)


def seen(kernels: Sequence[Kernel], steps: StepsBy | None = None, rules: tuple[GroupRule, ...] = _ALL, **said: object) -> Observation:
    """Return what one execution says."""
    return observe([execution(kernels, **said)], AttributedBy(rules, steps or StepsBy()))


def marked(number: int, *launches: tuple[str | KernelShape, int], gap_us: int = 0) -> list[Kernel]:
    """Return step *number*, a hundred microseconds after the one before."""
    mark = span(f"step {number}", 100 * number, 100 * number + 90)
    return in_a_row(*launches, start_us=100 * number, gap_us=gap_us, ranges=[mark])


def us(samples_ps: Sequence[int]) -> list[float]:
    """Return samples in microseconds."""
    return [sample / US for sample in samples_ps]


# One step.


def test_equal_launches_are_one_kernel_with_its_idle_time_apart() -> None:
    (first, second) = seen(in_a_row(("a", 5), ("b", 3), ("a", 7), gap_us=2)).kernels
    assert (first.shape.name, first.launches, us(first.samples_ps), us(first.gap_samples_ps), first.order) == ("a", 2, [12], [2], 0)
    assert (second.shape.name, second.launches, us(second.samples_ps), us(second.gap_samples_ps), second.order) == ("b", 1, [3], [2], 1)


def test_launches_of_other_grids_or_resources_are_other_kernels() -> None:
    shapes = [shape("a", 64), shape("a", 132), shape("a", 132, registers=40), shape("a", 132, dynamic_shared_bytes=1024)]
    assert [one.shape for one in seen(in_a_row(*[(one, 1) for one in shapes])).kernels] == shapes


@settings(max_examples=60, deadline=None)
@given(_LAUNCHES)
def test_pitfall_07_samples_and_gaps_of_all_kernels_add_up_to_the_span(launches: list[tuple[str, int, int, int]]) -> None:
    kernels = [kernel(name, start, duration, stream=stream) for name, start, duration, stream in launches]
    found = seen(sorted(kernels, key=lambda one: one.start_ps or 0))
    (group,) = found.groups
    ends = [start + duration for _, start, duration, _ in launches]
    span_ps = (max(ends) - min(start for _, start, _, _ in launches)) * US
    assert found.span_samples_ps == (span_ps,)
    assert group.samples_ps[0] + group.gap_samples_ps[0] == span_ps
    assert sum(one.samples_ps[0] + one.gap_samples_ps[0] for one in found.kernels) == span_ps
    assert sum(one.samples_ps[0] for one in found.kernels) == US * sum(duration for _, _, duration, _ in launches)


def test_pitfall_08_overlap_counts_once_and_is_said() -> None:
    found = seen([kernel("a", 0, 10), kernel("b", 8, 10)])
    assert [us(one.samples_ps) for one in found.kernels] == [[10], [10]]
    assert [us(one.gap_samples_ps) for one in found.kernels] == [[0], [-2]]
    assert [us(one.overlapped_ps) for one in found.kernels] == [[0], [2]]
    assert "2.000 us of 20.000 us overlap earlier kernels of the same group or stream (1 stream)" in found.notes[-1]


def test_a_wait_for_something_else_is_said() -> None:
    found = seen([kernel("a", 0, 10), kernel("b", 110, 10)])
    assert found.outside == (Outside("b", "far longer than before other launches", (100 * US,)),)
    assert us(found.span_samples_ps) == [20]


# Several steps.


def test_every_steady_step_gives_a_sample_and_the_gap_between_steps_belongs_to_the_later_one() -> None:
    found = seen([one for number in range(3) for one in marked(number, ("a", 10), ("b", 20))], _MARKED)
    first, second = found.kernels
    assert found.steps == 3
    assert (us(first.samples_ps), us(first.gap_samples_ps)) == ([10] * 3, [0, 70, 70])
    assert (us(second.samples_ps), us(second.gap_samples_ps)) == ([20] * 3, [0, 0, 0])
    assert us(found.span_samples_ps) == [30, 100, 100]


def test_the_gap_before_a_step_counts_only_after_a_steady_step() -> None:
    found = seen([one for n in range(4) for one in marked(n, ("a", 40 if n == 0 else 10))], _MARKED)
    assert found.left_out == ("'step 0': warm-up, it takes 40.000 us, those after it 10.000 us",)
    assert us(found.kernels[0].gap_samples_ps) == [0, 90, 90]
    assert us(found.span_samples_ps) == [10, 100, 100]


def test_pitfall_17_launches_outside_of_the_steps_are_left_out_and_counted() -> None:
    kernels = [kernel("init", -50, 5), *marked(0, ("a", 10)), kernel("copy", 50, 7), *marked(1, ("a", 10))]
    found = seen(kernels, _MARKED)
    assert [one.shape.name for one in found.kernels] == ["a"]
    assert found.left_out == (
        "1 launch (5.000 us) before the first step: of the step before, or of none",
        "1 launch (7.000 us) outside of the steps",
    )


def test_what_runs_within_a_step_without_its_mark_counts_in_its_span_alone() -> None:
    step = marked(0, ("a", 10), ("b", 10), gap_us=30)
    found = seen([step[0], kernel("stray", 15, 5), step[1]], _MARKED)
    assert us(found.span_samples_ps) == [50]
    assert sum(us(found.groups[0].samples_ps) + us(found.groups[0].gap_samples_ps)) == 20 + 20


def test_a_kernel_whose_grid_follows_the_sequence_is_one_kernel_and_said() -> None:
    kernels = [one for n in range(3) for one in marked(n, ("embed", 1), (shape("attention", 8 if n < 2 else 9), 10 + n))]
    found = seen(kernels, _MARKED)
    attention = found.kernels[1]
    assert (attention.shape, attention.launches, us(attention.samples_ps)) == (shape("attention", 8), 1, [10, 11, 12])
    assert found.notes[-1] == "group B: grids that differ between occurrences count as the commonest one: 'attention' (8x1x1, 9x1x1)"


def test_launches_that_differ_in_number_count_by_their_lower_median() -> None:
    kernels = [one for n, times in enumerate((2, 2, 3)) for one in marked(n, *[("a", 5)] * times)]
    found = seen(kernels, _MARKED)
    assert (found.kernels[0].launches, us(found.kernels[0].samples_ps)) == (2, [10, 10, 15])
    assert "group B: of launches per occurrence the lower median counts: 'a' (2 to 3)" in found.notes


def test_what_half_of_the_steps_do_without_is_listed_and_not_planned() -> None:
    kernels = [one for n in range(4) for one in marked(n, ("a", 10), *([("compact", 30)] if n == 1 else []))]
    found = seen(kernels, _MARKED)
    assert [one.shape.name for one in found.kernels] == ["a"]
    (rare,) = found.unattributed
    assert (rare.shape.name, rare.launches, rare.total_ps) == ("compact", 1, 30 * US)
    assert rare.because == "runs in 1 of 4 occurrences of group B only"


def test_a_kernel_that_most_steps_run_has_samples_of_those_only() -> None:
    kernels = [one for n in range(4) for one in marked(n, ("a", 10), *([("flush", 3)] if n != 2 else []))]
    assert us(seen(kernels, _MARKED).kernels[1].samples_ps) == [3, 3, 3]


def test_steps_by_period_need_no_annotation() -> None:
    kernels = [kernel("prefill", -90, 60), *(one for n in range(5) for one in in_a_row(("a", 10), ("b", 5), start_us=20 * n))]
    found = seen(kernels, StepsBy(period="auto"))
    assert (found.steps, us(found.span_samples_ps)) == (5, [15, 20, 20, 20, 20])
    assert found.left_out == ("1 launch (60.000 us) before the first step: of the step before, or of none",)


def test_skipping_every_step_is_refused() -> None:
    with pytest.raises(ProfileRefused, match="2 steps found, and skipping 2 leaves none"):
        seen([*marked(0, ("a", 1)), *marked(1, ("a", 1))], StepsBy(marks="step *", skip=2))


# Groups.


def speech(steps: int = 4) -> list[Kernel]:
    """Return a prefill, then steps of a backbone and two codebook calls each, then a codec chunk after every second step."""
    prefill = span("prefill", 0, 40)
    kernels = in_a_row(("gemm", 30), ("attention", 10), ranges=[prefill])
    for number in range(steps):
        start = 100 * (number + 1)
        mark = span(f"step {number}", start, start + 90)
        kernels += in_a_row(("gemm", 6), ("attention", 2), start_us=start, ranges=[mark])
        for call in range(2):
            at = start + 20 + 10 * call
            kernels += in_a_row(("codebook", 3), start_us=at, ranges=[mark, Span(f"codebook {call}", at * US, at * US + 1)])
        if number % 2:
            kernels += in_a_row(("conv", 8), start_us=start + 50, ranges=[mark, span(f"codec {number}", start + 50)])
    return kernels


_SPEECH = (GroupRule("P", ranges=("prefill",)), GroupRule("L", ranges=("codebook *",)), GroupRule("C", ranges=("codec *",)), GroupRule("B"))


def test_each_group_has_its_own_occurrences() -> None:
    found = seen(speech(), _MARKED, _SPEECH)
    assert [(one.group, one.occurrences, one.per_step) for one in found.groups] == [("P", 1, 1), ("L", 8, 2), ("C", 2, 1), ("B", 4, 1)]
    assert found.groups[3] == ObservedGroup("B", 4, 1, (8 * US,) * 4, (0, 67 * US, 42 * US, 67 * US))
    assert [us(one.samples_ps) for one in found.groups] == [[40], [3] * 8, [8, 8], [8] * 4]
    assert [one.marks for one in found.groups] == [("prefill",), ("codebook *",), ("codec *",), None]


def test_an_occurrence_outside_of_all_steps_waits_for_nothing_of_the_work() -> None:
    found = seen([kernel("init", -500, 5), *speech()], _MARKED, _SPEECH)
    assert us(found.groups[0].gap_samples_ps) == [0]
    assert found.left_out == ("1 launch (5.000 us) before the first step: of the step before, or of none",)


def test_occurrences_in_a_step_that_was_left_out_are_left_out_with_it() -> None:
    found = seen(speech(), StepsBy(marks="step *", skip=1), _SPEECH)
    assert [(one.group, one.occurrences) for one in found.groups] == [("P", 1), ("L", 6), ("C", 2), ("B", 3)]


def test_where_the_whole_profile_is_one_step_warm_up_is_left_out_among_the_instances() -> None:
    calls = [one for n in range(4) for one in in_a_row(("a", 30 if n == 0 else 10), start_us=100 * n, ranges=[span(f"call {n}", n)])]
    found = seen(calls, rules=(GroupRule("B", ranges=("call *",)),))
    (group,) = found.groups
    assert (group.occurrences, group.per_step, us(group.samples_ps)) == (3, 4, [10, 10, 10])
    assert found.left_out == ("group B: 'call 0': warm-up, it takes 30.000 us, those after it 10.000 us",)


def test_what_no_rule_takes_is_listed_by_time() -> None:
    kernels = [*marked(0, ("a", 1), ("copy", 2), ("copy", 2), ("sample", 9)), *marked(1, ("a", 1), ("copy", 2), ("copy", 2), ("sample", 9))]
    found = seen(kernels, _MARKED, (GroupRule("B", names=("a",)),))
    assert [(one.shape.name, one.launches, one.total_ps // US, one.because) for one in found.unattributed] == [
        ("sample", 2, 18, "no rule takes it"),
        ("copy", 4, 8, "no rule takes it"),
    ]


def test_a_group_that_takes_nothing_has_no_occurrence() -> None:
    found = seen(in_a_row(("a", 1)), rules=(GroupRule("B"), GroupRule("C", names=("conv*",))))
    assert [one.group for one in found.groups] == ["B"]
    assert "no launch matches the rule of group C" in found.notes


# Times that are none.


def test_pitfall_10_launches_without_a_duration_are_counted_and_left_out() -> None:
    found = seen([kernel("a", 0, 5), kernel("a", 10, 0), kernel("a", 20, 5)._replace(duration_ps=None)])
    assert (found.kernels[0].launches, us(found.kernels[0].samples_ps)) == (1, [5])
    assert "2 launches without a positive duration left out" in found.notes


def test_an_execution_without_kernels_is_refused() -> None:
    with pytest.raises(ProfileRefused, match="holds no kernel that ran"):
        seen([])


# Devices, ranks, files.


def on_device(number: int, *kernels: Kernel) -> list[Kernel]:
    """Return *kernels* as they run on another device."""
    return [one._replace(site=Site(number, 1, 7, 1)) for one in kernels]


def test_pitfall_25_several_devices_are_never_added_up() -> None:
    of = execution([*on_device(0, kernel("a", 0, 10)), *on_device(1, kernel("a", 5, 30))])
    with pytest.raises(
        ProfileRefused,
        match=r"kernels ran on 2 devices \(0, 1\), which are never added up; choose one with --gpu N \(in a spec: attribution\.gpu\)",
    ):
        observe([of], AttributedBy(_ALL))
    assert us(observe([of], AttributedBy(_ALL, device=1)).kernels[0].samples_ps) == [30]
    with pytest.raises(ProfileRefused, match="device 2 ran no kernel; found devices: 0, 1"):
        observe([of], AttributedBy(_ALL, device=2))


def test_every_device_can_be_observed_apart() -> None:
    kernels = [*on_device(0, kernel("a", 0, 10)), *on_device(1, kernel("a", 5, 30))]
    of = execution(kernels, devices=(ObservedDevice(0, "one"), ObservedDevice(1, "two")))
    found = observe_apart([of], AttributedBy(_ALL))
    assert [(one.device.name, us(one.span_samples_ps)) for one in found if one.device] == [("one", [10]), ("two", [30])]


def test_pitfall_07_a_gap_is_idle_time_of_its_own_device() -> None:
    of = execution([*on_device(0, kernel("a", 0, 10), kernel("b", 30, 5)), *on_device(1, kernel("c", 10, 20))])
    assert us(observe([of], AttributedBy(_ALL, device=0)).kernels[1].gap_samples_ps) == [20]


def test_pitfall_25_two_ranks_are_never_merged() -> None:
    ranks = [replace(execution([kernel("a", 0, 10 + rank)]), file=f"rank{rank}.json", rank=rank) for rank in (0, 1)]
    with pytest.raises(ProfileRefused, match=r"rank1.json: one of several executions \(rank0.json, rank 0, rank1.json, rank 1\)"):
        observe(ranks, AttributedBy(_ALL))
    assert [(one.rank, us(one.span_samples_ps)) for one in observe_apart(ranks, AttributedBy(_ALL))] == [(0, [10]), (1, [11])]


def test_pitfall_23_times_come_from_the_timeline_and_traffic_from_ncu() -> None:
    found = observe([profiled((shape("a", registers=64), 100)), execution(in_a_row(("a", 3), ("b", 1), ("a", 4)))], AttributedBy(_ALL))
    first, second = found.kernels
    assert (us(first.samples_ps), first.hbm_bytes, first.shape.registers) == ([7], 200, 64)
    assert second.hbm_bytes is None
    assert found.notes[-1] == "1 kernel only in the timeline: 'b' (grid 132x1x1, block 128x1x1)"
    assert [source.file for source in found.sources] == ["run.sqlite", "kernels.csv"]


def test_what_only_ncu_saw_is_said() -> None:
    found = observe([execution([kernel("a", 0, 1)]), profiled((shape("a"), 1), (shape("z"), 1))], AttributedBy(_ALL))
    assert found.notes[-1] == "1 kernel only in ncu: 'z' (grid 132x1x1, block 128x1x1)"


def test_pitfall_23_ncu_alone_has_no_run_times() -> None:
    with pytest.raises(ProfileRefused, match="ncu details CSV: has no run times of kernels or layers; give a timeline beside it"):
        observe([profiled((shape("a"), 1))], AttributedBy(_ALL))


def test_sources_name_the_file_its_hash_and_the_tool() -> None:
    (source,) = seen(in_a_row(("a", 1)), versions={"nsys": "2026.2"}).sources
    assert (source.file, source.sha256, source.tool, source.versions) == ("run.sqlite", "0" * 64, "nsys sqlite", {"nsys": "2026.2"})
