"""Large spaces: their best designs are those of the whole ranking, the counts add up, and a search that is stopped says what is left."""

from __future__ import annotations

from random import Random

import pytest

from megasolve.contracts import Study
from megasolve.solver import BatchResult, Effort, Explanation, SpaceTooLarge, UnknownCandidate, explain, size_of, solve
from tests.support.planning.chains import chain_study


@pytest.fixture(scope="module")
def chain() -> Study:
    return chain_study(Random(1), 7, 2, pairs=True)


@pytest.fixture(scope="module")
def searched(chain: Study) -> BatchResult:
    return solve(chain).results[0]


def test_a_space_with_too_many_variants_is_searched_and_on_demand_ranked_whole(chain: Study, searched: BatchResult) -> None:
    assert not size_of(chain).is_small
    whole = solve(chain, effort=Effort(whole=True)).results[0]
    first = [row for row in whole.ranking if row.same_as is None][:10]
    assert searched.searched is not None
    assert whole.searched is None
    assert [(row.id, row.score_ps, row.entries) for row in searched.ranking] == [(row.id, row.score_ps, row.entries) for row in first]
    assert (searched.candidates, searched.variants) == (whole.candidates, whole.variants)
    assert searched.best == tuple(row.id for row in first if row.score_ps == first[0].score_ps)


def test_what_is_simulated_left_out_and_excluded_are_all_candidates(searched: BatchResult) -> None:
    known = searched.searched
    assert known is not None
    assert known.is_proven
    assert known.gap == 0
    assert known.simulated + known.bounded + known.excluded == searched.candidates
    assert not searched.excluded


def test_a_search_that_is_stopped_is_not_proven_and_says_how_much_is_left(chain: Study) -> None:
    asked = iter([False] * 8)
    stopped = solve(chain, effort=Effort(is_stopped=lambda: next(asked, True))).results[0].searched
    assert stopped is not None
    assert not stopped.is_proven
    assert stopped.gap is None or 0 <= stopped.gap < 1


def test_no_list_of_covers_stands_beside_the_model(chain: Study, searched: BatchResult, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(*_: object) -> None:
        raise AssertionError("somebody lists the covers")

    monkeypatch.setattr("megasolve.simulate.plan.covers._Growing.grown", listed)
    assert [row.id for row in solve(chain).results[0].ranking] == [row.id for row in searched.ranking]
    assert isinstance(explain(chain, searched.ranking[0].id), Explanation)


def test_the_number_of_designs_is_as_asked(chain: Study, searched: BatchResult) -> None:
    three = solve(chain, effort=Effort(top=3)).results[0]
    assert [row.id for row in three.ranking] == [row.id for row in searched.ranking[:3]]


def test_a_candidate_of_a_space_that_nobody_lists_is_explained(chain: Study, searched: BatchResult) -> None:
    second = searched.ranking[1]
    found = explain(chain, second.id)
    assert isinstance(found, Explanation)
    assert (found.place, found.row.score_ps) == (1 + (second.score_ps > searched.ranking[0].score_ps), second.score_ps)
    assert isinstance(explain(chain, "m:G0@serial"), UnknownCandidate)


def test_a_space_that_is_far_too_large_is_not_ranked_whole() -> None:
    with pytest.raises(SpaceTooLarge, match="without --all the best designs are searched"):
        solve(chain_study(Random(1), 14, 1), effort=Effort(whole=True))
