"""Two streams by hand: when they win, what they need, what they say of themselves; cases from the field. Times in us."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.simulate.plan.candidate import candidates
from megasolve.simulate.plan.counting import count_candidates
from megasolve.simulate.plan.region_graph import region_graph
from megasolve.solver import BatchResult, Explanation, explain
from megasolve.solver.select.told.notes import BEST_CASE
from tests.support.planning.answers import first, score_us
from tests.support.planning.studies import GRAPH, Fields, conventional, group, megakernel, record, spec, study

US = 10**6
WIDE, NARROW = 132, 44
RUNS_AHEAD: Fields = {**GRAPH, "host_waits": False}
PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}
STREAM: Fields = {"first_chunk": 2, "lookahead": 2, "next_chunk": 2}
UNITS: Fields = {"unit_sms": 8, "minimum_sms": 8, "sizes_sms": (88,)}
ALL: Fields = {
    "policies": ["serial", "dynamic", "partition", "streams"],
    "budget_pairs": [PAIR],
    "partition_pairs": [{"producer_sms": 88, "consumer_sms": "rest"}],
}


def kernel(name: str, ctas: int | None, count: int = 10, **fields: Any) -> Fields:
    """Return the contract of *count* kernels of *ctas* CTAs."""
    width = {} if ctas is None else {"grid_ctas": ctas}
    return conventional(name, **{"kernels": count, "dispatch": RUNS_AHEAD, **width, **fields})


def kernels(ctas: int, *, part_step_us: int = 110, part_chunk_us: int = 320) -> tuple[list[Fields], list[Fields]]:
    """A prefill of 1,000 us, steps of 100 us and a chunk of 300 us, in ten kernels each, which are slower on 88 and 44 SMs."""
    contracts = [kernel(name, ctas) for name in "PBC"]
    prefill, step, chunk = contracts
    known = [record(prefill, "P", 1000), record(step, "B", 100), record(chunk, "C", 300)]
    return contracts, [*known, record(step, "B", part_step_us, 88), record(chunk, "C", part_chunk_us, 44)]


def planned(contracts: list[Fields], known: list[Fields], **fields: Any) -> Study:
    """A study of these contracts under all policies, unless *fields* say otherwise."""
    groups = fields.pop("groups", [group("P", "admission"), group("B", "producer"), group("C", "consumer")])
    return study(spec(groups, **{**ALL, "stream": STREAM, **fields}), contracts, known, partition=UNITS)


def test_two_streams_beat_serial_order_where_kernels_are_narrow() -> None:
    found = first(planned(*kernels(NARROW)))
    assert score_us(found, "c:P/c:B/c:C@serial") == 1000 + 4 * 100 + 300
    assert score_us(found, "c:P/c:B/c:C@streams") == 1000 + 2 * 100 + max(2 * 100, 300)
    assert score_us(found, "c:P/c:B/c:C@partition:88/44") == 1000 + 2 * 110 + max(2 * 110, 320)
    assert found.best[-1] == "c:P/c:B/c:C@streams"


def test_a_partition_beats_both_where_kernels_are_wide() -> None:
    found = first(planned(*kernels(WIDE)))
    # All alternates: nothing is won, and the steps that are awaited end where they end in serial order.
    assert score_us(found, "c:P/c:B/c:C@streams") == score_us(found, "c:P/c:B/c:C@serial") == 1700
    assert score_us(found, "c:P/c:B/c:C@partition:88/44") == 1540
    assert found.best[-1] == "c:P/c:B/c:C@partition:88/44"


def test_a_split_of_megakernels_beats_all_where_they_are_faster() -> None:
    contracts, known = kernels(WIDE)
    for one, times in (
        (megakernel("B", budgets=(132, 88), host_us=0), (80, 85)),
        (megakernel("C", budgets=(132, 44), host_us=0), (200, 250)),
    ):
        contracts.append(one)
        known += [record(one, one["members"][0], ps, ctas) for ps, ctas in zip(times, one["budgets_ctas"], strict=True)]
    found = first(planned(contracts, known))
    assert found.best == ("c:P/m:B/m:C@dynamic:88/44",)
    assert score_us(found, found.best[0]) == 1000 + 2 * 80 + max(2 * 85, 250)
    # A producer's megakernel on 88 SMs leaves 44 to kernels of 132 blocks, three waves each; the first one starts before it, on all SMs.
    assert score_us(found, "c:P/m:B/c:C@streams:88/c") == 1000 + 2 * 80 + 30 + 9 * (3 * 30)
    (row,) = (row for row in found.ranking if row.id == "c:P/m:B/m:C@dynamic:88/44")
    assert any("with the producers going on until publication, as on partitions and streams" in note for note in row.notes)


def test_the_policy_is_off_unless_it_is_listed_and_says_that_it_is_a_best_case() -> None:
    contracts, known = kernels(NARROW)
    off = first(planned(contracts, known, policies=["serial", "fixed", "dynamic"], partition_pairs=[]))
    assert not any("streams" in row.id for row in off.ranking)
    found = first(planned(contracts, known))
    assert [BEST_CASE in row.notes for row in found.ranking] == ["streams" in row.id for row in found.ranking]


def test_ids_say_what_one_launch_holds_and_what_the_chunk_waits_for() -> None:
    contracts, known = kernels(NARROW)
    asked = planned(contracts, known, policies=["streams"], partition_pairs=[], streams={"waits_for": ["step", "stream"]}).spec.value
    found = {str(one).split("@")[1]: one for one in candidates(asked) if {*"PBC"} == {*str(one.cover)} & {*"PBC"}}
    assert list(found) == ["streams", "streams:stream", "streams:c/44", "streams:c/44:stream", "streams:88/c"]
    assert count_candidates(region_graph(asked), asked) == len([*candidates(asked)])


def test_kernels_of_unknown_number_and_width_are_excluded_by_name() -> None:
    contracts, known = kernels(NARROW)
    del contracts[2]["kernels"], contracts[2]["grid_ctas"]
    (causes,) = [one.causes for one in first(planned(contracts, known)).excluded if one.id == "c:P/c:B/c:C@streams"]
    assert [(cause.rule.code, "'C_graph' states neither kernels nor grid_ctas" in cause.because) for cause in causes] == [("POL-06", True)]


def test_records_without_bytes_are_refused_as_for_splits() -> None:
    contracts, known = kernels(NARROW)
    del known[1]["hbm_bytes"]
    (causes,) = [one.causes for one in first(planned(contracts, known)).excluded if one.id == "c:P/c:B/c:C@streams"]
    assert [cause.rule.code for cause in causes] == ["EVI-02"]


def test_a_producer_that_holds_every_sm_for_good_leaves_no_room() -> None:
    contracts, known = kernels(NARROW)
    contracts.append(megakernel("B", budgets=(132,), host_us=0))
    known.append(record(contracts[-1], "B", 80))
    pairs = [{"producer_ctas": 132, "consumer_ctas": 44}]
    found = first(planned(contracts, known, budget_pairs=pairs))
    (causes,) = [one.causes for one in found.excluded if one.id == "c:P/m:B/c:C@streams:132/c"]
    assert "132 CTAs of 'B' hold all 132 SMs and leave none for the other stream" in [cause.because for cause in causes]


def duplex(objective: Objective) -> BatchResult:
    """C88: a talker megakernel needs a prefill of its own; the codec runs on a side stream under the next step. Times as published."""
    contracts = [
        kernel("P", WIDE, 1),
        kernel("P", WIDE, 1, entry="P_for_mega", implementation="mega"),
        kernel("T", NARROW, 100),
        kernel("R", NARROW, 100),
        kernel("C", NARROW, 50),
        megakernel("T", budgets=(64,), host_us=0, loops_on_device=False),
    ]
    times = (3920, 8700, 5880, 8620, 5000, 3000)
    known = [record(one, one["members"][0], ps, one.get("budgets_ctas", (132,))[0]) for one, ps in zip(contracts, times, strict=True)]
    roles = [group("P", "admission"), group("T", "producer"), group("R", "producer"), group("C", "consumer")]
    pairs: Fields = {"requires": [{"entry": "T", "needs": "P_for_mega"}, {"entry": "T_graph", "needs": "P_graph"}]}
    asked = {"policies": ["streams"], "partition_pairs": [], "constraints": pairs, "stream": {"first_chunk": 1, "next_chunk": 1}}
    return first(planned(contracts, known, groups=roles, **asked), objective=objective)


@pytest.mark.parametrize(
    ("objective", "kernels_us", "megakernel_us"),
    [(Objective.FIRST_PUBLICATION, 23_420, 25_320), (Objective.CHUNK_INTERVAL, 14_500, 11_620)],
)
def test_c88_the_winner_flips_with_the_objective(objective: Objective, kernels_us: int, megakernel_us: int) -> None:
    found = duplex(objective)
    assert score_us(found, "c:P/c:T/c:R/c:C@streams") == kernels_us
    assert score_us(found, "c:P/m:T/c:R/c:C@streams") == megakernel_us
    assert ("m:T" in found.best[0]) == (objective is Objective.CHUNK_INTERVAL)


def test_an_explanation_of_two_streams_sums_to_the_score_and_says_what_to_measure() -> None:
    found = explain(planned(*kernels(WIDE)), "c:P/c:B/c:C@streams", batch=1)
    assert isinstance(found, Explanation)
    assert sum(segment.elapsed_ps for segment in found.segments) == 1700 * US
    assert BEST_CASE in found.row.notes


def eager_vocoder(chunk_launches: int, **fields: Any) -> BatchResult:
    """Steps of 5 launches, and a vocoder of so many, of 400 us of the host each; a chunk of two frames plays 160 ms."""
    eager = {"kind": "stream", "host_waits": False, "host_us": 400, "exposed_us": 0}
    contracts = [kernel("P", NARROW, 1), kernel("B", NARROW, 5, dispatch=eager), kernel("C", NARROW, chunk_launches, dispatch=eager)]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    stream = {**STREAM, "frame_us": 80_000}
    return first(planned(contracts, known, policies=["streams"], partition_pairs=[], stream=stream, **fields))


def test_a_thread_that_issues_longer_than_its_chunk_plays_saturates() -> None:
    hosts = {"main": ["P", "B"], "vocoder": ["C"]}
    found = eager_vocoder(1000, hosts=hosts)
    (note,) = (one for one in found.notes if "saturates" in one)
    assert note == (
        "PLN-03 host thread 'vocoder' saturates: it takes 400 ms to issue the launches of a chunk of c:P/c:B/c:C@streams that plays 160 "
        "ms; 3 threads would do, if they can share its launches evenly"
    )
    assert not any("saturates" in one for one in eager_vocoder(400, hosts=hosts).notes)
    # 160 ms for the vocoder are just enough for a thread of its own; one thread has the steps to issue, too.
    assert any("the host thread saturates: it takes 164 ms" in one for one in eager_vocoder(400).notes)


def test_a_chunk_on_a_thread_of_its_own_begins_before_the_launches_of_the_next_step_are_issued() -> None:
    hosts: Fields = {"hosts": {"main": ["P", "B"], "vocoder": ["C"]}}
    one, two = (score_us(eager_vocoder(1, **fields), "c:P/c:B/c:C@streams") for fields in ({}, hosts))
    # Each of 5 launches a step is 400 us of the host, and the last kernel 200 us of the device. On one thread the chunk's launch stands
    # behind step 3, and step 4 behind it.
    assert (one, two) == (4 * 5 * 400 + 400 + 200, 4 * 5 * 400 + 200)
