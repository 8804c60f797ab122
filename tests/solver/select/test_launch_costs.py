"""Launch costs: small cases by hand, and on random studies what `solve` says is what the words of the method say, launch by launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings

from benchmarks.published_tables import GRAPH_US, LAUNCHES_US, chain_constants
from megasolve.contracts import Study
from megasolve.simulate import Ablation, Effects, Objective
from megasolve.solver import Explanation, explain, solve
from tests.support.judges.literal_launches import LiteralCandidate, LiteralStudy
from tests.support.judges.supported import supported
from tests.support.planning.answers import cause_codes, first, scores_ms
from tests.support.planning.launch_studies import ROLES, launch_studies
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, stepped, study

US = 10**6
Measure = Callable[[LiteralCandidate], int | Fraction]
TEN_FRAMES: Fields = {"delay": 0, "first_chunk": 10, "lookahead": 1}
DEVICE_US: Fields = {
    "stream": {"host_us": 5, "exposed_us": 0},
    "graph": {"host_us": 3, "exposed_us": 0, "gap_us": 2},
    "cooperative": {"host_us": 4, "exposed_us": 1},
}


def launched(kind: str, *, waits: bool = True, **figures: Any) -> Fields:
    return {"kind": kind, "host_waits": waits, **figures}


def kernels(group_name: str, *dispatches: Fields, **fields: Any) -> list[Fields]:
    """Return the contracts of a group's kernels, one for each of *dispatches*."""
    return [
        conventional(group_name, entry=f"{group_name}_{order}", implementation="i", order=order, dispatch=one, **fields)
        for order, one in enumerate(dispatches)
    ]


def chain(*contracts: Fields) -> Study:
    """Return a study of A, and of a step of B where a contract runs it; each contract takes 100 µs."""
    is_long = any("B" in one["members"] for one in contracts)
    groups = [group("A", "admission"), *([group("B", "producer")] if is_long else [])]
    publication = {"group": "B", "step": 1} if is_long else {"group": "A"}
    known = [record(one, member, 100) for one in contracts for member in one["members"]]
    return study(spec(groups, publication=publication), contracts, known, launch=DEVICE_US)


@pytest.mark.parametrize(
    ("held", "score_us"),
    [
        (None, 100 + 3 + 3 * 2),
        (["ramp"], 100 + 3 + 3 * 2),
        (["ramp", "gap"], 100 + 3),
        (["gap"], 100 + 3 + 3 * 1),
        ([], 100 + 3 + 3 * 2 + 3 * 1),
    ],
)
def test_a_record_says_whether_its_time_holds_ramps_and_gaps(held: list[str] | None, score_us: int) -> None:
    kernel = conventional("A", kernels=3, dispatch=launched("graph", ramp_us=1))
    told = record(kernel, "A", 100) | ({} if held is None else {"holds": held})
    asked = study(spec([group("A", "admission")], publication={"group": "A"}), [kernel], [told], launch=DEVICE_US)
    assert solve(asked).results[0].ranking[0].score_ps == score_us * US


def test_the_ramp_of_the_contract_stands_in_place_of_that_of_the_device() -> None:
    figures = {**DEVICE_US, "graph": {**DEVICE_US["graph"], "ramp_us": 5}}
    for own, ramp in (({}, 5), ({"ramp_us": 1}, 1)):
        kernel = conventional("A", kernels=3, dispatch=launched("graph") | own)
        told = record(kernel, "A", 100, holds=[])
        asked = study(spec([group("A", "admission")], publication={"group": "A"}), [kernel], [told], launch=figures)
        assert solve(asked).results[0].ranking[0].score_ps == (100 + 3 + 3 * 2 + 3 * ramp) * US


def scores_us(asked: Study) -> dict[str, Fraction]:
    return {row.id: Fraction(row.score_ps) / 10**6 for row in solve(asked).results[0].ranking}


def test_each_kernel_of_a_stream_costs_its_own_launch_and_not_the_dearest() -> None:
    cheap, dear = launched("stream", host_us=1, exposed_us=0), launched("stream", host_us=10, exposed_us=0)
    assert scores_us(chain(*kernels("A", cheap, dear))) == {"c:A@serial": 211}


def test_the_host_waits_before_a_kernel_of_a_stream_only_if_its_own_contract_says_so() -> None:
    assert scores_us(chain(*kernels("A", launched("stream"), launched("stream", waits=False)))) == {"c:A@serial": 205}


