"""What two streams run behind step r takes as long whatever came before, and is simulated no further than asked."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.simulate import Deadlock, Sharing
from megasolve.simulate.predict.scoring import value_ps
from megasolve.simulate.predict.worlds.behind import KnownBehind
from tests.simulate.predict.worlds.test_scores import other_times
from tests.support.simulation.compositions import compositions


@settings(max_examples=30)
@given(st.data())
def test_what_is_known_of_other_worlds_changes_no_score(data: st.DataObject) -> None:
    drawn = data.draw(compositions(sharing=Sharing.STREAMS))
    worlds, _ = other_times(drawn, Random(data.draw(st.integers(0, 2**32))))
    known = KnownBehind()
    assert [value_ps(one, known=known) for one in worlds] == [value_ps(one) for one in worlds]


@settings(max_examples=30)
@given(st.data())
def test_a_score_that_is_not_above_a_limit_is_exact_whatever_was_asked_before(data: st.DataObject) -> None:
    drawn = data.draw(compositions(sharing=data.draw(st.sampled_from((Sharing.STREAMS, Sharing.PARTITION)))))
    exact = value_ps(drawn)
    if isinstance(exact, Deadlock | float):
        return
    known = KnownBehind()
    for limit in map(Fraction, (exact // 2, exact - 1, exact, exact + 1)):
        for asked in (None, known):
            found = value_ps(drawn, known=asked, at_most=limit)
            assert found == exact or (found == inf and limit < exact)
