"""Candidates are counted without listing any, and so is what each rule excludes, whatever constraints stand beside the rules."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import Effort, Judge, Question, solve, stated_where
from megasolve.solver.optimize import outcomes
from megasolve.solver.optimize.counting import SpaceCounts, counted
from megasolve.solver.optimize.hunt import Hunt
from megasolve.solver.select.selection import rank
from tests.support.planning.chains import chain_study
from tests.support.planning.goals import random_constraints, with_constraints
from tests.support.planning.launch_studies import chain_of_launches, graph_study
from tests.support.planning.random_studies import studies
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study


def judge_of(asked: Study) -> Judge:
    return Judge(asked, Question(asked.spec.value, 1, Objective.FIRST_PUBLICATION))


def assert_counted(asked: Study) -> SpaceCounts:
    whole, counts = rank(judge_of(asked)), counted(judge_of(asked))
    known = {row.id: {cause.rule.code for cause in row.causes} for row in whole.excluded}
    assert counts.is_whole
    assert (counts.candidates, counts.feasible) == (whole.candidates, len(whole.ranking))
    assert {one.rule.code: one.candidates for one in counts.excluded_by} == Counter(code for codes in known.values() for code in codes)
    assert all(one.rule.code in known[one.example] for one in counts.excluded_by)
    return counts


@settings(max_examples=30)
@given(studies())
def test_what_rules_exclude_is_counted(asked: Study) -> None:
    assert_counted(asked)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_what_constraints_exclude_is_counted_in_chains_and_graphs(seed: int) -> None:
    random = Random(seed)
    asked = chain_of_launches(random) if seed % 2 else graph_study(random)
    assert_counted(with_constraints(asked, random_constraints(random, asked)))


def test_groups_that_are_to_stay_together_do_so_in_a_region_of_both() -> None:
    kernels = [conventional(name) for name in "PBC"]
    known = [record(one, one["members"][0], 5) for one in kernels]
    asked = spec([group("P", "admission"), group("B", "producer"), group("C", "consumer")], stream={"delay": 0, "first_chunk": 1})
    counts = assert_counted(with_constraints(study(asked | {"policies": ["serial"]}, kernels, known), {"together": [["P", "B"]]}))
    assert {one.rule.code: one.candidates for one in counts.excluded_by} == {"MEM-01": 14, "REQ-05": 9}


def test_of_twelve_groups_with_six_megakernels_all_that_can_run_are_counted_and_the_best_are_proven() -> None:
    names = [f"G{place}" for place in range(12)]
    spans = ((0, 1), (0, 3), (2, 4), (8, 11), (9, 11), (9, 12))
    entries = [*(megakernel(*names[first:last], host_us=1) for first, last in spans), *map(conventional, names)]
    known = [record(one, member, 5) for one in entries for member in one["members"]]
    asked = study(spec([group(name, "producer") for name in names], publication={"group": "G11", "step": 1}), entries, known)
    counts = counted(judge_of(asked))
    assert (counts.candidates, counts.feasible) == (354_294, 4_872)
    assert Hunt(judge_of(asked)).run().is_proven


@pytest.fixture(scope="module")
def chain() -> Study:
    return chain_study(Random(1), 14, 1)


def test_at_most_two_megakernels_of_a_space_that_nobody_lists_are_counted(chain: Study) -> None:
    known = solve(chain, where=[stated_where(chain, "megakernels<=2")], effort=Effort(top=1)).results[0].searched
    assert known is not None
    found = {one.rule.code: one for one in known.excluded_by}["REQ-01"]
    # The kernels of the first and the last group are launched in another way, so no conventional region has one of them and others.
    ways: list[Counter[int]] = [Counter({0: 1})]
    for last in range(1, 15):
        alone = {last - 1} if last in (1, 14) else {*range(1, last)}
        ways.append(Counter())
        for first in range(last):
            for megakernels, count in ways[first].items():
                ways[last][megakernels + 1] += count
                ways[last][megakernels] += count * (first in alone)
    assert found.candidates == sum(count for megakernels, count in ways[14].items() if megakernels > 2)
    assert found.because.startswith("3 megakernels > 2 ")


def test_what_is_too_much_to_count_is_said_to_be_left_out(chain: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "MOST_OUTCOMES", 1)
    where = [stated_where(chain, words) for words in ("megakernels<=1", "conventional=G0", "excludes=G0_G0_0,G1_G1_0")]
    bound = solve(chain, where=where, effort=Effort(is_stopped=lambda: True)).results[0]
    assert "what only megakernels<=1 or excludes=G0_G0_0,G1_G1_0 excludes is counted not as excluded, but as left out" in bound.notes
