"""Forecasts of today: in a space that is too large to rank, candidates that no search was asked for are scored by themselves."""

from __future__ import annotations

from random import Random

import pytest

from megasolve.contracts import Place
from megasolve.contracts.runs.timed_run import TimedRun, TimedRuns
from megasolve.contracts.runs.unusable import UnusableRuns
from megasolve.solver import evaluate, explain, solve
from megasolve.solver.explain.explanation import Explanation
from tests.support.planning.chains import chain_study


def test_candidates_behind_the_best_of_a_search_are_scored_by_themselves_and_unknown_ones_refused() -> None:
    study = chain_study(Random(1), 8, 1)
    (result,) = solve(study).results
    assert result.searched is not None
    groups = [group.name for group in study.spec.value.groups]
    ids = (result.ranking[0].id, f"{'/'.join(f'c:{name}' for name in groups)}@serial", f"m:{'+'.join(groups)}@serial")
    runs = tuple(TimedRun(name, result.batch, "1", "1", (2 + place) * 10**10, Place("runs.csv", 2)) for place, name in enumerate(ids))
    for cases in evaluate(study, TimedRuns(runs)).cases.values():
        (case,) = cases
        assert [one.contender.id for one in case.pool] == list(ids)
        assert all(one.predicted_ps is not None for one in case.pool)
    (case,) = evaluate(study, TimedRuns(runs)).cases["full"]
    explained = [explain(study, name) for name in ids]
    assert [one.row.score_ps for one in explained if isinstance(one, Explanation)] == [one.predicted_ps for one in case.pool]
    with pytest.raises(UnusableRuns, match="no candidate 'c:nope@serial'"):
        evaluate(study, TimedRuns((TimedRun("c:nope@serial", result.batch, "1", "1", 1, Place("runs.csv", 2)),)))
