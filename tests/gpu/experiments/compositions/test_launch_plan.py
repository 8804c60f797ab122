"""Launch plans: the launches of a candidate, in order, and that they are those of the event graph that predicts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from megasolve.contracts import Study
from megasolve.gpu.errors import GpuError
from megasolve.gpu.experiments.compositions.launch_plan import BESIDE, launch_plan, run_calls, sides
from megasolve.gpu.experiments.compositions.prepared import host_waits
from megasolve.gpu.programs.group_calls import serial_calls
from megasolve.simulate import FREE, Capacity, Composition, Graphed, Persistent, Phase, RegionPlan, Schedule, Sharing, Work
from megasolve.simulate.predict.occurrences import publication_blocks
from megasolve.solver import Cover, covers
from tests.support.kernels.streamlet import shipped
from tests.support.planning.launches import conventional
from tests.support.planning.runnable import runnable

GROUPS = ("P", "B", "L", "C")


def launches(candidate: str, study: Study | None = None) -> list[str]:
    study = study or shipped()
    return [str(planned) for planned in launch_plan(study, runnable(study, candidate))]


def with_contract(study: Study, entry: str, **changes: object) -> Study:
    documents = [
        replace(document, value=document.value.model_copy(update=changes)) if document.value.entry == entry else document
        for document in study.contracts
    ]
    return replace(study, contracts=tuple(documents))


def test_a_megakernel_that_holds_all_producers_persists_over_the_steps() -> None:
    assert launches("m:P/m:B+L/m:C@serial") == ["m:P (P1) on 132 CTAs", "m:B+L (B1 to L5) on 132 CTAs", "m:C (C1) on 132 CTAs"]


def test_one_that_does_not_is_launched_again_each_step_and_the_prefill_rides_with_the_first() -> None:
    planned = launches("m:P+B/m:L+C@serial")
    assert planned[:2] == ["m:P+B (P1 to B1) on 132 CTAs", "m:L+C (L1) on 132 CTAs"]
    assert planned[-2:] == ["m:P+B (B5) on 132 CTAs", "m:L+C (L5 to C1) on 132 CTAs"]
    assert len(planned) == 10


def test_conventional_kernels_are_launched_for_each_occurrence() -> None:
    assert launches("c:P+B+L+C@serial")[:3] == ["c:P+B+L+C (P1)", "c:P+B+L+C (B1 to L1)", "c:P+B+L+C (B2 to L2)"]


@pytest.mark.parametrize(("kind", "waits"), [("graph", (True,)), ("stream", (False, True, False)), ("cooperative", (False, True, False))])
def test_the_host_waits_once_before_a_graph_and_otherwise_before_the_kernels_that_say_so(kind: str, waits: tuple[bool, ...]) -> None:
    kernels = [conventional(dispatch={"kind": kind, "host_waits": one}) for one in (False, True, False)]
    assert host_waits(kernels) == waits


def test_a_fixed_split_keeps_both_sides_from_the_start_of_production() -> None:
    study = shipped()
    plan = launch_plan(study, runnable(study, "m:P/m:B+L/m:C@fixed:88/44"))
    assert list(map(str, plan)) == ["m:P (P1) on 132 CTAs", "m:B+L (B1 to L5) on 88 CTAs", "m:C (C1) on 44 CTAs"]
    assert plan[1].streams == plan[2].streams
    assert sides(plan) == ((1,), (2,))
    assert plan[1].after == plan[2].after == (0,)


def test_an_admission_inside_the_producer_runs_on_the_ctas_of_the_producer() -> None:
    assert launches("m:P+B+L/m:C@fixed:88/44") == ["m:P+B+L (P1 to L5) on 88 CTAs", "m:C (C1) on 44 CTAs"]


def test_one_launch_with_two_pools_shares_its_admission() -> None:
    study = shipped()
    (planned,) = launch_plan(study, runnable(study, "m:P+B+L+C@fixed:88/44"))
    assert [len(calls) for calls in (planned.streams.common, planned.streams.x, planned.streams.y)] == [1, 10, 1]
    assert (planned.ctas, planned.x_ctas) == (132, 88)


def test_a_dynamic_split_begins_when_the_chunk_is_ready() -> None:
    study = shipped()
    plan = launch_plan(study, runnable(study, "m:P+B+L/m:C@dynamic:88/44"))
    assert list(map(str, plan)) == ["m:P+B+L (P1 to L3) on 132 CTAs", "m:P+B+L (B4 to L5) on 88 CTAs", "m:C (C1) on 44 CTAs"]
    assert [planned.after for planned in plan] == [(), (0,), (0,)]
    assert sides(plan) == ((1,), (2,))


def test_where_step_h_is_step_r_nothing_runs_beside_the_chunk() -> None:
    study = shipped()
    spec = study.spec.value
    assert spec.stream is not None
    stream = spec.stream.model_copy(update={"lookahead": 0})
    study = replace(study, spec=replace(study.spec, value=spec.model_copy(update={"stream": stream})))
    plan = launch_plan(study, runnable(study, "m:P/m:B+L/m:C@dynamic:88/44"))
    assert [str(planned) for planned in plan][1:] == ["m:B+L (B1 to L3) on 132 CTAs", "m:C (C1) on 44 CTAs"]
    assert sides(plan) == ((), ())


def test_a_producer_that_does_not_loop_is_launched_for_each_step_and_the_consumer_behind_its_first_beside() -> None:
    study = with_contract(shipped(), "B_L", loops_on_device=False)
    plan = launch_plan(study, runnable(study, "m:P/m:B+L/m:C@dynamic:88/44"))
    assert [planned.calls[-1].group + str(planned.calls[-1].number) for planned in plan] == ["P1", "L1", "L2", "L3", "L4", "C1", "L5"]
    assert [planned.lane == BESIDE for planned in plan] == [False] * 5 + [True, False]
    assert plan[5].after == (3,)
    assert plan[6].after == (4,)


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        ("m:P/m:B+L/m:C@fixed:87/44", "87 CTAs is no budget of entry 'B_L'; it runs with 132, 88, 80, 52, 44"),
        ("m:P/m:B/m:L/m:C@fixed:88/44", "a split needs all producers in one megakernel region"),
        ("m:P/m:B+L/c:C@dynamic:88/44", "a split needs all producers in one megakernel region and all consumers in one"),
        ("m:P/m:B+L+C@dynamic:88/44", "a dynamic split needs two such launches"),
        ("m:P/m:B+L@serial", "no region runs group 'C'"),
        ("c:P/c:B/c:L/m:C@streams", "on two streams no region has producers and consumers, and X or Y is of a side that is one megakernel"),
    ],
)
def test_what_is_no_candidate_is_refused_in_one_line(candidate: str, message: str) -> None:
    with pytest.raises(GpuError, match=message):
        launches(candidate)


def beside(candidate: str, study: Study | None = None) -> list[tuple[str, bool, tuple[int, ...], bool]]:
    """Return of each launch from step r on what it is, whether it is on the second stream, what it waits for, and whether it is load."""
    study = study or shipped()
    plan = launch_plan(study, runnable(study, candidate))
    return [(str(one), one.lane == BESIDE, one.after, one.is_load) for one in plan[7:]]


def test_on_two_streams_the_chunk_waits_for_step_r_and_the_producers_go_on_for_another_chunk() -> None:
    assert beside("c:P/c:B/c:L/c:C@streams") == [
        ("c:B (B4)", False, (6,), False),
        ("c:L (L4)", False, (7,), False),
        ("c:C (C1)", True, (6,), False),
        ("c:B (B5)", False, (8,), False),
        ("c:L (L5)", False, (10,), False),
        ("c:B (B6)", False, (11,), True),
        ("c:L (L6)", False, (12,), True),
        ("c:B (B7)", False, (13,), True),
        ("c:L (L7)", False, (14,), True),
    ]


def test_a_chunk_that_waits_for_the_stream_is_issued_behind_the_step_after_and_waits_for_the_whole_next_one() -> None:
    planned = beside("c:P/c:B/c:L/c:C@streams:stream")
    assert [name for name, *_ in planned[:5]] == ["c:B (B4)", "c:L (L4)", "c:B (B5)", "c:L (L5)", "c:C (C1)"]
    assert planned[4] == ("c:C (C1)", True, (8,), False)


def test_one_launch_of_a_side_has_the_budget_of_the_policy_and_stays_over_its_steps() -> None:
    plan = launch_plan(shipped(), runnable(shipped(), "m:P/m:B+L/c:C@streams:88/c"))
    assert list(map(str, plan)) == [
        "m:P (P1) on 132 CTAs",
        "m:B+L (B1 to L3) on 132 CTAs",
        "m:B+L (B4 to L5) on 88 CTAs",
        "c:C (C1)",
        "m:B+L (B6 to L7) on 88 CTAs",
    ]
    assert [one.is_load for one in plan] == [False] * 4 + [True]
    assert sides(plan) == ((2, 4), (3,))
    (*_, chunk) = launch_plan(shipped(), runnable(shipped(), "c:P/c:B/c:L/m:C@streams:c/44"))[:10]
    assert (str(chunk), chunk.lane) == ("m:C (C1) on 44 CTAs", BESIDE)


def test_the_calls_of_a_run_are_those_up_to_the_publication_and_what_the_producers_go_on_with() -> None:
    serial = run_calls(shipped(), runnable(shipped(), "c:P/c:B/c:L/c:C@serial"))
    on_streams = run_calls(shipped(), runnable(shipped(), "c:P/c:B/c:L/c:C@streams"))
    assert on_streams[: len(serial)] == serial == serial_calls(shipped().spec.value)
    assert list(map(str, on_streams[len(serial) :])) == ["B6", "L6", "B7", "L7"]


def test_consumers_with_a_thread_of_their_own_are_refused_in_one_line() -> None:
    study = shipped()
    spec = study.spec.value.model_copy(update={"hosts": {"main": ("P", "B", "L"), "vocoder": ("C",)}})
    study = replace(study, spec=replace(study.spec, value=spec))
    with pytest.raises(GpuError, match="have one thread of the host, and spec 'streamlet' gives the consumers one of their own"):
        launches("c:P/c:B/c:L/c:C@streams", study)


def test_a_candidate_on_partitions_is_refused_in_one_line() -> None:
    with pytest.raises(GpuError, match="cannot partition the SMs of a device yet"):
        launches("c:P/c:B/c:L/c:C@partition:88/44")


def test_an_entry_without_a_contract_is_refused() -> None:
    known = runnable(shipped(), "m:P/m:B+L/m:C@serial")
    with pytest.raises(GpuError, match="spec 'streamlet' has no contract of 'absent'"):
        launch_plan(shipped(), replace(known, entries=(("absent",), *known.entries[1:])))


def predicted(cover: Cover) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the region and the groups of each launch of the event graph of *cover* in serial order."""
    regions = tuple(RegionPlan(str(one), one.groups, Persistent(FREE) if one.is_megakernel else Graphed()) for one in cover.regions)
    works = {(group, Phase.WHOLE): Work(group, 1, ()) for group in GROUPS}
    composition = Composition(regions, ("P",), ("B", "L"), ("C",), Schedule(3, 5), Sharing.SERIAL, works, Capacity(132, 132, 132), 1)
    for block in publication_blocks(composition):
        for run in block.each_run():
            yield run.region.name, tuple(work.group for section in run.sections for work in section.each())


@pytest.mark.parametrize("cover", list(covers(GROUPS)), ids=str)
def test_the_launches_are_those_of_the_event_graph(cover: Cover) -> None:
    study = shipped()
    planned = [(str(one.region), tuple(call.group for call in one.calls)) for one in launch_plan(study, runnable(study, f"{cover}@serial"))]
    assert planned == list(predicted(cover))
