"""A search over two streams finds what ranking the whole space finds, and its bounds are bounds."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver.select.selection import rank
from tests.support.judges.searched_sides import (
    assert_ablations_are_searched,
    assert_best_designs_are_found,
    assert_best_entries_are_chosen,
    assert_candidates_are_counted,
    assert_words_are_bounds,
    judge_of,
)
from tests.support.planning.studies import GRAPH, Fields, conventional, group, megakernel, record, spec, study

PAIRS = ((88, 44), (80, 52), (132, 44))
ROLES = (("P", "admission"), ("B", "producer"), ("L", "producer"), ("C", "consumer"), ("D", "consumer"))


def drawn(seed: int) -> Study:
    """A study of two streams: kernels of all widths, some megakernels, most times recorded, and traffic."""
    random = Random(seed)
    names = [name for name, _ in ROLES if name in "BC" or random.random() < 0.4]
    contracts = [_kernels(random, name) for name in names]
    spans = ((first, last) for first in range(len(names)) for last in range(first + 1, min(first + 3, len(names)) + 1))
    contracts += [_megakernel(random, names[first:last]) for first, last in spans]
    known = [one for contract in contracts for one in _records(random, contract)]
    stream = {"first_chunk": random.randint(1, 3), "lookahead": random.randint(0, 2), "next_chunk": random.randint(1, 2)}
    if random.random() < 0.3:
        stream["length_steps"] = stream["first_chunk"] + stream["lookahead"] + random.randint(0, 2)
    more: dict[str, Any] = {"streams": {"waits_for": random.choice((["step"], ["stream", "step"]))}}
    if random.random() < 0.5:
        more["hosts"] = {"main": [name for name in names if name not in "CD"], "vocoder": [name for name in names if name in "CD"]}
    policies = random.choice((["serial", "streams"], ["serial", "fixed", "dynamic", "streams"], ["streams"]))
    budgets = [{"producer_ctas": x, "consumer_ctas": y} for x, y in PAIRS]
    groups = [group(name, dict(ROLES)[name]) for name in names]
    return study(spec(groups, stream=stream, policies=policies, budget_pairs=budgets, **more), contracts, known)


def _kernels(random: Random, name: str) -> Fields:
    width: Fields = {"grid_ctas": random.choice((20, 66, 132, 200))} if random.random() < 0.6 else {}
    count: Fields = {"kernels": random.randint(1, 3)} if width == {} or random.random() < 0.9 else {}
    return conventional(name, dispatch=_dispatch(random), **width, **(count if random.random() < 0.95 else {}))


def _dispatch(random: Random) -> Fields:
    if random.random() < 0.5:
        return {**GRAPH, "host_us": random.randint(0, 3), "gap_us": random.randint(0, 1)}
    return {"kind": "stream", "host_waits": random.random() < 0.3, "host_us": random.randint(0, 4), "exposed_us": random.randint(0, 2)}


def _megakernel(random: Random, run: list[str]) -> Fields:
    return megakernel(*run, budgets=(132, 88, 80, 52, 44), host_us=random.randint(0, 5), loops_on_device=random.random() < 0.7)


def _records(random: Random, contract: Fields) -> list[Fields]:
    sizes = contract.get("budgets_ctas", (132,))
    kept = [(member, size) for member in contract["members"] for size in sizes if random.random() < 0.95]
    return [record(contract, member, random.randint(1, 9), size, hbm_bytes=random.randint(0, 30_000_000)) for member, size in kept]


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=4)
@given(st.integers(0, 2**32 - 1))
def test_a_search_finds_the_designs_that_ranking_finds_and_counts_candidates(objective: Objective, seed: int) -> None:
    asked = drawn(seed)
    assert_best_designs_are_found(asked, objective)
    assert_candidates_are_counted(asked, objective)


@settings(max_examples=4)
@given(st.integers(0, 2**32 - 1))
def test_an_ablation_is_searched_alike(seed: int) -> None:
    assert_ablations_are_searched(drawn(seed))


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=4)
@given(st.integers(0, 2**32 - 1))
def test_no_word_is_longer_than_what_a_cover_takes(objective: Objective, seed: int) -> None:
    judge = judge_of(drawn(seed), objective)
    rows = [row for row in rank(judge).ranking if row.candidate.policy.is_streams]
    assert_words_are_bounds(judge, rows)
    assert_best_entries_are_chosen(judge, rows[:3])
