"""Batches of one study side by side: a task for each, which goes to another process and back, and the same result."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import Any

import pytest

from megasolve.contracts import load_spec
from megasolve.report import solve_json
from megasolve.simulate import Objective
from megasolve.solver import Derivation, Effort, solve
from megasolve.solver.evidence.derivation import Stage
from megasolve.solver.optimize.solving import SearchTask
from megasolve.solver.optimize.studies.batches import RankingTask
from megasolve.solver.pool.executor import Lost
from tests.support.command import CHECKOUT
from tests.support.planning.chains import chain_study

SEARCHED = chain_study(Random(1), 7, 2, pairs=True, batches=(1, 2))


class Elsewhere:
    """Does tasks as another process would: what goes there and comes back is copied. It begins with the last."""

    def __init__(self) -> None:
        self.tasks: list[object] = []

    def run(
        self,
        work: Callable[[Any], Any],
        tasks: Sequence[Any],
        finished: Callable[[int, Any], None],
        kinds: Callable[[Any], Hashable] = type,
        prepare: Callable[[float], None] | None = None,
        *,
        lost: Lost | None = None,
    ) -> None:
        del kinds, prepare, lost
        self.tasks += tasks
        for number in reversed(range(len(tasks))):
            task = pickle.loads(pickle.dumps(tasks[number]))
            finished(number, pickle.loads(pickle.dumps(work(task))))

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "asked",
    [{}, {"ablation": "additive"}, {"pareto": [Objective.FIRST_PUBLICATION, Objective.PRODUCER_STEP]}, {"batches": [64, 1]}],
    ids=["full", "additive", "pareto", "some"],
)
def test_the_result_is_the_same_whoever_ranks_the_batches(asked: dict[str, Any]) -> None:
    study, executor, stages = load_spec(CHECKOUT / "specs/nh_tts.yaml"), Elsewhere(), list[Stage]()
    beside = solve(study, derivation=Derivation(pool=executor, watch=stages.append), **asked)
    assert solve_json(beside) == solve_json(solve(study, **asked))
    tasks = [one.batch for one in executor.tasks if isinstance(one, RankingTask)]
    assert tasks == [one.batch for one in beside.results]
    assert [(one.done, one.of) for one in stages if one.what == "plans"] == [(done, len(tasks)) for done in range(len(tasks) + 1)]


@pytest.mark.parametrize("asked", [{}, {"objective": ["first_publication", "producer_step"]}], ids=["one time", "two times"])
def test_the_result_is_the_same_whoever_searches_the_batches(asked: dict[str, Any]) -> None:
    # Three designs of each batch: a search all the same, of a space that is too large to rank.
    study, executor, effort = SEARCHED, Elsewhere(), Effort(top=3)
    beside = solve(study, derivation=Derivation(pool=executor), effort=effort, **asked)
    assert all(one.searched is not None and one.searched.is_proven for one in beside.results)
    assert solve_json(beside) == solve_json(solve(study, effort=effort, **asked))
    assert [one.batch for one in executor.tasks if isinstance(one, SearchTask)] == [1, 2]


@pytest.mark.parametrize(
    "effort", [Effort(top=1, is_stopped=lambda: False), Effort(top=1, watch=lambda _state: None)], ids=["stopped", "watched"]
)
def test_a_search_that_somebody_may_end_or_watches_stays_here(effort: Effort) -> None:
    executor = Elsewhere()
    solve(SEARCHED, derivation=Derivation(pool=executor), effort=effort)
    assert not [one for one in executor.tasks if isinstance(one, SearchTask)]


def test_one_batch_is_ranked_here() -> None:
    executor = Elsewhere()
    solve(load_spec(CHECKOUT / "specs/nh_tts.yaml"), batches=[32], derivation=Derivation(pool=executor))
    assert not [one for one in executor.tasks if isinstance(one, RankingTask)]
