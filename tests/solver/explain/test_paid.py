"""What each side of two that run beside each other pays, by hand: a prefill chunk beside decode steps. Times in us."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.report import explanation_json, explanation_text
from megasolve.simulate import Objective
from megasolve.solver import Explanation, explain
from tests.support.planning.answers import first, score_us
from tests.support.planning.studies import GRAPH, Fields, conventional, group, record, spec, study

US = 10**6
WIDE, NARROW = 132, 44
RUNS_AHEAD: Fields = {**GRAPH, "host_waits": False}
UNITS: Fields = {"unit_sms": 8, "minimum_sms": 8, "sizes_sms": (88,)}
ASKED: Fields = {
    "policies": ["serial", "partition", "streams"],
    "partition_pairs": [{"producer_sms": 88, "consumer_sms": "rest"}],
    "objective": "chunk_interval",
}


def served(ctas: int, *, parts: bool = True, whole: bool = True, **fields: Any) -> Study:
    """Decode steps D of ten kernels of 10 us, and a prefill chunk P of ten of 30 us for every two of them; 11 and 32 us on parts."""
    decode, prefill = (conventional(name, kernels=10, grid_ctas=ctas, dispatch=RUNS_AHEAD) for name in "DP")
    known = [record(decode, "D", 100), record(prefill, "P", 300)] if whole else []
    known += [record(decode, "D", 110, 88), record(prefill, "P", 320, 44)] if parts else []
    groups = [group("D", "producer"), group("P", "consumer")]
    asked = {**ASKED, "stream": {"first_chunk": 2, "next_chunk": 2}, **fields}
    return study(spec(groups, **asked), [decode, prefill], known, partition=UNITS)


def explained(asked: Study, policy: str, objective: Objective = Objective.CHUNK_INTERVAL) -> Explanation:
    found = explain(asked, f"c:D/c:P@{policy}", objective=objective)
    assert isinstance(found, Explanation)
    return found


def text_of(found: Explanation) -> str:
    return explanation_text(found, spec="model", device="h100")


def test_the_serial_gap_is_the_sum_of_both() -> None:
    assert score_us(first(served(WIDE)), "c:D/c:P@serial") == 2 * 100 + 300
    assert explained(served(WIDE), "serial").paid_by_sides is None


@pytest.mark.parametrize("objective", Objective)
def test_wide_kernels_on_two_streams_alternate_and_both_pay_for_it(objective: Objective) -> None:
    # P first: nine times 30 + 10 and 30 more until its last kernel ends. D has run nine kernels by then, and eleven are left.
    found = explained(served(WIDE), "streams", objective)
    assert found.paid_by_sides is not None
    steps, chunk = found.paid_by_sides.sides
    assert (steps.beside_ps, steps.alone_ps, steps.paid) == ((390 + 110) * US, 200 * US, Fraction(3, 2))
    assert (chunk.beside_ps, chunk.alone_ps, chunk.paid) == (390 * US, 300 * US, Fraction(3, 10))
    assert (found.paid_by_sides.cycle_ps, found.paid_by_sides.serial_ps) == (500 * US, 500 * US)
    assert (
        "side by side a steady cycle of 2 steps and a chunk takes 500.000 µs; one after the other it takes 500.000 µs\n"
        "  the 2 steps: 500.000 µs, alone 200.000 µs: +150.00 %\n"
        "  the chunk: 390.000 µs, alone 300.000 µs: +30.00 %\n"
    ) in text_of(found)


def test_narrow_kernels_on_two_streams_pay_nothing() -> None:
    found = explained(served(NARROW), "streams")
    assert found.paid_by_sides is not None
    assert [side.paid for side in found.paid_by_sides.sides] == [0, 0]
    assert "  the chunk: 300.000 µs, alone 300.000 µs: 0.00 %\n" in text_of(found)


def test_partitions_pay_for_the_sms_that_each_gives_up() -> None:
    found = explained(served(WIDE), "partition:88/44")
    assert found.paid_by_sides is not None
    assert [side.paid for side in found.paid_by_sides.sides] == [Fraction(1, 10), Fraction(20, 300)]
    assert (found.paid_by_sides.cycle_ps, found.paid_by_sides.serial_ps) == (320 * US, 500 * US)
    facts = json.loads(explanation_json(found, spec="model", device="h100"))["side_by_side"]
    assert (facts["cycle_steps"], facts["cycle_us"], facts["serial_us"]) == (2, "320.000000", "500.000000")
    assert facts["steps"] == {
        "beside_us": "220.000000",
        "beside_ps": 220 * US,
        "alone_us": "200.000000",
        "alone_ps": 200 * US,
        "paid": "0.100000",
    }


def test_what_a_side_takes_alone_is_not_known_without_evidence_for_the_whole_device() -> None:
    found = explained(served(WIDE, whole=False), "partition:88/44")
    assert found.paid_by_sides is not None
    assert [side.paid for side in found.paid_by_sides.sides] == [None, None]
    assert "  the 2 steps: 220.000 µs, alone not known\n" in text_of(found)
    facts = json.loads(explanation_json(found, spec="model", device="h100"))["side_by_side"]
    assert (facts["serial_us"], facts["chunk"]["alone_us"], facts["chunk"]["paid"]) == (None, None, None)


def test_without_later_chunks_one_is_as_long_as_the_first() -> None:
    found = explained(served(WIDE, objective="first_publication", stream={"first_chunk": 2}), "streams", Objective.FIRST_PUBLICATION)
    assert found.paid_by_sides is not None
    assert (found.paid_by_sides.steps, found.paid_by_sides.cycle_ps) == (2, 500 * US)
