"""Two streams inside of roles by hand and against the words of the method: forks, joins, hosts, and what is serial."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from megasolve.simulate import (
    FREE,
    Ablation,
    Capacity,
    Composition,
    Deadlock,
    Detail,
    Objective,
    RepeatPlan,
    Schedule,
    Score,
    Sharing,
    branches,
    critical_path,
    design_key,
    lower,
    score,
)
from megasolve.simulate.predict.bound import longest_path_ps
from megasolve.simulate.predict.cycles.forked import forked_ps
from megasolve.simulate.predict.scoring import value_ps
from megasolve.simulate.predict.worlds.scores import scores
from tests.support.judges import literal_inside
from tests.support.simulation.compositions import composition, compositions, graphed, streamed
from tests.support.simulation.vocoder import kernels

NARROW, WIDE = 44, 132


@st.composite
def forked(draw: st.DrawFn) -> Composition:
    """Draw a composition in which any groups of a role may be apart, as far as that is an order."""
    drawn = draw(compositions(sharing=Sharing.STREAMS, loops=False))
    roles = (drawn.admission, drawn.producers, drawn.consumers)
    assume(all(sum(not {*role}.isdisjoint(region.groups) for role in roles) == 1 for region in drawn.regions))
    apart = [pair for role in roles for pair in _apart(draw, role)]
    return replace(drawn.beside, sharing=Sharing.INSIDE, repeats=(), apart=frozenset((*apart, *((two, one) for one, two in apart))))


def _apart(draw: st.DrawFn, role: tuple[str, ...]) -> list[tuple[str, str]]:
    """Draw which later groups of a role each one leads to, and return the pairs that no path joins."""
    leads: dict[str, set[str]] = {}
    for place in reversed(range(len(role))):
        direct = draw(st.sets(st.sampled_from(role[place + 1 :]))) if role[place + 1 :] else set()
        leads[role[place]] = direct.union(*(leads[one] for one in direct))
    return [(one, two) for one, two in combinations(role, 2) if two not in leads[one]]


def in_series(asked: Composition) -> Composition:
    """The same in serial order, where a kernel needs no width."""
    works = {key: replace(one, services=tuple(replace(each, grid=None) for each in one.services)) for key, one in asked.works.items()}
    return replace(asked, sharing=Sharing.SERIAL, works=works)


def scored(
    asked: Composition,
    objective: Objective = Objective.FIRST_PUBLICATION,
    *,
    detail: Detail = Detail.COMPACT,
    ablation: Ablation = Ablation.FULL,
) -> Score:
    found = score(asked, objective, detail=detail, ablation=ablation)
    assert not isinstance(found, Deadlock)
    return found


@settings(max_examples=25, deadline=None)
@given(forked())
def test_forks_are_the_launches_that_the_method_writes_down(asked: Composition) -> None:
    for detail in Detail:
        assert scored(asked, detail=detail).value_ps == literal_inside.first_publication(asked)


@settings(max_examples=15, deadline=None)
@given(forked())
def test_a_cycle_with_a_fork_begins_with_a_host_far_ahead(asked: Composition) -> None:
    one = Fraction(scored(asked, Objective.CHUNK_INTERVAL).value_ps)
    assert scored(asked, Objective.PRODUCER_STEP).value_ps == one / asked.schedule.cycle_steps
    if design_key(asked, Objective.CHUNK_INTERVAL) != design_key(in_series(asked), Objective.CHUNK_INTERVAL):
        assert one == literal_inside.cycle(asked)


@settings(max_examples=20, deadline=None)
@given(forked())
def test_no_score_is_below_its_longest_path_and_its_critical_path_sums_to_it(asked: Composition) -> None:
    found = scored(asked)
    assert found.value_ps >= longest_path_ps(lower(asked))
    assert sum(segment.elapsed_ps for segment in critical_path(found)) == found.value_ps


@settings(max_examples=15, deadline=None)
@given(forked())
def test_what_is_joined_everywhere_is_serial_order(asked: Composition) -> None:
    chain, serial = replace(asked, apart=frozenset()), in_series(asked)
    for objective in Objective:
        assert design_key(chain, objective) == design_key(serial, objective)
        assert scored(chain, objective).value_ps == scored(serial, objective).value_ps


@settings(max_examples=15, deadline=None)
@given(forked())
def test_ablations_take_only_the_overlap(asked: Composition) -> None:
    serial = replace(asked, sharing=Sharing.SERIAL)
    for ablation in (Ablation.ADDITIVE, Ablation.NO_OVERLAP):
        assert scored(asked, ablation=ablation).value_ps == scored(serial, ablation=ablation).value_ps


def pairs(*apart: str) -> frozenset[tuple[str, str]]:
    """Return two-letter words as pairs, in both orders."""
    return frozenset(pair for word in apart for pair in (tuple(word), tuple(reversed(word))) for pair in [(pair[0], pair[1])])


def layer(
    ctas: int, apart: frozenset[tuple[str, str]], *, steps: int = 1, host_ps: int = 0, times: int = 1, roles: str = "- AESD -"
) -> Composition:
    """Kernels of 100, 300, 200 and 50 ps of groups A, E, S and D, one launch each."""
    works = {
        key: one
        for group, ps, count in (("A", 100, 1), ("E", 300, 3), ("S", 200, 2), ("D", 50, 1))
        for key, one in kernels(group, ps, count, ctas, host_ps=host_ps).items()
    }
    regions = tuple(map(graphed, "AESD"))
    last = "D" if roles == "- AESD -" else None
    asked = composition(regions, roles, Schedule(steps, steps, last, 1), Sharing.INSIDE, works, capacity=Capacity(132, 132, 132))
    repeats = (RepeatPlan(("A", "E", "S", "D"), times),) if times > 1 else ()
    return replace(asked.beside, apart=apart, repeats=repeats)


def test_the_shorter_of_two_branches_is_hidden_in_each_step_and_in_each_repeat() -> None:
    assert scored(layer(NARROW, pairs("ES"), steps=3)).value_ps == 3 * (100 + 300 + 50)
    assert scored(layer(NARROW, pairs("ES"), times=4)).value_ps == 4 * (100 + 300 + 50)


def test_wide_kernels_alternate() -> None:
    assert scored(layer(WIDE, pairs("ES"), steps=3)).value_ps == 3 * (100 + 300 + 200 + 50)


def test_a_step_waits_for_both_streams_of_the_one_before_whatever_edges_say() -> None:
    # Nothing in the step waits for S, so it ends beside D; the next step begins behind both.
    assert scored(layer(NARROW, pairs("ES", "SD"), steps=2)).value_ps == 2 * (100 + max(300 + 50, 200))


def test_a_third_branch_follows_on_the_second_stream() -> None:
    # E on the first stream; S and then D on the second one.
    assert scored(layer(NARROW, pairs("ES", "ED", "SD"))).value_ps == 100 + max(300, 200 + 50)


def test_encoders_of_admission_fork_from_the_beginning() -> None:
    asked = layer(NARROW, pairs("AE"), roles="AE S D")
    assert scored(asked).value_ps == max(100, 300) + 200 + 50
    found = branches(asked, scored(asked))
    assert found is not None
    assert (found.horizon_ps, found.chunk_ps, found.in_sequence) == (500, 550, True)


def test_one_host_issues_both_streams_in_the_order_of_the_step() -> None:
    # Launches of 400 ps each queue up behind each other: A begins at 400, E at 800, S at 1200, D at 1600.
    assert scored(layer(NARROW, pairs("ES"), host_ps=400)).value_ps == 4 * 400 + 50


def test_a_fork_needs_two_regions() -> None:
    asked = layer(NARROW, pairs("ES"))
    together = replace(asked, regions=(graphed("A"), graphed("E", "S"), streamed("D")))
    assert scored(together).value_ps == 100 + 300 + 200 + 50


@pytest.mark.parametrize("objective", Objective)
def test_designs_differ_by_their_forks(objective: Objective) -> None:
    keys = {design_key(layer(NARROW, pairs(*apart)), objective) for apart in ((), ("ES",), ("ES", "SD"), ("ES", "ED", "SD"))}
    assert len(keys) == 4


@pytest.mark.parametrize("objective", Objective)
def test_each_world_is_simulated_whatever_score_is_enough(objective: Objective) -> None:
    asked = layer(NARROW, pairs("ES"))
    found = scores(asked, objective, 3, np.array([0.0, 1.0, 1000.0]))
    assert found.tolist() == [float(scored(asked, objective).value_ps)] * 3


@settings(max_examples=15, deadline=None)
@given(forked(), st.booleans())
def test_simulating_equal_steps_once_changes_no_value(drawn: Composition, is_free: bool) -> None:
    works = {
        key: replace(one, services=tuple(replace(each, dispatch=FREE if is_free else each.dispatch) for each in one.services))
        for key, one in drawn.works.items()
    }
    free = tuple(replace(one, launching=one.launching.free()) if is_free else one for one in drawn.regions)
    asked = replace(drawn, works=works, regions=free)
    for objective in Objective:
        assert value_ps(asked, objective) == scored(asked, objective).value_ps


@pytest.mark.parametrize(
    "asked", [layer(NARROW, pairs("ES"), steps=5), layer(WIDE, pairs("ES", "SD"), times=7)], ids=["many steps", "many repeats"]
)
def test_values_of_many_steps_and_repeats_are_those_of_the_whole_schedule(asked: Composition) -> None:
    for objective in (Objective.FIRST_PUBLICATION, Objective.PRODUCER_STEP):
        assert forked_ps(asked, objective) == value_ps(asked, objective) == scored(asked, objective).value_ps


def test_a_host_that_keeps_the_device_waiting_needs_the_whole_schedule() -> None:
    asked = layer(NARROW, pairs("ES"), host_ps=9)
    assert forked_ps(asked, Objective.FIRST_PUBLICATION) is None
    assert forked_ps(asked, Objective.PRODUCER_STEP) == scored(asked, Objective.PRODUCER_STEP).value_ps
