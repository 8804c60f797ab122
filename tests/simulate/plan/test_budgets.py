"""Ranges of budgets stand for the pairs that they span, and the rest is what really fits beside the producers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from megasolve.contracts import Contract, Device, Study, co_residency
from megasolve.simulate.plan.budgets import planned_spec, rest_beside
from megasolve.solver import solve
from tests.support.planning.launches import device
from tests.support.planning.studies import SHAPE, Fields, group, megakernel, record, spec, study

STAGES = [group("B", "producer"), group("C", "consumer")]
COUNTS = {"from": 60, "to": 124, "step": 4}


def split(pairs: list[Fields], *entries: Fields, timed: Sequence[int] = range(8, 125, 4)) -> Study:
    """B beside the *entries* of C, each at every fourth budget; B has times for those that are *timed*."""
    budgets = [132, {"from": 8, "to": 124, "step": 4}]
    maker = {**megakernel("B"), "budgets_ctas": budgets}
    takers = [{**one, "budgets_ctas": budgets} for one in entries or (megakernel("C"),)]
    known = [record(maker, "B", 1000 - ctas, ctas) for ctas in (132, *timed)]
    known += [record(one, "C", 1000 - ctas, ctas) for one in takers for ctas in (132, *range(8, 125, 4))]
    asked = spec(STAGES, stream={"delay": 0, "first_chunk": 1, "lookahead": 1}, budget_pairs=pairs)
    return study(asked, [maker, *takers], known)


def plans(asked: Study) -> list[tuple[str, object]]:
    return [(row.id, row.score_ps) for row in solve(asked).results[0].ranking]


def test_a_range_is_ranked_like_the_pairs_that_it_spans() -> None:
    listed = [{"producer_ctas": x, "consumer_ctas": y} for x in range(60, 125, 4) for y in (8, 16)]
    spanned = [{"producer_ctas": COUNTS, "consumer_ctas": {"from": 8, "to": 16, "step": 8}}]
    assert plans(split(spanned)) == plans(split(listed))
    assert any("@dynamic:" in id_ for id_, _ in plans(split(spanned)))


def test_the_rest_is_ranked_like_the_pairs_that_fill_the_device() -> None:
    listed = [{"producer_ctas": x, "consumer_ctas": 132 - x} for x in range(60, 125, 4)]
    assert plans(split([{"producer_ctas": COUNTS, "consumer_ctas": "rest"}])) == plans(split(listed))


def test_a_pair_with_a_rest_is_open_only_to_entries_that_leave_it() -> None:
    dense = {**megakernel("C"), "entry": "C_dense", "launch": {**SHAPE, "registers": 64, "ctas_per_sm": 2, "shared_bytes": 98_304}}
    dense |= {"placement": {"packed": "one launch"}}
    asked = split([{"producer_ctas": 88, "consumer_ctas": "rest"}], megakernel("C"), dense)
    pairs = [pair.counts for pair in planned_spec(asked).budget_pairs]
    assert (88, 44) in pairs
    assert len(pairs) == 2
    for row in solve(asked).results[0].ranking:
        if row.candidate.policy.consumer_ctas == 44:
            assert "C_dense" not in row.entries


def test_a_pair_without_evidence_next_to_the_best_is_named_with_its_reason() -> None:
    result = solve(split([{"producer_ctas": COUNTS, "consumer_ctas": "rest"}], timed=[88, 120])).results[0]
    (note,) = [note for note in result.notes if "budget pairs" in note]
    assert note.startswith("of 17 budget pairs 60..124/4/rest 2 can be ranked, the best is ")
    assert note.count("next to it cannot (EVI-01 no record of B") == 2


@pytest.mark.parametrize("seed", range(40))
def test_the_rest_is_the_most_that_fits(seed: int) -> None:
    random = Random(seed)
    h100 = Device.model_validate(device().model_dump(mode="json", exclude_unset=True))
    makes, takes = _entry(random, "B"), _entry(random, "C")
    x = random.randint(1, 132)
    rest = rest_beside(h100, makes, x, takes)
    size, most = takes.launch.cluster_ctas, takes.launch.ctas_per_sm * h100.usable_sms
    fitting = [y for y in range(size, most + 1, size) if co_residency(h100, makes, x, takes, y).fits]
    assert rest == max(fitting, default=0)


def _entry(random: Random, name: str) -> Contract:
    per_sm = random.choice((1, 1, 2, 3))
    shape: Fields = {"threads": 256, "registers": 255 // per_sm // 8 * 8, "ctas_per_sm": per_sm}
    shape["shared_bytes"] = random.randint(0, 220_000 // per_sm)
    packed: Fields = random.choice(({}, {"placement": {"packed": "it is"}}))
    return Contract.model_validate({**megakernel(name), "launch": shape, "members": (name,), "budgets_ctas": (132,)} | packed)
