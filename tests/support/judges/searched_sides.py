"""What holds of every search over designs with two sides beside each other, held against ranking the whole space."""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Objective
from megasolve.solver import Judge, Question, Ranked
from megasolve.solver.optimize.counting import counted
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.optimize.space.spaces import space_of
from megasolve.solver.optimize.ways.fixed import best_variant
from megasolve.solver.optimize.ways.words import first_words
from megasolve.solver.select.selection import rank


def judge_of(asked: Study, objective: Objective = Objective.FIRST_PUBLICATION) -> Judge:
    """Return the judge of *asked* at batch 1."""
    return Judge(asked, Question(asked.spec.value, 1, objective))


def assert_best_designs_are_found(asked: Study, objective: Objective) -> None:
    """Assert that a search proves the four best scores of the whole ranking."""
    whole = rank(judge_of(asked, objective))
    found = Hunt(judge_of(asked, objective), top=4).run()
    assert found.is_proven
    assert [hit.score_ps for hit in found.hits] == [row.score_ps for row in whole.ranking if row.same_as is None][:4]


def assert_candidates_are_counted(asked: Study, objective: Objective = Objective.FIRST_PUBLICATION) -> None:
    """Assert that counting without a list gives as many candidates, and as many that can be planned, as listing them."""
    whole, counts = rank(judge_of(asked, objective)), counted(judge_of(asked, objective))
    assert (counts.candidates, counts.feasible) == (whole.candidates, len(whole.ranking))


def assert_ablations_are_searched(asked: Study) -> None:
    """Assert that a search by an ablation finds its best score."""
    for ablation in (Ablation.ADDITIVE, Ablation.NO_OVERLAP):
        whole = rank(judge_of(asked), ablation)
        found = Hunt(judge_of(asked), top=1, ablation=ablation).run()
        assert [hit.score_ps for hit in found.hits] == [row.score_ps for row in whole.ranking[:1]]


def assert_words_are_bounds(judge: Judge, rows: Sequence[Ranked]) -> None:
    """Assert that the space of each of *rows* gives it its score, and that none of its words is longer."""
    spaces = {row.candidate.policy: space_of(judge, row.candidate.policy) for row in rows}
    for row in rows:
        space = spaces[row.candidate.policy]
        way = [next(arc for arc in space.arcs if arc.choices == (choice,)) for choice in row.tied[0]]
        assert space.score(way) == row.score_ps
        lengths = [word.along(way, space.repeats) for word in first_words(space)]
        assert max(length for length in lengths if length is not None) <= row.score_ps * space.clocks[0].divisor


def assert_best_entries_are_chosen(judge: Judge, rows: Sequence[Ranked]) -> None:
    """Assert that choosing the entries of one candidate alone gives those of its row."""
    for row in rows:
        assert best_variant(judge, row.candidate) == row.tied[0]
