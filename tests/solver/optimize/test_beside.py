"""A search over partitions finds what ranking the whole space finds, and its bounds are bounds."""

from __future__ import annotations

from random import Random

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

PAIRS = ((88, 44), (80, 52))
ROLES = (("P", "admission"), ("B", "producer"), ("L", "producer"), ("C", "consumer"), ("D", "consumer"))


def drawn(seed: int) -> Study:
    """A study of partitions: kernels in one or two implementations, some megakernels, most times recorded, and traffic."""
    random = Random(seed)
    names = [name for name, _ in ROLES if name in "BC" or random.random() < 0.45]
    contracts = [one for name in names for one in _kernels(random, name)]
    spans = ((first, last) for first in range(len(names)) for last in range(first + 1, min(first + 3, len(names)) + 1))
    contracts += [_megakernel(random, names[first:last]) for first, last in spans]
    known = [one for contract in contracts for one in _records(random, contract)]
    stream = {"first_chunk": random.randint(1, 3), "lookahead": random.randint(0, 3), "next_chunk": random.randint(1, 2)}
    policies = ["serial", "fixed", "dynamic", "partition"] if random.random() < 0.5 else ["partition"]
    parts = [{"producer_sms": x, "consumer_sms": y} for x, y in PAIRS]
    budgets = [{"producer_ctas": x, "consumer_ctas": y} for x, y in PAIRS] if "fixed" in policies else []
    groups = [group(name, dict(ROLES)[name]) for name in names]
    asked = spec(groups, stream=stream, policies=policies, partition_pairs=parts, budget_pairs=budgets)
    return study(asked, contracts, known, partition={"unit_sms": 4, "minimum_sms": 8, "sizes_sms": (88, 80, 52, 44)})


def _kernels(random: Random, name: str) -> list[Fields]:
    found = [conventional(name, dispatch=_dispatch(random))]
    if random.random() < 0.3:
        found.append(conventional(name, entry=f"{name}_two", implementation="two", dispatch=_dispatch(random)))
    return found


def _dispatch(random: Random) -> Fields:
    if random.random() < 0.5:
        return {**GRAPH, "host_us": random.randint(0, 3), "gap_us": random.randint(0, 1)}
    return {"kind": "stream", "host_waits": random.random() < 0.5, "host_us": random.randint(0, 4), "exposed_us": random.randint(0, 2)}


def _megakernel(random: Random, run: list[str]) -> Fields:
    return megakernel(*run, budgets=(132, 88, 80, 52, 44), host_us=random.randint(0, 5), loops_on_device=random.random() < 0.7)


def _records(random: Random, contract: Fields) -> list[Fields]:
    sizes = contract.get("budgets_ctas", (132, 88, 80, 52, 44))
    kept = [(member, size) for member in contract["members"] for size in sizes if random.random() < 0.95]
    return [record(contract, member, random.randint(1, 9), size, hbm_bytes=random.randint(0, 30_000_000)) for member, size in kept]


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_a_search_finds_the_designs_that_ranking_finds(objective: Objective, seed: int) -> None:
    assert_best_designs_are_found(drawn(seed), objective)


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_an_ablation_is_searched_alike(seed: int) -> None:
    assert_ablations_are_searched(drawn(seed))


@pytest.mark.parametrize("objective", Objective)
@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_no_word_is_longer_than_what_a_cover_takes(objective: Objective, seed: int) -> None:
    judge = judge_of(drawn(seed), objective)
    assert_words_are_bounds(judge, [row for row in rank(judge).ranking if row.candidate.policy.is_partition])


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_candidates_are_counted_without_listing_them(seed: int) -> None:
    assert_candidates_are_counted(drawn(seed))


@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_the_best_entries_of_a_candidate_are_those_of_its_row(seed: int) -> None:
    judge = judge_of(drawn(seed))
    assert_best_entries_are_chosen(judge, [row for row in rank(judge).ranking if row.candidate.policy.is_partition][:5])
