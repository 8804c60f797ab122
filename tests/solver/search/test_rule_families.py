"""Each family of rules excludes by itself, in the model as in the predicates, and names its rule and its fact."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import BatchResult, Judge, Question, solve
from megasolve.solver.select.fitting import fitting
from tests.support.planning.studies import GRAPH, SHAPE, Fields, conventional, group, megakernel, record, spec, study

STAGES = [group("B", "producer"), group("C", "consumer")]
PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}
UNITS: Fields = {"partition": {"unit_sms": 8, "minimum_sms": 8, "sizes_sms": (48, 80, 88)}}
SPLIT = "m:B/m:C@dynamic:88/44"


def planned(asked: Study) -> BatchResult:
    """Solve, in which model and predicates must agree on every candidate."""
    return solve(asked).results[0]


def codes(asked: Study, name: str) -> list[str]:
    found = [row for row in planned(asked).excluded if row.id == name]
    return [cause.rule.code for row in found for cause in row.causes]


def decode(entry: Fields, **figures: Any) -> Study:
    known = [record(entry, "D", 5, ctas) for ctas in entry["budgets_ctas"]]
    return study(spec([group("D", "producer")], publication={"group": "D", "step": 1}), [entry], known, **figures)


def looping(**fields: Any) -> Fields:
    return megakernel("D", loops_on_device=True, **fields)


def test_an_entry_that_breaks_no_rule_is_ranked() -> None:
    assert [row.id for row in planned(decode(looping())).ranking] == ["m:D@serial"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"policies": ["fixed"]}, "POL-01"),
        ({"launch": {**SHAPE, "threads": 512}}, "LIM-09"),
        ({"launch": {**SHAPE, "shared_bytes": 240_000}}, "LIM-10"),
        ({"budgets": (140,)}, "LIM-12"),
        ({"launch": {**SHAPE, "cooperative": False}, "grid_ctas": 20_480, "synchronization": {"kind": "counters"}}, "SYN-02"),
    ],
)
def test_an_entry_that_breaks_one_rule_is_excluded_by_it(fields: Fields, code: str) -> None:
    assert code in codes(decode(looping(**fields)), "m:D@serial")


def partitioned(mechanism: str = "green_context", **fields: Any) -> Fields:
    return {"partition": {"mechanism": mechanism, **fields}}


def test_a_partition_on_a_device_without_partition_rules_is_excluded() -> None:
    assert codes(decode(looping(budgets=(88,), **partitioned())), "m:D@serial") == ["PAR-01"]


def test_a_partition_of_a_size_that_the_device_cannot_give_is_excluded() -> None:
    assert codes(decode(looping(budgets=(90,), **partitioned()), **UNITS), "m:D@serial") == ["PAR-02"]


@pytest.mark.parametrize("budget", [88, 132])
def test_a_partition_that_the_device_gives_is_ranked(budget: int) -> None:
    assert planned(decode(looping(budgets=(budget,), **partitioned()), **UNITS)).best == ("m:D@serial",)


def test_an_mps_limit_too_small_for_the_budget_is_excluded() -> None:
    assert codes(decode(looping(budgets=(88,), **partitioned("mps", percentage=50))), "m:D@serial") == ["PAR-07"]


def pipeline(stage: Fields, codec: Fields, **figures: Any) -> Study:
    known = [record(one, name, 5, ctas) for one, name in ((stage, "B"), (codec, "C")) for ctas in one["budgets_ctas"]]
    asked = spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=[PAIR])
    return study(asked, [stage, codec], known, **figures)


def test_two_partitions_that_are_made_separately_are_no_split() -> None:
    stage = megakernel("B", budgets=(132, 88), **partitioned(same_split=True))
    codec = megakernel("C", budgets=(132, 44), **partitioned())
    assert codes(pipeline(stage, codec, **UNITS), SPLIT) == ["PAR-04"]


def test_two_partitions_from_one_split_are_ranked() -> None:
    sides = [megakernel(name, budgets=(132, ctas), **partitioned(same_split=True)) for name, ctas in (("B", 88), ("C", 44))]
    assert codes(pipeline(*sides, **UNITS), SPLIT) == []


def test_a_split_that_exceeds_the_device_is_excluded_in_ctas_per_sm() -> None:
    thin = {**SHAPE, "registers": 128, "shared_bytes": 110_000}
    assert codes(pipeline(megakernel("B", budgets=(132, 88)), megakernel("C", budgets=(132, 44))), SPLIT) == []
    wide = spec(STAGES, stream={"first_chunk": 1}, budget_pairs=[{"producer_ctas": 176, "consumer_ctas": 44}])
    packed: Fields = {"placement": {"packed": "two roles of one cluster share an SM"}}
    cases: list[tuple[int, Fields, list[str]]] = [(1, {}, ["LIM-12", "CTA-03"]), (2, {}, ["CTA-03"]), (2, packed, [])]
    for per_sm, placement, expected in cases:
        stage = megakernel("B", budgets=(176, 132), launch={**thin, "ctas_per_sm": per_sm}, **placement)
        codec = megakernel("C", budgets=(132, 44))
        known = [record(one, name, 5, ctas) for one, name in ((stage, "B"), (codec, "C")) for ctas in one["budgets_ctas"]]
        assert codes(study(wide, [stage, codec], known), "m:B/m:C@fixed:176/44") == expected


def test_an_entry_that_deadlocks_beside_every_other_is_left_out_by_that_cause() -> None:
    thin = {**SHAPE, "registers": 128, "shared_bytes": 110_000, "ctas_per_sm": 2}
    placement: Fields = {"placement": {"packed": "two roles of one cluster share an SM"}}
    loose = megakernel("B", entry="loose", budgets=(264, 176), launch=thin)
    packed = megakernel("B", entry="packed", budgets=(264, 176), launch=thin, **placement)
    codec = megakernel("C", budgets=(132, 44))
    known = [record(one, name, 5, ctas) for one, name in ((loose, "B"), (packed, "B"), (codec, "C")) for ctas in one["budgets_ctas"]]
    pair = [{"producer_ctas": 176, "consumer_ctas": 44}]
    asked = study(spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=pair), [loose, packed, codec], known)
    (row,) = (row for row in planned(asked).ranking if row.id == "m:B/m:C@dynamic:176/44")
    assert row.entries == ("packed", "C")
    judge = Judge(asked, Question(asked.spec.value, 1, Objective.FIRST_PUBLICATION))
    found = {one.entries: [cause.rule.code for cause in one.causes] for one in fitting(judge, row)}
    assert found == {"packed": [], "loose": ["CTA-03"], "C": []}


def test_a_producer_that_does_not_loop_cannot_stay_resident() -> None:
    stage, codec = megakernel("B", budgets=(132, 88), loops_on_device=False), megakernel("C", budgets=(132, 44))
    assert codes(pipeline(stage, codec), "m:B/m:C@fixed:88/44") == ["POL-03"]
    assert codes(pipeline(stage, codec), SPLIT) == []


def test_the_kernels_of_one_region_are_launched_in_one_way() -> None:
    stream = {"kind": "stream", "host_waits": False, "host_us": 4, "exposed_us": 0}
    stage, codec = conventional("B", dispatch=stream), conventional("C", dispatch=dict(GRAPH))
    known = [record(stage, "B", 5), record(codec, "C", 5)]
    asked = study(spec(STAGES, stream={"first_chunk": 1}), [stage, codec], known)
    assert codes(asked, "c:B+C@serial") == ["POL-04"]
    assert [row.id for row in planned(asked).ranking] == ["c:B/c:C@serial"]
