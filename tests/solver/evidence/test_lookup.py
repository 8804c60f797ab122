"""Evidence is found by its exact key; what is missing is shown beside the nearest record, whatever the order of records."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from megasolve.contracts import CheckFailed, Study, key_of, load_spec
from megasolve.solver import Evidence, NoEvidence, RecordUse, solve
from tests.support.disk.files import RECORDS, codes, write_study
from tests.support.planning.studies import SHAPE, Fields, conventional, group, megakernel, record, spec, study

ENTRY = megakernel("D", budgets=(132, 88), loops_on_device=True, geometry={"tile": {"m": 128, "n": 64}})


def known(*records: Fields, entry: Fields = ENTRY) -> Study:
    return study(spec([group("D", "producer")], publication={"group": "D", "step": 1}), [entry], records)


def found(asked: Study) -> RecordUse | NoEvidence:
    """Look for one call of D with 132 CTAs at batch 1."""
    return Evidence(asked).find(key_of(asked, asked.contracts[0].value, "D", budget_ctas=132, batch=1, shapes={}))


def test_a_record_matches_when_every_part_of_its_key_does() -> None:
    use = found(known(record(ENTRY, "D", 10)))
    assert isinstance(use, RecordUse)
    assert use.record.time_ps == 10_000_000


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"budget_ctas": 88}, "budget_ctas: 88 against 132"),
        ({"batch": 8}, "batch: 8 against 1"),
        ({"precision": "fp8"}, "precision: fp8 against bf16"),
        ({"device": "h200"}, "device: h200 against h100"),
        ({"entries": ["E", "F"]}, "entry: E against D"),
        ({"shapes": {"frames": 4}}, "shapes.frames: 4 against absent"),
        ({"context": {"launch": {**SHAPE, "threads": 512}, "geometry": ENTRY["geometry"]}}, "context.launch.threads: 512 against 256"),
        (
            {"context": {"launch": SHAPE, "geometry": ENTRY["geometry"], "synchronization": {"kind": "counters", "cost_us": 0.5}}},
            'context.synchronization: {"cost_us": 0.5, "kind": "counters"} against absent',
        ),
        ({"context": {"launch": SHAPE}}, 'context.geometry: absent against {"tile": {"m": 128, "n": 64}}'),
    ],
)
def test_one_part_that_differs_is_no_evidence_and_is_named(changed: Fields, difference: str) -> None:
    gap = found(known(record(ENTRY, "D", 10, **changed)))
    assert isinstance(gap, NoEvidence)
    assert gap.differences == (difference,)


def test_the_nearest_record_differs_in_the_fewest_parts() -> None:
    far, near = record(ENTRY, "D", 10, batch=8, budget_ctas=88), record(ENTRY, "D", 10, batch=8)
    gap = found(known(far, near))
    assert isinstance(gap, NoEvidence)
    assert gap.differences == ("batch: 8 against 1",)


def test_among_equally_near_records_their_order_does_not_decide() -> None:
    near = [record(ENTRY, "D", 10, batch=batch) for batch in (8, 2, 4)]
    texts = {str(found(known(*order))) for order in permutations(near)}
    assert len(texts) == 1
    assert texts.pop().endswith("batch 1, bf16, h100; the nearest (records.yaml) differs in batch: 2 against 1")


def test_the_order_of_keys_in_a_context_does_not_decide() -> None:
    turned = {"tile": {"n": 64, "m": 128}}
    assert isinstance(found(known(record(ENTRY, "D", 10, context={"geometry": turned, "launch": SHAPE}))), RecordUse)
    gaps = [
        found(known(record(ENTRY, "D", 10), entry=megakernel("D", budgets=(132, 88), geometry={"size": one})))
        for one in ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    ]
    assert str(gaps[0]) == str(gaps[1])


def test_nothing_is_planned_from_files_that_break_a_rule_whoever_read_them(tmp_path: Path) -> None:
    spec = write_study(tmp_path, records=RECORDS.replace("batch: 1\n", "batch: 1\n    beside: other work\n"))
    read = load_spec(spec)
    with pytest.raises(CheckFailed) as caught:
        solve(read)
    assert codes(caught.value.findings) == ["REC-06"]


def test_a_group_that_nobody_timed_says_so() -> None:
    assert str(found(known())).endswith("no record of D on megakernel at all")


def test_c27_the_ranking_turns_with_the_position_so_the_position_is_part_of_the_key() -> None:
    plain, redundant = megakernel("D", entry="plain"), megakernel("D", entry="redundant")
    times_us = {1: (5_655, 3_982), 200: (6_202, 6_883)}
    winners = {}
    for position in times_us:
        shapes = {"position": position}
        asked = spec([group("D", "producer", shapes=shapes)], publication={"group": "D", "step": 1})
        contracts = [{**one, "loops_on_device": False} for one in (plain, redundant)]
        records = [
            record(contract, "D", duration, shapes={"position": at})
            for at, durations in times_us.items()
            for contract, duration in zip(contracts, durations, strict=True)
        ]
        best = solve(study(asked, contracts, records)).results[0].ranking[0]
        winners[position] = best.entries
    assert winners == {1: ("redundant",), 200: ("plain",)}


def test_c40_a_measured_record_wins_over_what_its_program_would_take() -> None:
    kernel = conventional("D", grid_ctas=256, programs=opaque_program(duration_us=45.0))
    asked = spec([group("D", "producer")], publication={"group": "D", "step": 1})
    measured = solve(study(asked, [kernel], [record(kernel, "D", 59.1)])).results[0].ranking[0]
    derived = solve(study(asked, [kernel], [])).results[0].ranking[0]
    assert (measured.evidence, measured.score_ps) == (("profiled",), 59_100_000)
    assert (derived.evidence, derived.score_ps) == (("tile-simulated",), 45_000_000)


def opaque_program(duration_us: float) -> dict[str, object]:
    operator = {"name": "kernel", "kind": "opaque", "grid_ctas": 132, "duration_us": duration_us, "hbm_bytes": 0, "resident_ctas": 132}
    return {"D": [{"operators": [operator]}]}