def test_two_groups_of_a_stream_cost_the_same_in_one_region_and_in_two() -> None:
    cheap, dear = launched("stream", host_us=1, exposed_us=0), launched("stream", host_us=10, exposed_us=0)
    asked = chain(*kernels("A", cheap), *kernels("B", dear))
    assert scores_us(asked) == {"c:A+B@serial": 211, "c:A/c:B@serial": 211}
    joined, cut = solve(asked).results[0].ranking
    assert (joined.same_as, cut.same_as) == (None, "c:A+B@serial")


def test_a_graph_in_one_region_costs_in_each_group_s_occurrence_what_that_group_s_launch_costs() -> None:
    cheap, dear = launched("graph", host_us=1), launched("graph", host_us=10)
    assert scores_us(chain(*kernels("A", dear), *kernels("B", cheap))) == {"c:A+B@serial": 215, "c:A/c:B@serial": 215}


def test_a_measured_gap_replaces_the_device_s_launch_of_its_kernel_also_beside_kernels_without_one() -> None:
    assert scores_us(chain(*kernels("A", launched("stream", gap_us=2), launched("stream")))) == {"c:A@serial": 207}


def test_conventional_kernels_of_kind_cooperative_are_a_launch_each() -> None:
    assert scores_us(chain(*kernels("A", launched("cooperative"), kernels=3))) == {"c:A@serial": 115}


def test_a_megakernel_that_a_graph_launches_has_its_gap() -> None:
    own = launched("graph", host_us=1, exposed_us=0, gap_us=7)
    assert scores_us(chain(megakernel("A", dispatch=own))) == {"m:A@serial": 108}
    assert scores_us(chain(megakernel("A", dispatch=launched("graph")))) == {"m:A@serial": 105}


def test_a_graph_of_unlike_kernels_is_one_launch_and_a_gap_of_each_kernel() -> None:
    dispatches = launched("graph", gap_us=7), launched("graph", host_us=10, waits=False), launched("graph", host_us=1, exposed_us=1)
    assert scores_us(chain(*kernels("A", *dispatches))) == {"c:A@serial": 10 + 7 + 2 + 2 + 300}


def test_kernels_of_different_kinds_are_in_no_region_together() -> None:
    mixed = chain(*kernels("A", launched("stream"), launched("stream")), *kernels("B", launched("cooperative")))
    assert scores_us(mixed) == {"c:A/c:B@serial": 315}
    (joined,) = (one for one in solve(mixed).results[0].excluded if one.id == "c:A+B@serial")
    assert [str(cause) for cause in joined.causes] == ["POL-04 c:A+B would launch 'A_0' and 1 more by stream, 'B_0' by cooperative"]


def test_the_critical_path_names_the_launches_and_gaps_of_a_region() -> None:
    asked = chain(*kernels("A", launched("stream", gap_us=2), launched("stream")))
    found = explain(asked, "c:A@serial")
    assert isinstance(found, Explanation)
    segments = {segment.label: Fraction(segment.elapsed_ps) / 10**6 for segment in found.segments}
    assert segments == {"dispatch of c:A": 5, "gaps of c:A": 2, "A": 200}


def literal(drawn: Study, measure: Measure, *, free: bool = False) -> dict[str, int | Fraction]:
    """Return the least score over all supported entries of each candidate."""
    asked = LiteralStudy(drawn, free=free)
    return {
        name: min(measure(LiteralCandidate(asked, name, entries)) for entries in variants)
        for name, variants in supported(drawn, 1).items()
        if variants
    }


def solved(drawn: Study, objective: Objective, ablation: Ablation = Ablation.FULL, effects: Effects | None = None) -> Mapping[str, object]:
    (result,) = solve(drawn, objective=objective, ablation=ablation, effects=effects).results
    return {row.id: row.score_ps for row in result.ranking}


@settings(max_examples=60)
@given(launch_studies())
def test_the_first_publication_comes_when_the_words_of_the_method_say_so(drawn: Study) -> None:
    assert solved(drawn, Objective.FIRST_PUBLICATION) == literal(drawn, lambda one: one.first_publication()[0])


@pytest.mark.parametrize("ablation", [Ablation.ADDITIVE, Ablation.NO_OVERLAP])
@settings(max_examples=15)
@given(launch_studies())
def test_the_ablations_add_up_every_launch_and_every_kernel(ablation: Ablation, drawn: Study) -> None:
    assert solved(drawn, Objective.FIRST_PUBLICATION, ablation) == literal(drawn, lambda one: one.first_publication()[1])


