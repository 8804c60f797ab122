"""Break-evens are exact: at b the best design with the region wins or ties, a picosecond later it loses, as the planner itself says."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from megasolve.contracts import Contract, Document, Records, Study
from megasolve.contracts.model.record import Record
from megasolve.simulate import Objective
from megasolve.solver import solve, stated_where
from megasolve.solver.headroom.baseline import NothingToday
from megasolve.solver.headroom.headroom import HeadroomResult, headroom
from megasolve.solver.headroom.looking import Headroom
from megasolve.solver.headroom.trying.break_even import HowItEnds
from megasolve.solver.headroom.trying.trial import calls_of
from megasolve.solver.headroom.verdict import Payoff
from tests.support.planning.launch_studies import graph_study, launch_studies
from tests.support.planning.studies import Fields, conventional, group, record, spec, study

OBJECTIVES = (Objective.FIRST_PUBLICATION, Objective.PRODUCER_STEP)
LAUNCHES_PS = (0, 500_000, 7_000_000)


def built(known: Study, row: Headroom, b_ps: int, launch_ps: int) -> Study:
    """Return *known* with the region of *row* built, so that one occurrence of all its members takes *b_ps*."""
    contract = Contract.model_validate(
        {
            "megasolve": "contract/v1",
            "entry": "built",
            "backend": "megakernel",
            "members": row.groups,
            "launch": {"threads": 256, "registers": 64, "cooperative": True},
            "budgets_ctas": (known.device.value.usable_sms,),
            "dispatch": {"kind": "cooperative", "host_waits": False, "host_us": 0, "exposed_us": launch_ps / 10**6},
            "policies": ("serial",),
            "loops_over": ("repeat",) if row.launched == "all repeats" else (),
        },
        by_alias=True,
        by_name=False,
    )
    times = zip(row.groups, calls_of(b_ps, row.today), strict=True)
    records = Records(megasolve="records/v1", records=tuple(_timed(known, contract, *pair) for pair in times))
    document: Document[Contract] = Document("built.yaml", contract, known.spec.places)
    return replace(
        known, contracts=(*known.contracts, document), records=(*known.records, Document("built.yaml", records, known.spec.places))
    )


def _timed(known: Study, contract: Contract, member: str, time_ps: int) -> Record:
    assume(time_ps > 0)
    budget = known.device.value.usable_sms
    fields = record({"backend": "megakernel", "entry": "built"}, member, time_ps / 10**6, budget, context=contract.context)
    return Record.model_validate({**fields, "entries": ("built",), "duration_us": time_ps / 10**6, "device": known.device.value.name})


def best_with(known: Study, row: Headroom, b_ps: int, launch_ps: int, objective: Objective) -> int | Fraction:
    """Return the score of the best design that has the region of *row*."""
    tried = built(known, row, b_ps, launch_ps)
    where = [stated_where(tried, f"entries.{name}=built") for name in row.groups]
    (result,) = solve(tried, objective=objective, where=where).results
    return result.ranking[0].score_ps


def looked_at(known: Study, launch_ps: int, objective: Objective) -> HeadroomResult:
    """Return the headroom of *known*; a study without a design, or without such a time, is of no use here."""
    if objective is Objective.PRODUCER_STEP:
        assume(known.spec.value.groups_of("producer"))
    try:
        return headroom(known, objective=objective, launch_ps=launch_ps)
    except NothingToday:
        assume(False)
        raise


def assert_break_evens_are_exact(known: Study, launch_ps: int, objective: Objective, rows: int = 4) -> None:
    """Assert that each break-even is one."""
    (batch,) = looked_at(known, launch_ps, objective).batches
    (planned,) = solve(known, objective=objective).results
    assert batch.baseline.score_ps == planned.ranking[0].score_ps
    for row in batch.regions[:rows]:
        if row.break_even.ending is HowItEnds.EXACT and row.break_even.time_ps:
            at = row.break_even.time_ps
            assert best_with(known, row, at, launch_ps, objective) <= batch.baseline.score_ps
            assert best_with(known, row, at + 1, launch_ps, objective) > batch.baseline.score_ps


@given(launch_studies(), st.sampled_from(LAUNCHES_PS), st.sampled_from(OBJECTIVES))
@settings(max_examples=10, deadline=None)
def test_at_the_break_even_the_region_wins_or_ties_and_a_picosecond_later_it_loses(known: Study, launch_ps: int, of: Objective) -> None:
    assert_break_evens_are_exact(known, launch_ps, of)


@given(st.randoms(use_true_random=False), st.sampled_from(LAUNCHES_PS))
@settings(max_examples=6, deadline=None)
def test_break_evens_are_exact_where_groups_form_no_chain(random: Random, launch_ps: int) -> None:
    assert_break_evens_are_exact(graph_study(random), launch_ps, Objective.FIRST_PUBLICATION, rows=2)


def profiled(name: str, gap_us: float, **fields: object) -> Fields:
    """Return a kernel as a profile gives it: all that a launch costs is the gap before it."""
    dispatch = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": gap_us}
    return conventional(name, entry=name, implementation="profiled", order=0, dispatch=dispatch, **fields)


def layers(times: int = 24) -> Study:
    """Return a step of a kernel, *times* layers of two kernels, and a kernel behind them."""
    us = {"embed": (30, 2), "attn": (100, 7), "mlp": (200, 9), "head": (50, 3)}
    contracts = [profiled(name, gap, grid_ctas=64) for name, (_, gap) in us.items()]
    asked = spec(
        [group(name, "producer") for name in us],
        publication={"group": "head", "step": 1},
        repeat=[{"name": "layers", "times": times, "groups": ["attn", "mlp"]}],
        policies=["serial"],
    )
    return study(asked, contracts, [record(one, one["entry"], us[one["entry"]][0]) for one in contracts])


def row_of(known: Study, region: str, launched: str = "", launch_ps: int = 25_000_000) -> Headroom:
    """Return the row of *region*."""
    (batch,) = headroom(known, launch_ps=launch_ps).batches
    return next(row for row in batch.regions if (row.region, row.launched) == (region, launched))


def test_a_layer_has_a_break_even_for_a_launch_of_each_repeat_and_one_for_a_launch_of_all() -> None:
    kernels_and_gaps, members = 316_000_000, 2
    each, every = (row_of(layers(), "m:attn+mlp", launched).break_even.time_ps for launched in ("each repeat", "all repeats"))
    # The shares of the members are rounded down, so that less than a picosecond of each is lost.
    assert each is not None
    assert every is not None
    assert 0 <= each - (kernels_and_gaps - 25_000_000) < members
    assert 0 <= every - (kernels_and_gaps - Fraction(25_000_000, 24)) < members


def test_today_is_the_standalone_serial_time_and_its_parts_add_up() -> None:
    today = row_of(layers(), "m:attn+mlp", "each repeat").today
    assert (today.kernels_ps, today.gaps_ps, today.waits_ps, today.total_ps) == (300_000_000, 16_000_000, 0, 316_000_000)
    assert (today.kernels, today.launches) == (2, 2)


def test_a_region_around_the_layers_stays_over_them_and_saves_what_all_their_gaps_are() -> None:
    row = row_of(layers(), "m:embed+attn+mlp+head")
    assert row.at_kernels_ps == (2 + 24 * 16 + 3 - 25) * 10**6
    assert row.judged.verdict is Payoff.BY_LAUNCHES


def test_a_launch_that_takes_more_than_the_gaps_asks_for_faster_kernels_and_one_that_takes_more_than_all_never_pays() -> None:
    dear = row_of(layers(), "m:attn", launch_ps=50_000_000)
    assert (dear.break_even.time_ps, dear.judged.verdict) == (57_000_000, Payoff.IF_FASTER)
    assert dear.judged.factor == Fraction(57, 100)
    hopeless = row_of(layers(), "m:attn", launch_ps=200_000_000)
    assert (hopeless.break_even.time_ps, hopeless.judged.verdict, hopeless.saves_ps) == (None, Payoff.CANNOT_PAY, 0)


def test_what_stands_against_a_region_is_counted_for_one_call() -> None:
    against = row_of(layers(), "m:attn+mlp", "each repeat").against
    assert (against.stages, against.narrow, against.narrowest_ctas, against.waits) == (2, 2, 64, 1)
    assert against.gap_per_wait_ps == 16_000_000


def test_collectives_are_never_headroom() -> None:
    contracts = [profiled("attn", 7), {**profiled("mlp", 9), "observed": {"kernels": ["ncclDevKernel_AllReduce_Sum"]}}]
    asked = spec([group("attn", "producer"), group("mlp", "producer")], publication={"group": "mlp", "step": 1}, policies=["serial"])
    (batch,) = headroom(study(asked, contracts, [record(one, one["entry"], 10) for one in contracts])).batches
    assert [row.region for row in batch.regions] == ["m:attn"]
    assert "mlp waits for other devices" in batch.notes[0]
