"""Several objectives, limits on times and Pareto fronts: a search proves what ranking the whole space shows, to the picosecond."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Objective
from megasolve.solver import BatchResult, Effort, ImpossibleObjective, Judge, Question, Ranked, size_of, solve
from megasolve.solver.goals.constraint import Constraint, Limit
from megasolve.solver.goals.stated import stated_constraints
from megasolve.solver.optimize.conflicts import searched_conflict
from megasolve.solver.optimize.hits import Found
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.optimize.solving import searched
from megasolve.solver.optimize.studies.batches import ranked
from megasolve.solver.select.goals.pareto import pareto_front
from megasolve.solver.select.selection import rank
from tests.support.planning.chains import chain_study
from tests.support.planning.goals import random_constraints, with_constraints
from tests.support.planning.launch_studies import chain_of_launches, graph_study
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

FIRST, INTERVAL = Objective.FIRST_PUBLICATION, Objective.CHUNK_INTERVAL
TOP = 4


class Asked:
    """A random study with objectives in a random order, constraints and limits."""

    def __init__(self, seed: int, made: Study) -> None:
        random = Random(seed)
        said = random_constraints(random, made) if random.random() < 0.4 else {}
        self.study = with_constraints(made, said)
        known = [objective for objective in Objective if self.has(objective)]
        random.shuffle(known)
        self.objectives = tuple(known[: random.randint(1, 3)])
        self.constraints: list[Constraint] = list(stated_constraints(self.study))
        for objective in random.sample(known, random.randint(0, len(known))):
            self.constraints += self.limits(random, objective)

    def has(self, objective: Objective) -> bool:
        """Whether the spec has this time."""
        try:
            Question(self.study.spec.value, 1, objective)
        except ImpossibleObjective:
            return False
        return True

    def limits(self, random: Random, objective: Objective) -> list[Limit]:
        """Return a limit at the time of some plan, or one picosecond below it."""
        free = Judge(self.study, Question(self.study.spec.value, 1, objective), constraints=())
        times = [int(row.score_ps) for row in rank(free).ranking]
        return [Limit(objective.value, objective, random.choice(times) - random.randint(0, 1))] if times else []

    def judge(self) -> Judge:
        """Return a new judge of the first objective."""
        return Judge(self.study, Question(self.study.spec.value, 1, self.objectives[0]), constraints=self.constraints)


def designs(whole: BatchResult) -> list[list[Ranked]]:
    """Return the rows of each design, best designs first."""
    first = {row.id: row.same_as or row.id for row in whole.ranking}
    rows = sorted(whole.ranking, key=lambda row: [one.id for one in whole.ranking].index(first[row.id]))
    return [list(same) for _, same in groupby(rows, key=lambda row: first[row.id])]


def assert_same(asked: Asked) -> None:
    whole = rank(asked.judge(), Ablation.FULL, asked.objectives)
    found: Found = Hunt(asked.judge(), TOP, objectives=asked.objectives, is_front=True).run()
    rows = designs(whole)
    assert found.is_proven
    assert [hit.order for hit in found.hits] == [same[0].order for same in rows][:TOP]
    assert [point.times for point in found.front] == [point.times for point in pareto_front(whole.ranking)]
    assert all(hit.times.keys() == dict(row[0].times).keys() for hit, row in zip(found.hits, rows, strict=False))
    tied = [same for same in rows if same[0].order == rows[0][0].order]
    counts = len(tied), sum(map(len, tied))
    assert (found.ties.designs, found.ties.candidates) == counts or (found.ties.at_least and found.ties.designs <= counts[0])
    if not rows:
        assert searched_conflict(asked.judge(), Ablation.FULL, asked.objectives) == whole.conflict


@settings(max_examples=13)
@given(st.integers(0, 2**32 - 1))
def test_in_a_chain_designs_in_order_their_ties_and_their_front_are_those_of_every_plan(seed: int) -> None:
    assert_same(Asked(seed, chain_of_launches(Random(seed))))


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_in_any_graph_designs_in_order_and_their_front_are_those_of_every_plan(seed: int) -> None:
    assert_same(Asked(seed, graph_study(Random(seed))))


@pytest.fixture(scope="module")
def chain() -> Study:
    return chain_study(Random(1), 5, 2, pairs=True, next_chunk=2)


def both(asked: Study, constraints: Sequence[Constraint] = (), pareto: Sequence[Objective] = ()) -> tuple[BatchResult, BatchResult]:
    """Return what a search says of a chain, and what ranking all of it does."""

    def judge() -> Judge:
        return Judge(asked, Question(asked.spec.value, 1, FIRST), constraints=constraints)

    times, size = (FIRST, INTERVAL), size_of(asked)
    found = searched(judge(), Ablation.FULL, size, Effort(), asked=times, pareto=pareto)
    return found, ranked(judge(), Ablation.FULL, times, pareto)


def test_with_a_limit_and_two_objectives_a_search_counts_what_it_looked_at(chain: Study) -> None:
    free = solve(chain, objective=INTERVAL).results[0].ranking
    limit = Limit("limit", INTERVAL, int(free[len(free) // 3].score_ps))
    found, whole = both(chain, [limit])
    known = found.searched
    assert known is not None
    assert [(row.order, row.times) for row in found.ranking] == [(same[0].order, same[0].times) for same in designs(whole)][:10]
    assert known.simulated + known.bounded + known.excluded == found.candidates
    over = [row.id for row in whole.excluded if "REQ-10" in _codes(row)]
    limited = [one for one in known.excluded_by if one.so_far]
    assert all(one.rule.code == "REQ-10" and one.candidates <= len(over) and one.example in over for one in limited)


def test_the_front_of_a_search_is_that_of_all_plans_by_name(chain: Study) -> None:
    found, whole = both(chain, pareto=[FIRST, INTERVAL])
    assert [(point.id, point.entries, point.times) for point in found.pareto] == [
        (point.id, point.entries, point.times) for point in whole.pareto
    ]
    assert all(point.is_least and point.same <= other.same for point, other in zip(found.pareto, whole.pareto, strict=True))


def test_a_front_that_was_not_finished_is_not_proven() -> None:
    asked = iter([False] * 10)
    large = chain_study(Random(1), 8, 1, next_chunk=2)
    stopped = solve(large, pareto=[FIRST, INTERVAL], effort=Effort(is_stopped=lambda: next(asked, True))).results[0]
    assert stopped.searched is not None
    assert not stopped.searched.is_proven
    assert stopped.pareto


def _codes(row: object) -> set[str]:
    return {cause.rule.code for cause in getattr(row, "causes", ())}


def test_a_talker_that_starts_later_and_goes_on_faster_is_on_the_front_with_the_one_that_does_not() -> None:
    free: Fields = {"kind": "cooperative", "host_waits": True, "host_us": 0, "exposed_us": 0}
    stages = [group("P", "admission"), group("T", "producer"), group("C", "consumer")]
    talker = megakernel("P", "T", dispatch=free)
    kernels = [conventional(name, dispatch=free) for name in "PTC"]
    known = [record(one, one["members"][0], us) for one, us in zip(kernels, (8_900, 13_000, 1_500), strict=True)]
    known += [record(talker, "P", 13_700), record(talker, "T", 10_100)]
    stream = {"delay": 0, "first_chunk": 1, "next_chunk": 1}
    asked = study(spec(stages, stream=stream, policies=["serial"]), [talker, *kernels], known)
    judge = Judge(asked, Question(asked.spec.value, 1, FIRST))
    front = Hunt(judge, objectives=[FIRST, INTERVAL], is_front=True).run().front
    points = [(point.id, *(ps // 10**8 for ps in point.times)) for point in front]
    assert points == [("c:P+T+C@serial", 234, 145), ("m:P+T/c:C@serial", 253, 116)]
