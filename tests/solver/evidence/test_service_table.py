"""The service table: every key of a spec, what serves it, how low its time could be, and what was kept of it on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.solver import Cache, Derivation, NoEvidence, ServiceTable, service_table, solve
from tests.support.planning.programs import decoding, fused, kernels, operator
from tests.support.planning.studies import SPECS, Fields, group, megakernel, record, spec, study

LOADING = operator("A", tiles=8, compute_us=1, weight_bytes=1_000_000, staging_bytes=0)


def priced(hbm_bytes: int | None, duration_us: float) -> ServiceTable:
    """Return the table of one record on a device that moves a byte in a picosecond."""
    entry = megakernel("D", budgets=(4,))
    moved: Fields = {"hbm_bytes": hbm_bytes} if hbm_bytes is not None else {}
    fields = {key: value for key, value in record(entry, "D", duration_us, 4).items() if key != "hbm_bytes"}
    return service_table(decoding(entry, records=[{**fields, **moved}]))


def cached(folder: Path, asked: Study, *off: str, refresh: bool = False) -> ServiceTable:
    return service_table(asked, derivation=Derivation(Mechanisms().without(*off), Cache(folder, refresh=refresh)))


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.json"))


def test_bytes_in_flight_that_limit_nothing_are_told_of_in_the_table_and_beside_the_design() -> None:
    limited = {**kernels(LOADING), "in_flight_bytes": 4096}
    asked, told = decoding(limited), "in_flight_bytes of 'D_graph' limits nothing"
    noted = [*service_table(asked).rows[0].notes, *solve(asked).results[0].ranking[0].notes]
    assert sum(note.startswith(told) for note in noted) == 2
    known, off = decoding(limited, figures={"hbm_latency_us": 0.3}), Derivation(Mechanisms().without("in_flight"))
    rows = [*service_table(known).rows, *service_table(asked, derivation=off).rows]
    assert not any(note.startswith(told) for row in rows for note in row.notes)


def test_tensors_that_stay_in_no_known_l2_are_told_of_in_the_table_and_beside_the_design() -> None:
    kept = {**kernels(LOADING), "stays_in_l2": ["weights"]}
    asked, told = decoding(kept), "stays_in_l2 of 'D_graph' keeps nothing"
    noted = [*service_table(asked).rows[0].notes, *solve(asked).results[0].ranking[0].notes]
    assert sum(note.startswith(told) for note in noted) == 2
    known, off = decoding(kept, figures={"l2_bytes": 10**6}), Derivation(Mechanisms().without("l2"))
    rows = [*service_table(known).rows, *service_table(asked, derivation=off).rows]
    assert not any(note.startswith(told) for row in rows for note in row.notes)


def test_a_table_has_a_row_for_every_contract_member_batch_and_budget() -> None:
    table = service_table(load_spec(SPECS / "nh_tts.yaml"))
    keys = [(row.key.entry, row.key.group, row.key.batch, row.key.budget_ctas) for row in table.rows]
    known = load_spec(SPECS / "nh_tts.yaml").contracts
    megakernels = sum(len(one.value.budgets) * len(one.value.members) for one in known if one.value.backend == "megakernel")
    assert len(keys) == len(set(keys)) == 3 * (megakernels + sum(one.value.backend == "conventional" for one in known))


def test_a_table_can_be_asked_for_some_batches_and_groups() -> None:
    table = service_table(load_spec(SPECS / "nh_tts.yaml"), batches=[64], groups={"B", "C"})
    assert {(row.key.batch, row.key.group) for row in table.rows} == {(64, "B"), (64, "C")}


def test_a_row_without_a_time_says_what_is_missing() -> None:
    (row,) = service_table(decoding(megakernel("D", budgets=(4,)))).rows
    assert isinstance(row.found, NoEvidence)
    assert (row.time_ps, row.use, row.bound, row.flag) == (None, None, None, None)


@pytest.mark.parametrize(
    ("duration_us", "flag"), [(1.0, "at bound"), (1.001, "at bound"), (1.001001, None), (0.999999, "below bound"), (2.0, None)]
)
def test_a_time_within_a_thousandth_of_its_bound_or_below_it_is_flagged(duration_us: float, flag: str | None) -> None:
    (row,) = priced(1_000_000, duration_us).rows
    assert row.bound is not None
    assert (row.bound.time_ps, row.bound.kind, row.flag) == (1_000_000, "bandwidth", flag)


def test_a_record_without_bytes_has_no_bound() -> None:
    (row,) = priced(None, 1).rows
    assert (row.time_ps, row.bound, row.flag) == (1_000_000, None, None)


def test_the_bound_of_a_derived_time_is_the_largest_of_three() -> None:
    moving = operator("A", tiles=8, weight_bytes=1_000_000, staging_bytes=0)
    working = operator("A", tiles=9, compute_us=1)
    chain = (operator("A", compute_us=1), operator("B", "A", compute_us=1))
    found = [service_table(decoding(fused(*ones))).rows[0].bound for ones in ((moving,), (working,), chain)]
    assert [(bound.time_ps, bound.kind) for bound in found if bound] == [
        (8_000_000, "bandwidth"),
        (2_250_000, "work"),
        (2_000_000, "critical path"),
    ]


def test_operators_that_are_never_staged_are_named() -> None:
    large = [operator(name, compute_us=1, weight_bytes=150_000) for name in ("A", "B")]
    (row,) = service_table(decoding(fused(*large))).rows
    assert row.notes == ("never staged, because their weights do not fit beside the largest tile: A, B; prefetch does nothing for them",)
    (row,) = service_table(decoding(fused(*large)), derivation=Derivation(Mechanisms().without("prefetch"))).rows
    assert row.notes == ()


def test_a_finding_of_the_calibration_is_a_note_of_the_rows_that_it_concerns() -> None:
    loose, entry = kernels(operator("A", compute_us=10)), fused(operator("A", compute_us=10))
    table = service_table(decoding(loose, entry, fused(operator("B", compute_us=1), entry="other"), records=[record(loose, "D", 80, 4)]))
    noted = {row.key.entry for row in table.rows if any("implausible" in note for note in row.notes)}
    assert noted == {"D", "D_graph"}


def test_a_recorded_time_of_a_launch_that_cannot_run_stays_and_names_the_rule() -> None:
    entry = megakernel("D", budgets=(500,))
    (row,) = service_table(decoding(entry, records=[record(entry, "D", 3, 500)])).rows
    assert (row.time_ps, row.missing) == (3_000_000, None)
    assert any(note.startswith("cannot be launched: LIM-12 entry 'D': ") for note in row.notes)


def test_a_recorded_simulation_that_hides_the_program_says_what_the_program_gives() -> None:
    entry = fused(LOADING)
    told = {"kind": "tile-simulated", "source": "an older run", "tool": "a simulator 1"}
    simulated, measured = (record(entry, "D", 7, 4, **fields) for fields in ({"provenance": told}, {}))
    (row,) = service_table(decoding(entry, records=[simulated])).rows
    remark = "this recorded simulation wins over the contract's own program, which gives 9.000 us; remove the record to use the program"
    assert (row.time_ps, row.notes) == (7_000_000, (remark,))
    assert service_table(decoding(entry, records=[measured])).rows[0].notes == ()


def test_rows_stand_by_group_entry_budget_and_batch_whatever_the_files_are_called() -> None:
    first, second = (megakernel("D", "E", entry=name, budgets=(2, 4)) for name in ("alpha", "beta"))
    groups = [group("D", "producer"), group("E", "producer")]
    asked = study(spec(groups, batches=[1, 8], publication={"group": "E", "step": 1}), [first, second], [], sms=4)
    turned = replace(asked, contracts=tuple(reversed(asked.contracts)))
    keys = [(row.key.group, row.key.entry, row.key.budget_ctas, row.key.batch) for row in service_table(turned).rows]
    assert keys == [(name, entry, budget, batch) for name in "DE" for entry in ("alpha", "beta") for budget in (4, 2) for batch in (1, 8)]


def test_a_table_from_the_cache_is_the_table_that_was_computed(tmp_path: Path) -> None:
    loose = kernels(operator("A", compute_us=10), entry="loose")
    stuck = fused(operator("B", compute_us=1, staging_bytes=10**9), entry="stuck")
    asked = decoding(loose, fused(LOADING), stuck, kernels(LOADING), records=[record(loose, "D", 15, 4)])
    plain, cold = service_table(asked), cached(tmp_path, asked)
    files = {file: file.stat().st_mtime_ns for file in entries(tmp_path)}
    assert len(files) == 4
    assert plain.rows == cold.rows == cached(tmp_path, asked).rows
    assert {file: file.stat().st_mtime_ns for file in entries(tmp_path)} == files


def test_a_damaged_entry_is_computed_again_and_written_anew(tmp_path: Path) -> None:
    asked = decoding(fused(LOADING))
    cold = cached(tmp_path, asked)
    (file,) = entries(tmp_path)
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole.replace(b"9000000", b"9000001"), b'{"megasolve": "cached/v1"}'):
        file.write_bytes(damaged)
        assert cached(tmp_path, asked).rows == cold.rows
        assert file.read_bytes() == whole


def test_a_well_formed_entry_of_another_form_is_computed_again(tmp_path: Path) -> None:
    asked = decoding(fused(LOADING))
    cold = cached(tmp_path, asked)
    (file,) = entries(tmp_path)
    whole = file.read_bytes()
    Cache(tmp_path).keep(json.loads(whole)["key"], {"duration_ps": "soon"})
    assert cached(tmp_path, asked).rows == cold.rows
    assert file.read_bytes() == whole


def test_refresh_computes_what_the_cache_would_have_told(tmp_path: Path) -> None:
    asked = decoding(fused(LOADING))
    cold = cached(tmp_path, asked)
    (file,) = entries(tmp_path)
    Cache(tmp_path).keep(json.loads(file.read_bytes())["key"], {"reason": "a lie that is well kept"})
    assert cached(tmp_path, asked).rows[0].time_ps is None
    assert cached(tmp_path, asked, refresh=True).rows == cold.rows
    assert cached(tmp_path, asked).rows == cold.rows


CHANGES: dict[str, tuple[Fields, Fields, tuple[str, ...]]] = {
    "compute": ({"operators": [{**LOADING, "compute_us": 2}]}, {}, ()),
    "repeat": ({"repeat": 2}, {}, ()),
    "budget": ({"budgets": (3,)}, {}, ()),
    "shared memory": ({"launch": {"threads": 256, "registers": 64, "shared_bytes": 2048}}, {}, ()),
    "wait cost": ({"synchronization": {"kind": "counters", "cost_us": 1}}, {}, ()),
    "storage": ({"storage": {"policy": "streaming"}}, {}, ()),
    "bandwidth": ({}, {"hbm_sustained_bytes_per_s": 9 * 10**11}, ()),
    "port": ({}, {"sm_bytes_per_s": 10**11}, ()),
    "shared memory of the device": ({}, {"shared_bytes_per_cta": 200_000}, ()),
    "mechanism": ({}, {}, ("prefetch",)),
}


@pytest.mark.parametrize(("entry", "device", "off"), CHANGES.values(), ids=CHANGES)
def test_whatever_decides_a_time_has_an_entry_of_its_own(tmp_path: Path, entry: Fields, device: Fields, off: tuple[str, ...]) -> None:
    cached(tmp_path, decoding(fused(LOADING)))
    changed = {"operators": [LOADING], **entry}
    cached(tmp_path, decoding(fused(*changed.pop("operators"), **changed), figures=device), *off)
    assert len(entries(tmp_path)) == 2


def test_what_decides_nothing_shares_the_entry(tmp_path: Path) -> None:
    cached(tmp_path, decoding(fused(LOADING)))
    cached(tmp_path, decoding(fused(LOADING, host_us=3, title="another title", notes="a note"), name="renamed"))
    assert len(entries(tmp_path)) == 1


def test_a_spec_without_programs_touches_no_cache(tmp_path: Path) -> None:
    cached(tmp_path / "cache", load_spec(SPECS / "worked_example.yaml"))
    assert not (tmp_path / "cache").exists()


def test_two_groups_with_one_program_are_derived_apart() -> None:
    entry = megakernel(
        "D", "E", budgets=(4,), programs={name: [{"operators": [operator("A", tiles="tokens", compute_us=1)]}] for name in "DE"}
    )
    groups = [group("D", "producer", shapes={"tokens": 4}), group("E", "producer", shapes={"tokens": 5})]
    asked = study(spec(groups, publication={"group": "E", "step": 1}), [entry], [])
    assert {row.key.group: row.time_ps for row in service_table(asked).rows} == {"D": 1_000_000, "E": 2_000_000}
