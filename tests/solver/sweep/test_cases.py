"""Situations from the field, as far as a sweep answers them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.contracts.fields.scale import parse_range
from megasolve.simulate import Effects, Objective
from megasolve.solver import Derivation, Drawing, FieldSweep, How, sweep_batches, sweep_fields
from megasolve.solver.select.stream.findings import SOUND_STOPS
from tests.support.command import CHECKOUT
from tests.support.planning.studies import conventional, group, megakernel, record, spec, stepped
from tests.support.planning.studies import study as study_of

FIRST = Objective.FIRST_PUBLICATION


def swept(study: Study, words: str) -> FieldSweep:
    """Return the sweep of *study* over the range that *words* state."""
    (one,) = sweep_fields(study, [parse_range(words)], [FIRST], How(Derivation(), Effects())).fields
    return one


SIZES = {32: (1.33, 2.5), 48: (1.21, 1.83), 64: (1.09, 1.49), 80: (1.08, 1.30), 96: (1.06, 1.18), 132: (1, 1)}
PAIRS = ((32, 96), (48, 80), (64, 64), (80, 48), (96, 32))


def sharing(remaining: float, vocoder: float) -> Study:
    """Return the two stages of a TTS model with *remaining* and *vocoder* ms of work, timed at the measured sizes and no other."""
    steps, chunk = (megakernel(name, budgets=sorted(SIZES, reverse=True), host_us=0) for name in "BC")
    records = [record(steps, "B", round(remaining * times[0] * 1_000), size) for size, times in SIZES.items()]
    records += [record(chunk, "C", round(vocoder * times[1] * 1_000), size) for size, times in SIZES.items()]
    asked = spec(
        [group("B", "producer"), group("C", "consumer")],
        stream={"delay": 0, "first_chunk": 1, "lookahead": 1},
        policies=["serial", "dynamic"],
        budget_pairs=[{"producer_ctas": x, "consumer_ctas": y} for x, y in (*PAIRS, (88, 44))],
    )
    return study_of(asked, [steps, chunk], records, sources={"default": "invented"})


@pytest.mark.parametrize(
    ("mix", "pair", "after_ms"), [((20, 12), "64/64", 21.8), ((10, 20), "32/96", 23.6), ((16, 16), "48/80", 20.8), ((8, 30), "32/96", 35.4)]
)
def test_c28_the_best_split_moves_with_the_mix_and_only_measured_sizes_are_splits(
    mix: tuple[float, float], pair: str, after_ms: float
) -> None:
    (batches,) = sweep_batches(sharing(*mix), [FIRST], How(Derivation(), Effects())).batches
    (plan,) = batches.results
    assert plan.best == (f"m:B/m:C@dynamic:{pair}",)
    assert Fraction(plan.ranking[0].score_ps, 10**9) == pytest.approx(mix[0] + after_ms, abs=0.05)
    assert {row.id for row in plan.excluded} >= {"m:B/m:C@dynamic:88/44"}


@pytest.mark.parametrize(("fused", "plain"), [(972.78, 979.51), (759.83, 794.74), (828.544, 803.968)])
def test_c46_a_near_tie_is_too_close_to_call_at_every_point_of_a_sweep(fused: float, plain: float) -> None:
    one, other = megakernel("B", host_us=0), conventional("B")
    records = [record(one, "B", fused, accuracy=0.05), record(other, "B", plain, accuracy=0.05)]
    study = study_of(spec([group("B", "producer")], publication={"group": "B", "step": 1}), [one, other], records)
    found = sweep_batches(study, [FIRST], How(Derivation(), Effects()), drawing=Drawing())
    (plan,) = found.batches[0].results
    assert len(plan.too_close) == 1
    (robust,) = found.robustness
    assert robust.stated == 2
    assert robust.chance is not None
    assert 0.5 < robust.chance < 0.95


def test_c52_a_shorter_first_chunk_is_out_earlier_and_the_sound_stops() -> None:
    producer, consumer = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    stream = {"delay": 0, "first_chunk": 1, "next_chunk": 8, "lookahead": 0, "frame_us": 83_000}
    study = stepped(producer, consumer, 40_000, 10, stream, policies=["serial"])
    study = study_of_with_sources(study)
    found = swept(study, "stream.first_chunk=1..8/7")
    scores = [point.result.ranking[0].score_ps for point in found.points]
    assert scores == sorted(scores)
    stalls = {point.value: SOUND_STOPS in {one.rule for one in point.result.findings} for point in found.points}
    assert (stalls[1], stalls[4], stalls[8]) == (True, False, False)


def test_c54_a_faster_producer_changes_nothing_where_the_consumer_is_what_is_waited_for() -> None:
    study = load_spec(CHECKOUT / "specs/worked_example.yaml")
    slow = swept(study, "records[group=B,budget=88].duration_us=2700..4500/3")
    assert len({point.result.ranking[0].score_ps for point in slow.points}) == 1
    assert slow.changes == ()


def test_c55_each_objective_is_named_and_may_have_another_winner() -> None:
    study = load_spec(CHECKOUT / "specs/worked_example.yaml")
    found = sweep_batches(study, [FIRST, Objective.PRODUCER_STEP], How(Derivation(), Effects()))
    assert [one.objective for one in found.batches] == [FIRST, Objective.PRODUCER_STEP]
    assert found.batches[0].results[0].best != found.batches[1].results[0].best


def study_of_with_sources(study: Study) -> Study:
    """Return *study* with a source for the figures of its device, as the rules want it."""
    from dataclasses import replace

    device = study.device.value.model_copy(update={"sources": {"default": "invented"}})
    return replace(study, device=replace(study.device, value=device))
