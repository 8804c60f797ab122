"""Derived evidence: where no record matches, the program in the contract is simulated, or it is said why that cannot be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from megasolve.contracts import Document, Record, Study, key_of, load_spec
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.simulate.tiles.program import TileProgram, TileSection, scaled
from megasolve.solver import (
    Derivation,
    Derived,
    Evidence,
    Explanation,
    NoEvidence,
    NotDerived,
    RecordUse,
    TooManyTimes,
    explain,
    service_table,
    solve,
)
from megasolve.solver.evidence.tile_times import _expanded, call_of, derive, derived_facts, derived_from
from tests.support.command import CHECKOUT
from tests.support.planning.programs import decoding, fused, kernels, operator
from tests.support.planning.studies import Fields, group, megakernel, record, spec, study
from tests.support.simulation.tile_programs import tile_programs

CHAIN = (operator("A", compute_us=0.01, weight_bytes=6000), operator("B", "A", compute_us=0.01, weight_bytes=6000, activation_bytes=2000))


def derived(asked: Study, *, at: int = 0, budget_ctas: int = 4, batch: int = 1, off: tuple[str, ...] = (), **shapes: int) -> Derived:
    found = attempt(asked, at=at, budget_ctas=budget_ctas, batch=batch, off=off, **shapes)
    assert isinstance(found, Derived), found
    return found


def attempt(
    asked: Study, *, at: int = 0, budget_ctas: int = 4, batch: int = 1, off: tuple[str, ...] = (), **shapes: int
) -> Derived | NotDerived:
    call = call_of(asked, asked.contracts[at].value, "D", budget_ctas=budget_ctas, batch=batch, shapes=shapes)
    return derive(call, Mechanisms().without(*off))


def found(asked: Study, derivation: Derivation | None = None, budget_ctas: int = 4) -> RecordUse | NoEvidence:
    contract = asked.contracts[0]
    return Evidence(asked, derivation).find(key_of(asked, contract.value, "D", budget_ctas=budget_ctas, batch=1, shapes={}), contract)


# By hand, see the worked tile schedules: the row of the table, its budget, and nanoseconds with every mechanism on.
BY_HAND = [
    ("Readiness", 2, 30),
    ("Prefetch", 1, 28),
    ("PrefetchNarrow", 1, 34),
    ("PrefetchRoomy", 1, 28),
    ("PrefetchSaturated", 2, 90),
    ("PrefetchHurting", 2, 91),
    ("Forwarding", 1, 20),
    ("BudgetTiles", 4, 10),
    ("BudgetTiles", 3, 20),
    ("BudgetTiles", 2, 20),
    ("BudgetTiles", 1, 40),
    ("BudgetWaves132", 88, 50),
    ("BudgetWaves133", 88, 30),
    ("BudgetWaves133", 44, 50),
    ("OpaquePool", 2, 65),
    ("PortOne", 1, 30),
    ("PortTwo", 2, 50),
    ("Registers", 1, 12),
    ("Geometry", 1, 12),
    ("Synchronization", 1, 26),
    ("Graham", 3, 12),
    ("Graham", 4, 15),
]
SWITCHED_OFF = [
    ("Readiness", "readiness", 40),
    ("Prefetch", "prefetch", 34),
    ("PrefetchRoomy", "prefetch", 34),
    ("PrefetchSaturated", "prefetch", 90),
    ("PrefetchHurting", "prefetch", 52),
    ("Forwarding", "forwarding", 28),
    ("Registers", "register_limit", 10),
    ("Geometry", "one_geometry", 10),
    ("Synchronization", "synchronization", 20),
]


def examples(*off: str, device: str | None = None) -> dict[tuple[str, int], Any]:
    table = service_table(
        load_spec(CHECKOUT / "tests/fixtures/tile_examples.yaml", device=device), derivation=Derivation(Mechanisms().without(*off))
    )
    return {(row.key.group, row.key.budget_ctas): row.time_ps for row in table.rows}


def test_the_table_shows_every_schedule_that_was_worked_out_by_hand() -> None:
    assert examples() == {(name, budget): 1000 * ns for name, budget, ns in BY_HAND}


@pytest.mark.parametrize(("name", "mechanism", "without_ns"), SWITCHED_OFF)
def test_the_table_without_a_mechanism_shows_the_other_side_of_its_row(name: str, mechanism: str, without_ns: int) -> None:
    (time_ps,) = (time_ps for (row, _), time_ps in examples(mechanism).items() if row == name)
    assert time_ps == 1000 * without_ns


def test_the_table_of_a_device_with_ports_shows_what_they_cost() -> None:
    narrow = examples(device="by_hand_port")
    assert (narrow["PortOne", 1], narrow["PortTwo", 2]) == (50_000, 70_000)
    open_ports = examples("port", device="by_hand_port")
    assert (open_ports["PortOne", 1], open_ports["PortTwo", 2]) == (30_000, 50_000)


def test_a_record_with_exactly_the_key_wins_over_the_program() -> None:
    entry = fused(*CHAIN, budgets=(4, 2))
    asked = decoding(entry, records=[record(entry, "D", 7, 4)])
    recorded, simulated = found(asked), found(asked, budget_ctas=2)
    assert isinstance(recorded, RecordUse)
    assert isinstance(simulated, RecordUse)
    assert (recorded.record.provenance.kind, recorded.record.time_ps, recorded.derived) == ("profiled", 7_000_000, None)
    assert simulated.record.provenance.kind == "tile-simulated"
    assert isinstance(simulated.derived, Derived)


def test_a_derived_record_has_its_whole_key_and_says_where_it_is_from() -> None:
    entry = fused(*CHAIN, budgets=(1,))
    asked = decoding(entry)
    use = found(asked, budget_ctas=1)
    assert isinstance(use, RecordUse)
    time = use.record
    assert isinstance(time, Record)
    assert (time.entries, time.budget_ctas, time.batch, time.device, time.context) == (("D",), 1, 1, "h100", {"launch": entry["launch"]})
    assert (time.time_ps, time.hbm_bytes) == (28_000, 14_000)
    assert time.provenance.source == "the program of D in entry 'D' on 1 worker; not calibrated"
    assert time.provenance.tool is not None
    assert time.provenance.tool.startswith("megasolve ")
    assert isinstance(use.document, Document)
    assert use.place == asked.contracts[0].place(("programs", "D"))


def test_a_mechanism_that_is_off_is_said_in_the_provenance() -> None:
    use = found(decoding(fused(*CHAIN)), Derivation(Mechanisms().without("prefetch", "port")))
    assert isinstance(use, RecordUse)
    assert "; without prefetch, port; " in use.record.provenance.source


def test_what_a_cta_has_under_way_lengthens_its_loads_and_is_labelled_where_it_is_derived() -> None:
    tiled = {"rows_per_tile": 8, "columns_per_tile": 8, "depth_per_stage": 16, "stages": 2}
    entry = fused(*CHAIN, budgets=(1,)) | {"geometry": tiled, "in_flight_bytes": "derived"}
    entry["launch"] = {**entry["launch"], "shared_bytes": 64 * 1024}
    use = found(decoding(entry, figures={"hbm_latency_us": 0.1}), budget_ctas=1)
    assert isinstance(use, RecordUse)
    assert "on 1 worker; 1,024 bytes in flight a CTA, derived from its geometry; " in use.record.provenance.source
    free = found(decoding(entry, figures={"hbm_latency_us": 0.1}), Derivation(Mechanisms().without("in_flight")), budget_ctas=1)
    assert isinstance(free, RecordUse)
    assert free.record.time_ps < use.record.time_ps
    assert "derived from its geometry" not in free.record.provenance.source


def test_what_the_schedule_costs_decides_a_derived_time_and_is_no_part_of_the_context() -> None:
    plain = {"kind": "counters"}
    edges = {**plain, "data_us": 1.15, "queue_us": 1.57, "task_us": 1.0}
    others: tuple[Fields, ...] = (edges, {**edges, "queue_us": 1.5}, {**plain, "order": "static"})
    studies = [decoding(fused(*CHAIN, budgets=(1,), synchronization=one)) for one in (plain, *others)]
    calls = [call_of(one, one.contracts[0].value, "D", budget_ctas=1, batch=1, shapes={}) for one in studies]
    assert len({call.tiles for call in calls}) == len(studies)
    assert all(call.contract.context == calls[0].contract.context for call in calls)


def test_solve_ranks_by_derived_times_and_says_so() -> None:
    result = solve(decoding(fused(*CHAIN, budgets=(1,), host_us=0))).results[0]
    (row,) = (row for row in result.ranking if row.id == "m:D@serial")
    assert (row.score_ps, row.evidence) == (28_000, ("tile-simulated",))
    assert result.notes == ("every time is simulated from the programs in the contracts, not measured; megasolve table shows how",)


def test_more_times_than_anybody_would_wait_for_are_not_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("megasolve.solver.evidence.lookup.MOST_DERIVED", 0)
    with pytest.raises(TooManyTimes, match="more than 0 times have no record and would be derived"):
        solve(decoding(fused(*CHAIN, budgets=(1,), host_us=0)))


def test_solve_without_a_mechanism_ranks_by_other_times_and_names_it() -> None:
    result = solve(decoding(fused(*CHAIN, budgets=(1,), host_us=0)), derivation=Derivation(Mechanisms().without("prefetch")))
    assert result.without == ("prefetch",)
    assert result.results[0].ranking[0].score_ps == 34_000


def test_bytes_are_all_that_passes_the_queue() -> None:
    stored = (operator("A", output_bytes=400, forwarded=True, compute_us=1), operator("B", "A", activation_bytes=400, weight_bytes=50))
    asked = decoding(fused(*stored, repeat=3))
    assert derived(asked).hbm_bytes == 3 * 50
    assert derived(asked, off=("forwarding",)).hbm_bytes == 3 * 850


def test_kernels_run_one_after_the_other_on_the_whole_device() -> None:
    first, second = operator("A", tiles=5, compute_us=1), operator("B", "A", tiles=3, compute_us=2, weight_bytes=1000)
    times = [derived(decoding(kernels(*ones))).duration_ps for ones in ((first,), ({**second, "after": []},), (first, second))]
    assert times[0] == 2_000_000
    assert times[2] == times[0] + times[1]


def test_kernels_have_all_resident_ctas_of_the_device() -> None:
    asked = decoding(kernels(operator("A", tiles=8, compute_us=1), launch={"threads": 256, "registers": 64, "ctas_per_sm": 2}))
    assert (derived(asked).workers, derived(asked).duration_ps) == (8, 1_000_000)


@pytest.mark.parametrize(
    ("only", "expansions"),
    [
        ({"kind": "explicit", "tiles": "12 * batch", "compute_us": 1}, 2),
        ({"kind": "opaque", "grid_ctas": 8, "duration_us": 10, "hbm_bytes": 0, "resident_ctas": 4}, 6),
    ],
)
def test_tiles_are_expanded_once_for_all_budgets_unless_an_operator_looks_at_them(
    monkeypatch: pytest.MonkeyPatch, only: Fields, expansions: int
) -> None:
    expanded: list[int] = []

    def noted(*asked: Any, **how: Any) -> TileProgram:
        expanded.append(1)
        return expand(*asked, **how)

    monkeypatch.setattr("megasolve.solver.evidence.tile_times.expand", noted)
    _expanded.cache_clear()
    asked = decoding(fused({"name": "A", **only}, budgets=(2, 3, 4)), batches=[1, 2])
    rows = service_table(asked).rows
    assert {(row.key.budget_ctas, row.key.batch) for row in rows} == {(ctas, batch) for ctas in (2, 3, 4) for batch in (1, 2)}
    assert len(expanded) == expansions
    # Nothing is left of another budget.
    for row in rows:
        _expanded.cache_clear()
        assert derived(asked, budget_ctas=row.key.budget_ctas, batch=row.key.batch).duration_ps == row.time_ps


def test_the_tiles_of_a_library_are_others_on_other_workers() -> None:
    shape = {"m": 512, "n": 1024, "k": 1024}
    for more, different in (({"library": True}, 2), ({"tile": [{"m": 64, "n": 64}]}, 1)):
        asked = decoding(kernels({"name": "A", "kind": "matmul", "shape": shape, **more}))
        calls = [call_of(asked, asked.contracts[0].value, "D", budget_ctas=ctas, batch=1, shapes={}) for ctas in (8, 132)]
        assert len({call.tiles for call in calls}) == different


def test_a_time_in_tiles_of_a_library_says_so() -> None:
    own = {"tile": [{"m": 64, "n": 64}]}
    for more, off, is_told in ((own, (), True), (own, ("library",), False), ({}, ("library",), True)):
        product = {"name": "A", "kind": "matmul", "shape": {"m": 64, "n": 64, "k": 64}, "library": True, **more}
        asked = decoding(kernels(product), figures={"dense_flops_per_s": 10**12})
        use = found(asked, Derivation(Mechanisms().without(*off)))
        assert isinstance(use, RecordUse)
        assert ("; products in tiles and at rates of a library; " in use.record.provenance.source) is is_told


def test_symbols_are_those_of_the_spec_the_batch_and_the_shapes_of_the_call() -> None:
    asked = decoding(fused(operator("A", tiles="layers * batch + frames", compute_us=1)), symbols={"layers": 3})
    assert derived(asked, batch=2, frames=5).tiles == 11


def test_a_windowed_group_is_simulated_for_the_frames_of_its_chunk() -> None:
    codec = megakernel("C", budgets=(4,), programs={"C": [{"operators": [operator("A", tiles="frames", compute_us=1)]}]})
    groups = [group("D", "producer"), group("C", "consumer", left_context_frames=3)]
    asked = study(spec(groups, stream={"first_chunk": 4, "next_chunk": 8}), [codec], [])
    assert [(row.key.shapes["frames"], row.time_ps) for row in service_table(asked).rows] == [(4, 1_000_000), (11, 3_000_000)]


@pytest.mark.parametrize(("l2_bytes", "hbm_bytes"), [(24_000, 0), (23_999, 12_000)])
def test_weights_of_an_entry_stay_in_l2_where_those_of_all_its_members_fit(l2_bytes: int, hbm_bytes: int) -> None:
    steps = {name: [{"operators": [operator(name, tiles=2, compute_us=1, weight_bytes=6000)]}] for name in ("D", "E")}
    entry = megakernel("D", "E", budgets=(4,), launch={"threads": 256, "registers": 32}, programs=steps, stays_in_l2=["weights"])
    groups = [group("D", "producer"), group("E", "producer")]
    asked = study(spec(groups, publication={"group": "E", "step": 1}), [entry], [], l2_bytes=l2_bytes)
    assert derived(asked).hbm_bytes == hbm_bytes


def test_one_geometry_serves_all_members_of_an_entry() -> None:
    small = {"tile": [{"m": 16}, {"m": 32}], "element_bytes": 0, "kind": "matmul", "shape": {"m": 1, "n": 1, "k": 1}}
    one, two = ({"name": name, **small, "compute_us": times} for name, times in (("A", [4, 6]), ("B", [9, 6])))
    entry = megakernel("D", "E", budgets=(1,), programs={"D": [{"operators": [one]}], "E": [{"operators": [two]}]})
    asked = study(spec([group("D", "producer"), group("E", "producer")], publication={"group": "E", "step": 1}), [entry], [])
    assert derived(asked, budget_ctas=1).duration_ps == 6_000_000
    assert derived(asked, budget_ctas=1, off=("one_geometry",)).duration_ps == 4_000_000


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (operator("A", tiles="layers", compute_us=1), "symbol 'layers' has no value"),
        (operator("A", tiles="batch - 1", compute_us=1), "'batch - 1' is 0"),
        (operator("A", tiles=3_000_000, compute_us=1), "3,000,000 tiles > "),
        (operator("A", compute_us=1, staging_bytes=10**9), "its tile schedule stops: A needs 1000000000 bytes of staging"),
        (operator("A"), "its program takes no time at all"),
        ({"name": "A", "kind": "matmul", "shape": {"m": 1, "n": 1, "k": 1}}, "the device no dense_flops_per_s"),
        (operator("A", compute_at=[{"registers": 64, "compute_us": 1}]), "has times at 64 registers, but the entry's limit is 255"),
    ],
)
def test_what_cannot_be_simulated_is_a_reason_for_exclusion(broken: Fields, reason: str) -> None:
    asked = decoding(fused(broken))
    stopped = attempt(asked)
    assert isinstance(stopped, NotDerived)
    assert reason in stopped.reason
    (row,) = (row for row in solve(asked).results[0].excluded if row.id == "m:D@serial")
    (cause,) = row.causes
    assert cause.rule.code == "EVI-01"
    assert f"; its program gives none: {stopped.reason}" in cause.because
    assert "\n" not in cause.because


def test_a_contract_without_a_program_has_no_evidence_and_says_nothing_of_programs() -> None:
    gap = found(decoding(megakernel("D", budgets=(4,))))
    assert isinstance(gap, NoEvidence)
    assert "program" not in str(gap)


@settings(max_examples=60)
@given(tile_programs())
def test_factors_scale_what_tiles_compute_and_leave_waits_and_opaque_operators(tiles: TileProgram) -> None:
    waiting = 7
    slower = [replace(one, compute_ps=one.compute_ps + waiting, waiting_ps=waiting) for one in tiles.body.tiles]
    factors = {"gate": Fraction(3, 2), "norm": Fraction(0)}
    after = scaled(TileProgram(body=TileSection(slower, tiles.body.counters)), factors).body.tiles
    for before, one in zip(tiles.body.tiles, after, strict=True):
        factor = Fraction(1) if before.is_opaque else factors.get(before.operator, Fraction(1))
        assert one.compute_ps == -(-before.compute_ps * factor // 1) + waiting


def test_what_the_cache_keeps_is_read_back_whole() -> None:
    whole = replace(derived(decoding(fused(*CHAIN))), never_staged=("A",), factors=(("A", Fraction(3, 7)),))
    assert derived_from(derived_facts(whole)) == whole
    assert derived_from(derived_facts(NotDerived("because"))) == NotDerived("because")


FACTS: Fields = {
    "duration_ps": 12,
    "hbm_bytes": 0,
    "bounds": {"bandwidth_ps": 0, "path_ps": 1, "work_ps": 2},
    "tiles": 1,
    "workers": 4,
    "folded": 0,
    "never_staged": ["A"],
    "factors": {"A": "3/2"},
}
FALSE: dict[str, list[Any]] = {
    "duration_ps": ["x", -5, 0, 1.5, None, True],
    "hbm_bytes": [-1, None, "0"],
    "bounds": [None, [], {}, {"bandwidth_ps": 0, "path_ps": 1}, {**FACTS["bounds"], "work_ps": "2"}, {**FACTS["bounds"], "work_ps": -2}],
    "tiles": [0, 1.0, "1"],
    "workers": [0, None],
    "folded": [-1, False],
    "never_staged": ["A", None, [1], {"A": 1}],
    "factors": [None, [], {"A": 1.5}, {"A": "0"}, {"A": "-1/2"}, {"A": "2/4"}, {"A": "1/0"}, {"A": None}],
    "more": [1],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in FALSE.items() for value in values])
def test_facts_with_one_false_value_are_no_derived_time(name: str, value: Any) -> None:
    assert isinstance(derived_from(FACTS), Derived)
    with pytest.raises(ValueError, match="expected"):
        derived_from({**FACTS, name: value})


@pytest.mark.parametrize("reason", [None, 5, "", ["because"]])
def test_a_reason_that_is_no_text_is_no_reason(reason: Any) -> None:
    with pytest.raises(ValueError, match="expected a text"):
        derived_from({"reason": reason})


def test_a_time_beyond_what_a_record_can_state_is_no_time() -> None:
    asked = decoding(fused(operator("A", compute_us=10**12), operator("B", "A", compute_us=1)))
    (row,) = service_table(asked).rows
    assert isinstance(row.found, NoEvidence)
    assert "; its program gives none: its schedule takes 1,000,000,000,001 us and moves 0 bytes: " in str(row.found)
    assert solve(asked).results[0].ranking == ()


OVERSIZED = (operator("A", tiles=8, compute_us=1),)


def test_a_launch_that_the_device_refuses_is_never_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulated(*_: object) -> None:
        raise AssertionError("a refused launch was simulated")

    monkeypatch.setattr("megasolve.solver.evidence.tasks.derive", simulated)
    asked = decoding(fused(*OVERSIZED, budgets=(10**9,)))
    (row,) = service_table(asked).rows
    assert row.time_ps is None
    assert row.missing is not None
    assert row.missing.startswith("LIM-12 entry 'D': ")
    excluded = next(one for one in solve(asked).results[0].excluded if one.id == "m:D@serial")
    causes = {cause.rule.code: cause.because for cause in excluded.causes}
    assert set(causes) == {"LIM-12", "EVI-01"}
    assert "; its program was not tried: LIM-12 entry 'D': " in causes["EVI-01"]


def test_a_budget_that_the_entry_does_not_declare_is_never_simulated() -> None:
    gap = found(decoding(fused(*OVERSIZED, budgets=(4,))), budget_ctas=3)
    assert isinstance(gap, NoEvidence)
    assert str(gap).endswith("; its program was not tried: POL-02 entry 'D' supports budgets of 4 CTAs, not 3")


def test_a_kernel_that_the_device_refuses_calibrates_nothing() -> None:
    launch = {"threads": 256, "registers": 64, "shared_bytes": 10**9}
    loose, entry = kernels(operator("A", compute_us=10), launch=launch), fused(operator("A", compute_us=10))
    times = {row.key.entry: row.time_ps for row in service_table(decoding(loose, entry, records=[record(loose, "D", 20, 4)])).rows}
    assert times == {"D": 10_000_000, "D_graph": 20_000_000}


def test_a_score_that_rests_on_an_implausible_factor_says_so() -> None:
    loose, entry = kernels(operator("A", compute_us=10)), fused(operator("A", compute_us=10))
    asked = decoding(loose, entry, records=[record(loose, "D", 80, 4)])
    noted = {row.id: [note for note in row.notes if "implausible" in note] for row in solve(asked).results[0].ranking}
    finding = "calibration of 'D_graph': implausible: a factor of 8 is outside of 0.2 to 5.0; simulated 10.000 us, recorded 80.000 us"
    assert noted == {"m:D@serial": [finding], "c:D@serial": []}
    told = explain(asked, "m:D@serial")
    assert isinstance(told, Explanation)
    assert finding in told.row.notes


@pytest.mark.parametrize("facts", [{}, {"reason": "because", "more": 1}, {"duration_ps": 1, "bounds": {}, "factors": {}}])
def test_facts_of_another_form_are_no_derived_time(facts: Fields) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        derived_from(facts)
