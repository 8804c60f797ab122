"""Sweeps over a field: the winner at each value, and exactly where it changes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from megasolve.contracts import CheckFailed, Study, load_spec
from megasolve.contracts.fields.path import UnusableField
from megasolve.contracts.fields.scale import parse_range
from megasolve.simulate import Effects, Objective
from megasolve.solver import Derivation, FieldSweep, FieldTurns, How, sweep_fields, turns
from tests.support.command import CHECKOUT
from tests.support.planning.fusions import fusion

FUSED, PLAIN = "m:B@serial", "c:B@serial"
FIRST = Objective.FIRST_PUBLICATION


def plain() -> How:
    """Return how plans are made by default."""
    return How(Derivation(), Effects())


def swept(study: Study, words: str, **how: Any) -> FieldSweep:
    """Return the sweep of *study* over the range that *words* state."""
    (one,) = sweep_fields(study, [parse_range(words)], [FIRST], plain(), **how).fields
    return one


def turned(study: Study, path: str) -> FieldTurns:
    """Return where the answer of *study* turns."""
    return turns(study, path, FIRST, plain(), study.spec.value.batches[0])


def test_a_crossing_by_hand_is_found_to_one_picosecond() -> None:
    # 100 + 3 + 10 gaps against 95.5 + 10: equal at a gap of 0.25.
    found = swept(fusion({1: (100, 95.5)}), "contracts[B_graph].dispatch.gap_us=0..1/4")
    assert [point.value for point in found.points] == [Decimal(0), Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1)]
    assert [point.result.best for point in found.points] == [(PLAIN,), (PLAIN, FUSED), (FUSED,), (FUSED,), (FUSED,)]
    first, second = found.changes
    assert (first.last, first.first, first.before, first.after) == (Decimal("0.249999"), Decimal("0.25"), (PLAIN,), (PLAIN, FUSED))
    assert (second.last, second.first, second.before, second.after) == (Decimal("0.25"), Decimal("0.250001"), (PLAIN, FUSED), (FUSED,))
    assert first.is_exact
    assert second.is_exact


def test_every_crossing_of_several_is_found() -> None:
    # The worked example at more and more steps after the first chunk: serial, overlap, equal, serial.
    found = swept(load_spec(CHECKOUT / "specs/worked_example.yaml"), "stream.lookahead=0..4")
    serial, overlap = "m:P/m:B+L/m:C@serial", "m:P/m:B+L/m:C@dynamic:88/44"
    assert [(one.last, one.first, one.after) for one in found.changes] == [(0, 1, (overlap,)), (2, 3, (serial, overlap)), (3, 4, (serial,))]


def test_each_batch_is_swept_by_itself() -> None:
    study = fusion({1: (100, 95), 8: (100, 97)})
    every = sweep_fields(study, [parse_range("contracts[B].dispatch.host_us=0..20/2")], [FIRST], plain()).fields
    assert [(one.batch, [change.first for change in one.changes]) for one in every] == [
        (1, [Decimal(13), Decimal("13.000001")]),
        (8, [Decimal(11), Decimal("11.000001")]),
    ]


def test_what_several_records_have_is_varied_together() -> None:
    study = fusion({1: (100, 95), 8: (200, 97)})
    found = swept(study, "records[entry=B].duration_us=50..150/2", batches=[8])
    assert found.now is None
    assert [change.first for change in found.changes] == []
    assert [change.first for change in swept(study, "records[entry=B].duration_us=50..150/2", batches=[1]).changes] == [
        Decimal(98),
        Decimal("98.000001"),
    ]


def test_the_answer_turns_below_and_above_what_a_field_is_now() -> None:
    found = turned(fusion({1: (100, 95)}), "records[entry=B].duration_us")
    assert (found.now, found.best, found.below) == (Decimal(95), (FUSED,), None)
    assert found.above is not None
    assert (found.above.last, found.above.first, found.above.after) == (Decimal("97.999999"), Decimal(98), (PLAIN, FUSED))


def test_a_field_that_changes_nothing_turns_nothing() -> None:
    found = turned(fusion({1: (100, 95)}), "device.hbm_sustained_bytes_per_s")
    assert (found.below, found.above) == (None, None)
    assert found.within[1] == fusion({1: (100, 95)}).device.value.hbm_peak_bytes_per_s


@pytest.mark.parametrize(
    ("words", "because"),
    [
        ("contracts[B].dispatch.host_us", "is no range: write PATH=A..B or PATH=A..B/STEPS"),
        ("contracts[B].dispatch.host_us=5", "is no range"),
        ("contracts[B].dispatch.host_us=5..x", "is no range"),
        ("contracts[B].dispatch.host_us=5..6/0", "at least one step"),
        ("contracts[B].dispatch.host_us=6..5", "5 is not above 6"),
        ("contracts[B].dispatch.host_us=5..5", "5 is not above 5"),
        ("contracts[B].dispatch.host_us=nan..5", "is no range"),
        ("contracts[B].dispatch.host_us=0.0000001..0.0000002", "is no step of this field"),
        ("contracts[B].dispatch.kind=0..1", "is no number"),
        ("groups[B].calls=1.2..1.9", "is no step of this field"),
        ("contracts[B].dispatch.hostus=0..1", "did you mean 'host_us'?"),
    ],
)
def test_what_is_no_range_of_a_number_is_refused(words: str, because: str) -> None:
    with pytest.raises(UnusableField) as caught:
        swept(fusion({1: (100, 95)}), words)
    assert because in str(caught.value)


def test_a_range_that_breaks_a_rule_is_refused() -> None:
    with pytest.raises(CheckFailed, match="DEV-03"):
        swept(fusion({1: (100, 95)}), "device.hbm_sustained_bytes_per_s=1e12..1e13")


def test_fields_with_different_values_have_no_value_to_turn_from() -> None:
    with pytest.raises(UnusableField, match="2 fields with different values"):
        turned(fusion({1: (100, 95)}), "records.duration_us")