@settings(max_examples=15)
@given(launch_studies())
def test_without_dispatch_no_launch_and_no_gap_takes_time(drawn: Study) -> None:
    free = solved(drawn, Objective.FIRST_PUBLICATION, effects=Effects().without("dispatch"))
    assert free == literal(drawn, lambda one: one.first_publication()[0], free=True)


@settings(max_examples=15)
@given(launch_studies())
def test_a_steady_step_takes_what_the_words_of_the_method_say(drawn: Study) -> None:
    assume("producer" in {ROLES[one.name] for one in drawn.spec.value.groups})
    assert solved(drawn, Objective.PRODUCER_STEP) == literal(drawn, lambda one: one.cycle()[0])


@settings(max_examples=15)
@given(launch_studies())
def test_chunks_follow_each_other_as_the_words_of_the_method_say(drawn: Study) -> None:
    assume(drawn.spec.value.stream is not None)
    assert solved(drawn, Objective.CHUNK_INTERVAL) == literal(drawn, lambda one: one.cycle()[1])


def test_c42_a_chain_of_launches_and_a_graph_have_the_published_constants() -> None:
    for kernels, launches_us in LAUNCHES_US.items():
        assert launches_us == pytest.approx(6.4 * kernels, rel=0.17)
        assert GRAPH_US[kernels] == pytest.approx(15 + 0.58 * kernels, rel=0.065)
    assert chain_constants(GRAPH_US) == pytest.approx((15, 0.58), rel=0.02)


def chain_score_us(kernels: int, launch_us: float, gap_us: float) -> float:
    """Return the score of a region of *kernels* kernels that take no time to speak of."""
    dispatch = {"kind": "graph", "host_waits": True, "host_us": launch_us, "exposed_us": 0, "gap_us": gap_us}
    chain = conventional("D", kernels=kernels, dispatch=dispatch)
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    return float(solve(study(asked, [chain], [record(chain, "D", 0.000001)])).results[0].ranking[0].score_ps) / US


def launches_us(kernels: int) -> float:
    return chain_score_us(kernels, 0, 6.4)


def graph_launches_us(kernels: int) -> float:
    return chain_score_us(kernels, 15, 0.58)


def test_c42_from_three_kernels_on_the_graph_wins() -> None:
    assert launches_us(2) < graph_launches_us(2)
    assert launches_us(3) > graph_launches_us(3)


def test_c42_the_wrong_cost_per_kernel_overstates_a_saving_eleven_times() -> None:
    assert launches_us(500) == pytest.approx(3_200)
    assert graph_launches_us(500) == pytest.approx(305)
    ratio = 6.4 / 0.58
    assert ratio == pytest.approx(11, rel=0.01)


def host_bound(**fields: Any) -> Study:
    """5.7 ms of device time and 1.8 ms of host work per step, then a codec of 12 ms."""
    dispatch = {"kind": "cooperative", "host_waits": True, "host_us": 0, "exposed_us": 1800}
    stage = megakernel("B", budgets=(132, 88), dispatch=dispatch, **fields)
    return stepped(stage, megakernel("C", budgets=(132, 44), host_us=0), 5700, 12_000, TEN_FRAMES)


def test_c44_host_work_in_each_step_is_part_of_the_score() -> None:
    scores = scores_ms(first(host_bound(loops_on_device=False)))
    assert scores["m:B/m:C@dynamic:88/44"] == max(Fraction(87), Fraction("82.5"))
    assert scores["m:B/m:C@serial"] == 11 * Fraction("7.5") + 12


def test_c44_kernel_times_alone_would_be_21_percent_low() -> None:
    scored = scores_ms(first(host_bound(loops_on_device=False)))["m:B/m:C@dynamic:88/44"]
    assert round(float(1 - (10 * Fraction("5.7") + 12) / scored), 2) == 0.21


def test_c44_only_a_contract_that_loops_on_the_device_pays_the_host_once() -> None:
    scores = scores_ms(first(host_bound(loops_on_device=True)))
    assert scores["m:B/m:C@dynamic:88/44"] == Fraction("1.8") + 57 + 12
    assert cause_codes(first(host_bound(loops_on_device=False)), "m:B/m:C@fixed:88/44") == ["POL-03"]
