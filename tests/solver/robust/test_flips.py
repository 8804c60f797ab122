"""Flips beside streams, where scores are simulated: those of simulating every design at every value, without doing it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from megasolve.contracts import Study, load_spec
from megasolve.simulate import Composition, Objective
from megasolve.simulate.predict.scoring import value_ps
from megasolve.simulate.predict.worlds import behind
from megasolve.solver.robust import moves
from megasolve.solver.robust.designs import Designs
from megasolve.solver.robust.flips import Flip, Flipping
from megasolve.solver.robust.moves import Move
from tests.solver.robust.test_robustness import functions
from tests.support.command import CHECKOUT
from tests.support.judges.literal_flips import LiteralFlip, literal_flips
from tests.support.planning.random_studies import studies

FEW, MS = 8, 10**9


def moved(designs: Designs, number: int) -> Move:
    """Return the move of one time, not so far that literal simulations take minutes."""
    ps = designs.times[number].ps
    return Move((number,), (ps,), max(ps // 20, 1), ps * 10)


def told(flip: Flip | None) -> LiteralFlip:
    """Return what the literal way says of a flip."""
    return None if flip is None else (flip.value, frozenset(flip.after))


@settings(max_examples=5, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(studies(is_beside=True))
def test_flips_beside_streams_are_those_of_simulating_every_design_at_every_value(study: Study) -> None:
    designs = functions(study)
    flipping = Flipping(designs)
    dear = sorted({time for one in designs.designs if one.is_dear for time in one.times})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moves, "GRID", FEW)
        for number in dear[:2]:
            below, above = flipping.flips(moved(designs, number))
            assert (told(below), told(above)) == literal_flips(designs, moved(designs, number))


@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(studies(is_beside=True))
def test_what_a_design_scores_now_is_what_its_ranking_says(study: Study) -> None:
    designs = functions(study)
    assert [one.now_ps for one in designs.designs] == [value_ps(one.composition, Objective.FIRST_PUBLICATION) for one in designs.designs]


def test_a_time_that_only_what_comes_before_step_r_rests_on_is_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated: list[object] = []
    real = behind._simulated

    def counted(composition: Composition, *asked: Any) -> Any:
        simulated.append(composition)
        return real(composition, *asked)

    monkeypatch.setattr(behind, "_simulated", counted)
    designs = functions(load_spec(CHECKOUT / "specs/field_vocoder.yaml"))
    on_streams = next(one for one in designs.designs if str(one.candidate).endswith("@streams"))
    prefill = next(number for number, one in enumerate(designs.times) if one.key.group == "P")
    values = [designs.value(on_streams, {prefill: ps}) for ps in range(40 * MS, 50 * MS, MS)]
    assert values == [27_200 * 10**6 + ps for ps in range(40 * MS, 50 * MS, MS)]
    assert len(simulated) == 1
