"""A budget pair is an error of `check` exactly where no entries that run with it are placed beside each other in `solve`."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.contracts.check.rules.reference.pairs import pair_exceeds_device
from megasolve.solver import SpaceTooLarge, refuse_many_variants, solve
from tests.support.planning.studies import Fields, group, megakernel, record, spec, study

STAGES = [group("B", "producer"), group("C", "consumer")]
PAIRS = ((6, 4), (7, 3), (7, 4), (12, 4), (14, 6), (10, 10), (8, 2), (9, 9), (20, 1))
# One, two or three CTAs on an SM; those of the middle leave room for one of the last.
BYTES = {1: (200_000, 140_000, 60_000), 2: (110_000, 60_000), 3: (70_000, 40_000)}


@st.composite
def crowded(draw: st.DrawFn) -> Study:
    """Draw a study of one pair on ten SMs, with one to three entries for each side and perhaps one for both."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    x, y = draw(st.sampled_from(PAIRS))
    contracts = [entry(random, name, number, ctas) for name, ctas in (("B", x), ("C", y)) for number in range(random.randint(1, 3))]
    if random.random() < 0.3:
        contracts.append(megakernel("B", "C", entry="both", budgets=sorted({10, x, y, *([x + y] if random.random() < 0.5 else [])})))
    known = [record(one, member, 5, ctas) for one in contracts for member in one["members"] for ctas in one["budgets_ctas"]]
    asked = spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=[{"producer_ctas": x, "consumer_ctas": y}])
    return study(asked, contracts, known, sms=10)


def entry(random: Random, member: str, number: int, ctas: int) -> Fields:
    per_sm = random.choice((1, 2, 3))
    shape = {"threads": 128, "registers": 32, "ctas_per_sm": per_sm, "cooperative": True, "shared_bytes": random.choice(BYTES[per_sm])}
    packed: dict[str, Any] = {"placement": {"packed": "invented"}} if per_sm > 1 and random.random() < 0.3 else {}
    budgets = sorted({10, *([ctas] if random.random() < 0.9 else [])})
    return megakernel(member, entry=f"{member}{number}", budgets=budgets, launch=shape, **packed)


@settings(max_examples=100)
@given(crowded())
def test_check_and_solve_agree_on_every_pair(asked: Study) -> None:
    is_error = any(pair_exceeds_device(asked))
    (pair,) = asked.spec.value.budget_pairs
    result = solve(asked).results[0]
    ranked = [row.id for row in result.ranking if row.candidate.policy.is_split]
    assert not (is_error and ranked), ranked
    supports = [
        any(ctas in document.value.budgets for document in asked.contracts if document.value.members == (name,))
        for name, ctas in (("B", pair.producer_ctas), ("C", pair.consumer_ctas))
    ]
    if all(supports) and not any(document.value.entry == "both" for document in asked.contracts):
        assert is_error is not bool(ranked)


def test_where_there_are_too_many_variants_to_rank_check_asks_of_no_pair() -> None:
    one = study(
        spec(STAGES, stream={"first_chunk": 1, "lookahead": 1}, budget_pairs=[{"producer_ctas": 120, "consumer_ctas": 120}]),
        [megakernel(name, budgets=(132, 120)) for name in "BC"],
        [],
    )
    assert any(pair_exceeds_device(one))
    many = tuple(
        replace(document, value=document.value.model_copy(update={"entry": f"{document.value.entry}{number}", "launch": launch}))
        for document in one.contracts
        for number in range(150)
        for launch in (document.value.launch.model_copy(update={"shared_bytes": 122_880 + 128 * number}),)
    )
    crowd = replace(one, contracts=many)
    assert not any(pair_exceeds_device(crowd))
    with pytest.raises(SpaceTooLarge):
        refuse_many_variants(crowd)
