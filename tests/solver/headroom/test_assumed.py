"""Assumed entries: exact break-evens under every policy, and what assumptions in a spec stand for."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from megasolve.contracts import Contract, Document, Provenance, Record, Records, Study
from megasolve.contracts.model.programs.operators import ShapedOperator
from megasolve.solver import solve, stated_where
from megasolve.solver.assuming.draft import drafted
from megasolve.solver.assuming.expanded import with_assumptions
from megasolve.solver.headroom.baseline import NothingToday
from megasolve.solver.headroom.headroom import headroom
from megasolve.solver.headroom.known import today_of
from megasolve.solver.headroom.looking import Headroom
from megasolve.solver.headroom.trying.break_even import HowItEnds
from megasolve.solver.headroom.trying.trial import calls_of
from tests.support.planning.launch_studies import launch_studies
from tests.support.planning.programs import decoding, kernels
from tests.support.planning.studies import Fields, conventional, group, record, spec, study

ASSUMED = Provenance(kind="assumed", source="said")


def with_assumed_entry(known: Study, random: Random) -> tuple[Study, str]:
    """Return *known* with the records of one of its megakernels only assumed, and their bytes enough to share the device."""
    entries = [one.value.entry for one in known.contracts if one.value.backend == "megakernel"]
    assume(bool(entries))
    entry = random.choice(entries)
    (document,) = known.records
    records = tuple(_relabelled(one, entry, random) for one in document.value.records)
    return replace(known, records=(replace(document, value=Records(megasolve="records/v1", records=records)),)), entry


def _relabelled(one: Record, entry: str, random: Random) -> Record:
    moved = one.model_copy(update={"hbm_bytes": random.choice((0, 10**6, 5 * 10**6))})
    return moved.model_copy(update={"provenance": ASSUMED}) if entry in one.entries else moved


def built(known: Study, row: Headroom, entry: str, b_ps: int) -> Study:
    """Return *known* with the assumed entry built, so that one occurrence of all its members takes *b_ps* on the whole device."""
    calls = dict(zip(row.groups, calls_of(b_ps, row.today), strict=True))
    (document,) = known.records
    assumed = {(one.group, one.budget_ctas): one for one in document.value.records if entry in one.entries}
    whole = max(budget for _, budget in assumed)
    times = {key: calls[key[0]] * one.time_ps // assumed[key[0], whole].time_ps for key, one in assumed.items()}
    assume(all(times.values()))
    kept = [one for one in document.value.records if entry not in one.entries]
    timed = [one.model_copy(update={"duration_ps": times[key], "provenance": kept_provenance(known)}) for key, one in assumed.items()]
    file: Document[Records] = replace(document, value=Records(megasolve="records/v1", records=(*kept, *timed)))
    return replace(known, records=(file,))


def kept_provenance(known: Study) -> Provenance:
    """Return how the other records of *known* came about."""
    return next(one.provenance for document in known.records for one in document.value.records if one.provenance.kind != "assumed")


@given(launch_studies(), st.integers(0, 2**32 - 1))
@settings(max_examples=13, deadline=None)
def test_the_break_even_of_an_assumed_entry_is_exact_under_every_policy(plain: Study, seed: int) -> None:
    known, entry = with_assumed_entry(plain, Random(seed))
    try:
        (batch,) = headroom(known).batches
    except NothingToday:
        return
    (today,) = solve(today_of(known)).results
    assert batch.baseline.score_ps == today.ranking[0].score_ps
    for row in batch.regions:
        if row.supposed and row.supposed.entry == entry and row.break_even.ending is HowItEnds.EXACT and row.break_even.time_ps:
            at = row.break_even.time_ps
            assert best_with(built(known, row, entry, at), row, entry) <= batch.baseline.score_ps
            assert best_with(built(known, row, entry, at + 1), row, entry) > batch.baseline.score_ps


def best_with(known: Study, row: Headroom, entry: str) -> int | Fraction:
    """Return the score of the best design with *entry*."""
    (result,) = solve(known, where=[stated_where(known, f"entries.{name}={entry}") for name in row.groups]).results
    return result.ranking[0].score_ps


def profiled(name: str, us: float, **fields: object) -> tuple[Fields, Fields]:
    """Return a kernel and its record."""
    dispatch = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": 4}
    one = conventional(name, entry=name, implementation="profiled", order=0, dispatch=dispatch, **fields)
    return one, record(one, name, us, hbm_bytes=2_000_000)


def assuming(*assumptions: Fields, **fields: object) -> Study:
    """Return a block of two groups and one behind it, with *assumptions*."""
    pairs = [profiled("attn", 100, grid_ctas=264), profiled("mlp", 200, kernels=2), profiled("head", 50)]
    asked = spec(
        [group(name, "producer") for name in ("attn", "mlp", "head")],
        publication={"group": "head", "step": 1},
        repeat=[{"name": "layers", "times": 3, "groups": ["attn", "mlp"]}],
        policies=["serial"],
        assume=list(assumptions),
        **fields,
    )
    return study(asked, [one for one, _ in pairs], [one for _, one in pairs])


def times_of(known: Study) -> dict[tuple[str, str], int]:
    """Return what calls of assumed entries take, by entry and group."""
    made = [one for document in with_assumptions(known).records for one in document.value.records if one.provenance.kind == "assumed"]
    return {(one.entries[0], one.group): one.time_ps for one in made}


def test_an_assumption_stands_for_a_megakernel_of_the_same_kernels_with_waits_between_them() -> None:
    known = assuming({"fuse": ["attn", "mlp"], "wait_us": 1, "efficiency": 0.5})
    assert times_of(known) == {
        ("assumed.attn+mlp", "attn"): 200_000_000,
        ("assumed.attn+mlp", "mlp"): 402_000_000,
        # What stays over the repeats waits between them, too.
        ("assumed.attn+mlp.repeats", "attn"): 201_000_000,
        ("assumed.attn+mlp.repeats", "mlp"): 402_000_000,
    }


def test_any_fuses_every_region_and_costs_are_as_stated() -> None:
    known = with_assumptions(assuming({"fuse": "any", "dispatch": {"kind": "cooperative", "host_us": 3, "exposed_us": 8}}))
    entries = sorted(one.value.entry for one in known.contracts if one.value.backend == "megakernel")
    regions = ["attn", "attn+mlp", "attn+mlp+head", "head", "mlp"]
    assert entries == sorted([*(f"assumed.{name}" for name in regions), "assumed.attn+mlp.repeats"])
    assert {one.value.dispatch.exposed_ps for one in known.contracts if one.value.backend == "megakernel"} == {8_000_000}
    assert with_assumptions(known) is known


def test_plans_with_assumptions_say_so_in_every_row_and_none_is_in_the_baseline() -> None:
    known = assuming({"fuse": "any"})
    (result,) = solve(known).results
    assert result.ranking[0].id == "m:attn+mlp+head@serial"
    assert all(("assumed" in row.evidence) == ("m:" in row.id) for row in result.ranking)
    (batch,) = headroom(known).batches
    assert batch.baseline.id == "c:attn+mlp+head@serial"
    assert all(row.supposed for row in batch.regions)


def test_what_is_no_region_stands_for_nothing() -> None:
    assert times_of(assuming({"fuse": ["attn", "head"]}, {"fuse": ["nothing"]})) == {}


def test_what_stays_on_chip_is_neither_stored_nor_loaded() -> None:
    program = {"programs": {"mlp": [{"operators": [{"name": "up", "kind": "norm", "shape": {"rows": 1000, "dim": 360}}]}]}}
    one, timed = profiled("mlp", 200, **program)
    asked = spec([group("mlp", "producer")], publication={"group": "mlp", "step": 1}, assume=[{"fuse": ["mlp"], "on_chip": ["up"]}])
    known = study(asked, [one], [timed])
    kept = 2 * 1000 * 360 * 2
    assert times_of(known) == {("assumed.mlp", "mlp"): 200_000_000 - kept * 10**12 // known.device.value.hbm_sustained_bytes_per_s}


def test_on_fewer_ctas_a_grid_takes_whole_waves_and_its_bytes_their_time() -> None:
    pairs = [profiled("B", 100, grid_ctas=132), profiled("C", 40, grid_ctas=44)]
    asked = spec(
        [group("B", "producer"), group("C", "consumer")],
        stream={"first_chunk": 1, "lookahead": 1},
        budget_pairs=[{"producer_ctas": 88, "consumer_ctas": 44}],
        assume=[{"fuse": ["B"]}, {"fuse": ["C"]}],
    )
    known = with_assumptions(study(asked, [one for one, _ in pairs], [one for _, one in pairs]))
    times = {(one.group, one.budget_ctas): one.time_ps for one in known.records[-1].value.records}
    bytes_ps = -(-2_000_000 * 10**12 // known.device.value.hbm_sustained_bytes_per_s)
    assert times["B", 88] == pytest.approx(bytes_ps + 2 * (100_000_000 - bytes_ps), abs=2)
    assert times["C", 44] == times["C", 132] == 40_000_000
    assert any(row.candidate.policy.is_split for row in solve(known).results[0].ranking)


def test_accuracy_and_the_kind_of_evidence_stand_in_every_record() -> None:
    made = with_assumptions(assuming({"fuse": ["mlp"], "accuracy": 0.1})).records[-1].value.records
    assert {(one.provenance.kind, one.accuracy) for one in made} == {("assumed", Decimal("0.1"))}


@pytest.mark.parametrize(("more", "tiles"), [({"tile": [{"m": 16, "n": 16}]}, [{"m": 16, "n": 16}]), ({}, None)])
def test_a_draft_has_the_tiles_that_its_kernels_state_and_none_of_a_library(more: Fields, tiles: object) -> None:
    product = {"name": "A", "kind": "matmul", "shape": {"m": 64, "n": 64, "k": 64}, "library": True, **more}
    made = drafted(decoding(kernels(product), figures={"dense_flops_per_s": 10**12}), "m:D")
    contract = Contract.model_validate(made.authored, by_alias=True, by_name=False)
    operators = [operator for block in contract.programs.get("D", ()) for operator in block.operators]
    if tiles is None:
        assert operators == []
        return
    (operator,) = operators
    assert isinstance(operator, ShapedOperator)
    assert (operator.library, list(operator.tile)) == (False, tiles)
