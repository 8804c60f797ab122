"""Each rule carries weight in a search: taken out of it, one at a time, its best designs are no longer those of the whole ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cause import Cause
from megasolve.simulate.plan.cover import Region
from megasolve.simulate.plan.policy import Policy, policies
from megasolve.simulate.plan.region_graph import RegionGraph
from megasolve.solver import EXCLUSION_RULES, Judge, Question, SolverFault
from megasolve.solver.goals.constraint import Constraint
from megasolve.solver.optimize import hunt
from megasolve.solver.optimize.bounding import Bounding
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.optimize.requirements import require
from megasolve.solver.optimize.space.arcs import Space
from megasolve.solver.select.selection import rank
from tests.support.planning.studies import GRAPH, SHAPE, Fields, conventional, group, megakernel, record, spec, study

Patch = pytest.MonkeyPatch
STAGES = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]
STREAMED: Fields = {"delay": 0, "first_chunk": 1, "lookahead": 1}
STREAM: Fields = {"kind": "stream", "host_waits": False, "host_us": 4, "exposed_us": 0}
THIN: Fields = {**SHAPE, "registers": 128, "shared_bytes": 110_000, "ctas_per_sm": 2}
UNITS: Fields = {"partition": {"unit_sms": 8, "minimum_sms": 8, "sizes_sms": (48, 80, 88)}}
GREEN: Fields = {"mechanism": "green_context"}
# The first three are taken out as what makes a plan. Without kernels nothing runs, limits of time rank the whole space, and whether a plan
# deadlocks is simulated. What two streams must know of kernels is held beside the search for them, in test_streams.py.
OF_NO_CHOICE = {"MEM-01", "MEM-03", "MEM-04", "MEM-02", "REQ-10", "SIM-01", "POL-06"}


def judge_of(asked: Study) -> Judge:
    return Judge(asked, Question(planned_spec(asked), 1, Objective.FIRST_PUBLICATION))


def wanted(asked: Study) -> tuple[list[object], int]:
    """Return the scores of all designs, and how many are the best, by ranking the whole space."""
    designs = [row for row in rank(judge_of(asked)).ranking if row.same_as is None]
    return [row.score_ps for row in designs], sum(row.score_ps == designs[0].score_ps for row in designs)


def found(asked: Study) -> tuple[list[object], int]:
    """Return the same by a search."""
    answer = Hunt(judge_of(asked), top=100).run()
    return [hit.score_ps for hit in answer.hits], answer.ties.designs


def is_told_apart(asked: Study, take: Callable[[Patch], None], patch: Patch) -> bool:
    """Whether the whole search answers as the ranking does, and one without what is taken answers something else, or nothing."""
    expected = wanted(asked)
    assert found(asked) == expected
    take(patch)
    try:
        return found(asked) != expected
    except (SolverFault, ValueError):
        return True


def without(code: str) -> Callable[[Patch], None]:
    """Return what takes one rule out of choices, of pairs of them, and of what is asked of all of them."""
    alone, together = Judge.causes_alone, Judge.causes_together

    def others(causes: Iterable[Cause]) -> tuple[Cause, ...]:
        return tuple(one for one in causes if one.rule.code != code)

    def some(model: Bounding, constraints: Iterable[Constraint]) -> None:
        require(model, [one for one in constraints if one.rule.code != code])

    def take(patch: Patch) -> None:
        patch.setattr(Judge, "causes_alone", lambda judge, choice, policy: others(alone(judge, choice, policy)))
        patch.setattr(Judge, "causes_together", lambda judge, variant, policy: others(together(judge, variant, policy)))
        patch.setattr(hunt, "require", some)

    return take


def lone(*entries: Fields, is_recorded: bool = True, **figures: Any) -> Study:
    """Return a group D with a slow graph and these faster *entries*."""
    graph = conventional("D")
    known = [record(one, "D", 5, ctas) for one in entries for ctas in one.get("budgets_ctas", [132]) if is_recorded]
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    return study(asked, [graph, *entries], [record(graph, "D", 90), *known], **figures)


def fused(figures: Fields | None = None, **fields: Any) -> Study:
    """Return D as a graph, or in a faster megakernel with these *fields*, on a device with these *figures*."""
    return lone(megakernel("D", loops_on_device=True, host_us=1, **fields), **(figures or {}))


def split(
    *entries: Fields, pair: tuple[int, int | str] = (88, 44), asks: Fields | None = None, has_bytes: bool = True, **figures: Any
) -> Study:
    """Return a producer and a consumer in megakernels, each entry faster than the ones before it and recorded at 44 CTAs, too."""
    known = [
        record(one, member, 9 - place, ctas, hbm_bytes=0 if has_bytes or ctas != 44 else None)
        for place, one in enumerate(entries)
        for member in one["members"]
        for ctas in {*one["budgets_ctas"], 44}
    ]
    pairs = [{"producer_ctas": pair[0], "consumer_ctas": pair[1]}]
    return study(spec(STAGES[1:], stream=STREAMED, budget_pairs=pairs, **(asks or {})), entries, known, **figures)


def maker(*budgets: int, **fields: Any) -> Fields:
    return megakernel("B", budgets=(132, *(budgets or (88,))), **fields)


def taker(*budgets: int, **fields: Any) -> Fields:
    return megakernel("C", budgets=(132, *(budgets or (44,))), **fields)


def layered() -> Study:
    """Return a step in which A repeats, and a launch of all of it that does not loop over the repeats."""
    entries = [megakernel("E", "A", host_us=1), conventional("E"), conventional("A")]
    known = [record(one, name, 5, 132) for one in entries for name in one["members"]]
    groups, repeat = [group("E", "producer"), group("A", "producer")], {"name": "layer", "times": 3, "groups": ["A"]}
    return study(spec(groups, publication={"group": "A", "step": 1}, repeat=repeat), entries, known)


def mixed() -> Study:
    ways = {"one": GRAPH, "other": STREAM}
    return lone(*(conventional("D", entry=name, order=place, implementation="two", dispatch=ways[name]) for place, name in enumerate(ways)))


def bound(**constraints: Any) -> Study:
    """Return P and B in megakernels, of one or both of them, or conventional like C, under *constraints*."""
    figures: Fields = {"host_us": 1, "workspace_bytes": 100}
    megakernels = [megakernel(*members, **figures) for members in ("P", "B", "PB")]
    entries = [*megakernels, *(conventional(name) for name in "PBC")]
    known = [record(one, member, 10 + place) for place, one in enumerate(entries) for member in one["members"]]
    return study(spec(STAGES, stream=STREAMED, policies=["serial"], constraints=constraints), entries, known)


OF_CHOICES: dict[str, Callable[[], Study]] = {
    "POL-01": lambda: fused(policies=["fixed"]),
    "POL-02": lambda: split(maker(), taker(32)),
    "POL-03": lambda: split(maker(loops_on_device=False), taker()),
    "POL-04": mixed,
    "POL-05": layered,
    "LIM-09": lambda: fused(launch={**SHAPE, "threads": 512}),
    "LIM-10": lambda: fused(launch={**SHAPE, "shared_bytes": 240_000}),
    "LIM-12": lambda: fused(budgets=(140,)),
    "SYN-02": lambda: fused(launch={**SHAPE, "cooperative": False}, grid_ctas=20_480, synchronization={"kind": "counters"}),
    "PAR-01": lambda: fused(budgets=(88,), partition=GREEN),
    "PAR-02": lambda: fused(UNITS, budgets=(90,), partition=GREEN),
    "PAR-07": lambda: fused(budgets=(88,), partition={"mechanism": "mps", "percentage": 50}),
    "EVI-01": lambda: fused({"is_recorded": False}),
    "EVI-02": lambda: split(maker(), taker(), has_bytes=False),
    "EVI-03": lambda: lone(conventional("D", entry="gone", implementation="gone", dispatch={**STREAM, "gap_us": -5})),
}
OF_PAIRS: dict[str, Callable[[], Study]] = {
    "PAR-04": lambda: split(maker(partition={**GREEN, "same_split": True}), taker(partition=GREEN), **UNITS),
    "CTA-03": lambda: split(maker(100), taker(), pair=(100, 44)),
    "CTA-04": lambda: split(
        maker(), taker(), taker(44, 88, entry="thin", launch=THIN, placement={"packed": "invented"}), pair=(88, "rest")
    ),
}
OF_PLANS: dict[str, Fields] = {
    "REQ-01": {"megakernels": {"at_most": 1}},
    "REQ-02": {"new_megakernels": {"at_most": 1}},
    "REQ-03": {"conventional": ["P"]},
    "REQ-04": {"entries": {"P": "P"}},
    "REQ-05": {"together": [["P", "B"]]},
    "REQ-06": {"apart": [["P", "B"]]},
    "REQ-07": {"requires": [{"entry": "P", "needs": "B"}]},
    "REQ-08": {"excludes": [["P", "B"]]},
    "REQ-09": {"workspace_bytes": 100},
}
STUDIES = OF_CHOICES | OF_PAIRS | {code: (lambda said=said: bound(**said)) for code, said in OF_PLANS.items()}


def in_graph(edges: Sequence[str], roles: Fields, *megakernels: str) -> Study:
    """Return groups with *roles* and *edges* between them, each conventional, and these entries of several of them."""
    entries = [*(megakernel(*names, host_us=1) for names in megakernels), *map(conventional, roles)]
    known = [record(one, member, 5) for one in entries for member in one["members"]]
    asked = spec(
        [group(name, role) for name, role in roles.items()],
        edges=[{"from": edge[0], "to": edge[1]} for edge in edges],
        publication={"group": [*roles][-1], "step": 1},
        policies=["serial"],
    )
    return study(asked, entries, known)


def every_policy(patch: Patch) -> None:
    declared = {"policies": ("serial", "fixed", "dynamic")}
    patch.setattr(hunt, "policies", lambda asked: policies(asked.model_copy(update=declared)))


def every_set(patch: Patch) -> None:
    def sets(graph: RegionGraph) -> list[tuple[str, ...]]:
        return [some for count in range(1, len(graph.groups) + 1) for some in combinations(graph.groups, count)]

    patch.setattr(RegionGraph, "regions", property(sets))


def any_order(patch: Patch) -> None:
    patch.setattr(Bounding, "_acyclic", lambda _model: None)
    patch.setattr(Space, "ordered", lambda _space, arcs: tuple(sorted(arcs, key=lambda arc: arc.first)))


def any_entry(patch: Patch) -> None:
    choices = Judge.choices

    def wider(judge: Judge, region: Region) -> tuple[Choice, ...]:
        entries = [one for one in judge.study.contracts if one.value.backend == "megakernel" and {*region.groups} < {*one.value.members}]
        return choices(judge, region) + tuple(Choice(region, (one,)) for one in entries if region.is_megakernel)

    patch.setattr(Judge, "choices", wider)


STRUCTURE: dict[str, tuple[Callable[[], Study], Callable[[Patch], None]]] = {
    "each group at most once": (
        # Where it matters how kernels are cut, P+B and B+C hold B twice.
        lambda: bound(apart=[["P", "C"]]),
        lambda patch: patch.setattr(CpModel, "add_exactly_one", CpModel.add_at_least_one),
    ),
    "each group at least once": (
        lambda: bound(megakernels={"at_most": 3}),
        lambda patch: patch.setattr(CpModel, "add_exactly_one", CpModel.add_at_most_one),
    ),
    "an entry has exactly the groups of its region": (lambda: in_graph([], {"P": "admission", "B": "producer"}, "PB"), any_entry),
    "a region is connected": (lambda: in_graph(["AC", "BD"], dict.fromkeys("ABCD", "producer"), "AB"), every_set),
    "no regions wait for each other": (
        lambda: in_graph(["WY", "WZ", "XY", "XZ"], dict.fromkeys("WXYZ", "producer"), "WZ", "XY"),
        any_order,
    ),
    "a policy is declared": (lambda: split(maker(), taker(), asks={"policies": ["serial"]}), every_policy),
    "a dynamic split has two launches": (
        lambda: split(maker(), taker(), megakernel("B", "C", budgets=(132, 88, 44), loops_on_device=True), asks={"policies": ["dynamic"]}),
        lambda patch: patch.setattr(Policy, "may_have", lambda _policy, _region, _spec: True),
    ),
}


@pytest.mark.parametrize("code", STUDIES)
def test_without_a_rule_a_search_answers_something_else(code: str, monkeypatch: Patch) -> None:
    assert is_told_apart(STUDIES[code](), without(code), monkeypatch)


@pytest.mark.parametrize("what", STRUCTURE)
def test_without_what_makes_a_plan_a_search_answers_something_else(what: str, monkeypatch: Patch) -> None:
    asked, take = STRUCTURE[what]
    assert is_told_apart(asked(), take, monkeypatch)


def test_every_rule_that_keeps_choices_out_is_taken_out() -> None:
    assert {rule.code for rule in EXCLUSION_RULES} - {*STUDIES} == OF_NO_CHOICE
