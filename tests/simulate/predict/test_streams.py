"""Two streams by hand and against the words of the method: kernels that alternate or overlap, hosts, and what goes on behind step h."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from megasolve.simulate import (
    Ablation,
    Capacity,
    Composition,
    Deadlock,
    Detail,
    Objective,
    Phase,
    RegionPlan,
    Schedule,
    Score,
    SecondStream,
    Service,
    Sharing,
    Work,
    critical_path,
    design_key,
    lower,
    score,
)
from megasolve.simulate.predict.bound import longest_path_ps
from tests.support.judges import literal_streams
from tests.support.simulation.compositions import composition, compositions, graphed, megakernel, streamed
from tests.support.simulation.vocoder import MS, NARROW, WIDE, kernels, vocoder


def scored(
    asked: Composition,
    objective: Objective = Objective.FIRST_PUBLICATION,
    *,
    detail: Detail = Detail.COMPACT,
    ablation: Ablation = Ablation.FULL,
) -> Score:
    found = score(asked, objective, detail=detail, ablation=ablation)
    assert not isinstance(found, Deadlock)
    return found


def literal(asked: Composition) -> Fraction:
    """Let the producers go on for ever more steps, until these end behind the publication or with the utterance."""
    steps, length = 1, asked.schedule.length_steps
    while True:
        published, loaded = literal_streams.first_publication(asked, steps)
        if loaded >= published or (length is not None and asked.schedule.horizon_step + steps >= length):
            return published
        steps *= 2


@settings(max_examples=25, deadline=None)
@given(compositions(sharing=Sharing.STREAMS))
def test_two_streams_are_the_launches_that_the_method_writes_down(asked: Composition) -> None:
    for detail in Detail:
        assert scored(asked, detail=detail).value_ps == literal(asked)


@pytest.mark.parametrize("objective", [Objective.PRODUCER_STEP, Objective.CHUNK_INTERVAL])
@settings(max_examples=15, deadline=None)
@given(compositions(sharing=Sharing.STREAMS))
def test_a_cycle_begins_with_both_sides_and_a_host_far_ahead(objective: Objective, asked: Composition) -> None:
    steps = asked.schedule.cycle_steps
    made, chunk = literal_streams.cycle(asked, steps)
    expected = made / steps if objective is Objective.PRODUCER_STEP else max(made, chunk)
    assert scored(asked, objective).value_ps == expected


@settings(max_examples=20, deadline=None)
@given(compositions(sharing=Sharing.STREAMS))
def test_no_score_is_below_its_longest_path_and_its_critical_path_sums_to_it(asked: Composition) -> None:
    found = scored(asked)
    assert found.value_ps >= longest_path_ps(lower(asked))
    assert sum(segment.elapsed_ps for segment in critical_path(found)) == found.value_ps


def test_c89_narrow_kernels_beside_the_next_step_cost_it_nothing() -> None:
    assert scored(vocoder(NARROW, NARROW)).value_ps == 31_700 * 10**6


def test_c89_wide_kernels_alternate_with_those_of_the_next_step() -> None:
    # 31.7 ms, and 12 ms / 240 for each kernel of the step that comes between: 32, or one less where the vocoder starts first.
    producers_first = vocoder(WIDE, WIDE, SecondStream(producers_first=True))
    assert scored(producers_first).value_ps == 31_700 * 10**6 + 12 * MS * 32 // 240
    assert scored(vocoder(WIDE, WIDE)).value_ps == 31_700 * 10**6 + 12 * MS * 31 // 240


def test_c89_a_vocoder_that_waits_for_the_stream_waits_for_the_whole_next_step() -> None:
    waits = SecondStream(waits_for_stream=True)
    assert scored(vocoder(NARROW, NARROW, waits)).value_ps == 43_700 * 10**6
    assert scored(vocoder(WIDE, WIDE, waits, length=3)).value_ps == 43_700 * 10**6
    # Behind the last step of the utterance nothing is left to wait for.
    assert scored(vocoder(WIDE, WIDE, waits, length=2)).value_ps == 31_700 * 10**6


def test_c89_serial_execution_stops_the_producers_for_the_chunk() -> None:
    asked = replace(vocoder(WIDE, WIDE), sharing=Sharing.SERIAL)
    assert scored(asked).value_ps == 31_700 * 10**6


def test_the_producers_go_on_to_the_end_of_the_utterance_and_gate_nothing() -> None:
    ends = {length: scored(vocoder(WIDE, WIDE, length=length)).value_ps for length in (2, 3, 4, None)}
    assert ends == {2: 31_700 * 10**6, 3: 33_250 * 10**6, 4: 33_250 * 10**6, None: 33_250 * 10**6}


def test_a_kernel_that_waits_for_another_stream_has_its_kernels_on_the_critical_path() -> None:
    found = critical_path(scored(vocoder(WIDE, WIDE)))
    spent = {label: sum(one.elapsed_ps for one in found if one.label == label) for label in ("P", "T", "C")}
    assert spent == {"P": 4500 * 10**6, "T": 24 * MS + 12 * MS * 31 // 240, "C": 3200 * 10**6}


def prefill_beside_decode(sharing: Sharing, chunk_ctas: int = WIDE) -> Composition:
    """A prefill chunk of 30 ms in 30 kernels beside decode steps of 5 ms in 50 narrow kernels."""
    works = {**kernels("D", 5 * MS, 50, NARROW), **kernels("F", 30 * MS, 30, chunk_ctas)}
    asked = composition((graphed("D"), graphed("F")), "- D F", Schedule(1, 1, None, 1), sharing, works, capacity=Capacity(132, 132, 132))
    return replace(asked, works=works)


def test_a_prefill_chunk_beside_decode_steps_says_what_each_side_pays() -> None:
    serial = scored(prefill_beside_decode(Sharing.SERIAL), Objective.CHUNK_INTERVAL).value_ps
    assert serial == (5 + 30) * MS
    narrow = prefill_beside_decode(Sharing.STREAMS, 88)
    assert [scored(narrow, objective).value_ps for objective in (Objective.PRODUCER_STEP, Objective.CHUNK_INTERVAL)] == [5 * MS, 30 * MS]
    # Wide ones take turns, by pairs: a whole kernel of the prefill, then one on the 88 SMs that a decode kernel leaves, whose last 44 CTAs
    # start when that ends, beside the next decode kernel: 15 times 2.1 ms, and the 20 decode kernels that are left.
    wide = prefill_beside_decode(Sharing.STREAMS)
    assert scored(wide, Objective.CHUNK_INTERVAL).value_ps == 15 * 2100 * 10**6 + 20 * 100 * 10**6


def two_steps(regions: tuple[RegionPlan, ...], second: SecondStream, *, host_ps: int) -> Composition:
    """Steps of 2 kernels and a chunk of 1, all narrow, each 10 ps; a launch takes *host_ps* of the host."""
    works = {**kernels("B", 20, 2, NARROW, host_ps=host_ps), **kernels("C", 10, 1, NARROW, host_ps=host_ps)}
    asked = composition(regions, "- B C", Schedule(1, 1, None, 1), Sharing.STREAMS, works, capacity=Capacity(132, 132, 132))
    return replace(asked, second_stream=second)


def test_launches_of_a_second_thread_do_not_wait_for_the_first() -> None:
    regions = (streamed("B"), streamed("C"))
    # One thread issues the next step, two launches, before the chunk; another one issued the chunk long ago.
    one = scored(two_steps(regions, SecondStream(), host_ps=30)).value_ps
    two = scored(two_steps(regions, SecondStream(own_host=True), host_ps=30)).value_ps
    assert (one, two) == (5 * 30 + 10, 2 * 30 + 10 + 10)


def test_a_cycle_is_as_long_as_the_longest_thread_of_the_host() -> None:
    regions = (streamed("B"), streamed("C"))
    one, two = (
        scored(two_steps(regions, SecondStream(own_host=own), host_ps=30), Objective.CHUNK_INTERVAL).value_ps for own in (False, True)
    )
    assert (one, two) == (3 * 30, 2 * 30)
    assert scored(two_steps(regions, SecondStream(), host_ps=5), Objective.CHUNK_INTERVAL).value_ps == 20


def test_a_megakernel_beside_kernels_holds_what_it_holds() -> None:
    """The producer holds 88 of 132 SMs from step r on; a chunk of 132 CTAs takes three waves on the 44 that are left."""
    made = {("B", Phase.WHOLE): Work("B", 1, (Service("B", 10, 0),)), ("B", Phase.STREAM): Work("B", 1, (Service("B", 15, 0),))}
    regions = (replace(megakernel("B"), sms=88), graphed("C"))
    works = {**made, **kernels("C", 10, 1, WIDE)}
    asked = composition(regions, "- B C", Schedule(1, 2, None, 1), Sharing.STREAMS, works, capacity=Capacity(132, 88, 132))
    found = scored(replace(asked, second_stream=SecondStream(producers_first=True)))
    assert found.value_ps == 10 + 3 * 10
    assert found.outcome is not None
    assert [one.sms for one in found.outcome.waves] == [44, 44, 44]


def test_long_after_the_first_chunk_nobody_can_tell_what_it_waited_for() -> None:
    one, other = vocoder(WIDE, WIDE), vocoder(WIDE, WIDE, SecondStream(waits_for_stream=True))
    assert design_key(one, Objective.FIRST_PUBLICATION) != design_key(other, Objective.FIRST_PUBLICATION)
    assert design_key(one, Objective.CHUNK_INTERVAL) == design_key(other, Objective.CHUNK_INTERVAL)


def test_the_ablation_without_overlap_is_the_sum() -> None:
    asked = vocoder(WIDE, WIDE)
    assert scored(asked, ablation=Ablation.NO_OVERLAP).value_ps == scored(asked, ablation=Ablation.ADDITIVE).value_ps == 31_700 * 10**6
