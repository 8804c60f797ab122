"""A search over two streams inside of roles finds what ranking the whole space finds, on random region graphs; its bounds are bounds."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.simulate.plan.region_graph import region_graph
from megasolve.solver.select.selection import rank
from tests.support.judges.literal_covers import Groups
from tests.support.judges.searched_sides import (
    assert_ablations_are_searched,
    assert_best_designs_are_found,
    assert_best_entries_are_chosen,
    assert_candidates_are_counted,
    assert_words_are_bounds,
    judge_of,
)
from tests.support.planning.random_graphs import blocks, graphs, spec_of
from tests.support.planning.studies import GRAPH, Fields, conventional, megakernel, record, spec, study

SEEDS = st.integers(0, 2**32 - 1)
SPACES = st.one_of(graphs(4), graphs(4), blocks(4))


def drawn(groups: Groups, seed: int) -> Study:
    """A study of a graph: kernels of any width in one or two implementations, megakernels of some regions, and traffic."""
    random, drawn_spec = Random(seed), spec_of(groups)
    names = [group.name for group in drawn_spec.groups]
    contracts = [one for name in names for one in _kernels(random, name)]
    regions = region_graph(drawn_spec).regions
    contracts += [_megakernel(random, region) for region in random.sample(regions, min(4, len(regions)))]
    known = [one for contract in contracts for one in _records(random, contract)]
    roles = {group.role for group in drawn_spec.groups}
    fields: Fields = {"edges": [{"from": one.source, "to": one.target} for one in drawn_spec.edges]}
    if groups.block:
        fields["repeat"] = [{"name": "layer", "times": 3, "groups": list(drawn_spec.repeats[0].groups)}]
    if "consumer" in roles and "producer" in roles:
        fields["stream"] = {"first_chunk": random.randint(1, 2), "lookahead": random.randint(0, 1), "next_chunk": random.randint(1, 2)}
    else:
        step = {"step": random.randint(1, 3)} if roles <= {"admission", "producer"} and drawn_spec.groups[-1].role == "producer" else {}
        fields["publication"] = {"group": names[-1], **step}
    listed = [{"name": group.name, "role": group.role} for group in drawn_spec.groups]
    policies = ["serial", "streams"] if random.random() < 0.5 else ["streams"]
    return study(spec(listed, policies=policies, streams={"inside": True}, **fields), contracts, known)


def _kernels(random: Random, name: str) -> list[Fields]:
    more: Fields = {"kernels": random.randint(1, 3)} if random.random() < 0.5 else {}
    found = [conventional(name, dispatch=_dispatch(random), grid_ctas=random.choice((44, 88, 132, 200)), **more)]
    if random.random() < 0.3:
        found.append(conventional(name, entry=f"{name}_two", implementation="two", dispatch=_dispatch(random), grid_ctas=66))
    return found


def _dispatch(random: Random) -> Fields:
    if random.random() < 0.5:
        return {**GRAPH, "host_waits": random.random() < 0.5, "host_us": random.randint(0, 3), "gap_us": random.randint(0, 1)}
    return {"kind": "stream", "host_waits": random.random() < 0.3, "host_us": random.randint(0, 4), "exposed_us": random.randint(0, 2)}


def _megakernel(random: Random, region: tuple[str, ...]) -> Fields:
    return megakernel(*region, budgets=(random.choice((132, 66)),), host_us=random.randint(0, 5), loops_on_device=False)


def _records(random: Random, contract: Fields) -> list[Fields]:
    sizes = contract.get("budgets_ctas", (132,))
    kept = [(member, size) for member in contract["members"] for size in sizes if random.random() < 0.95]
    return [record(contract, member, random.randint(1, 9), size, hbm_bytes=random.randint(0, 30_000_000)) for member, size in kept]


def objectives(asked: Study) -> list[Objective]:
    """What can be asked of a study: steady times only where the spec has both sides."""
    return [*Objective] if asked.spec.value.stream else [Objective.FIRST_PUBLICATION]


@settings(max_examples=8, deadline=None)
@given(SPACES, SEEDS)
def test_a_search_finds_the_designs_that_ranking_finds(groups: Groups, seed: int) -> None:
    asked = drawn(groups, seed)
    for objective in objectives(asked):
        assert_best_designs_are_found(asked, objective)


@settings(max_examples=5, deadline=None)
@given(SPACES, SEEDS)
def test_an_ablation_is_searched_alike(groups: Groups, seed: int) -> None:
    assert_ablations_are_searched(drawn(groups, seed))


@settings(max_examples=8, deadline=None)
@given(SPACES, SEEDS)
def test_no_word_is_longer_than_what_a_cover_takes(groups: Groups, seed: int) -> None:
    asked = drawn(groups, seed)
    for objective in objectives(asked):
        judge = judge_of(asked, objective)
        assert_words_are_bounds(judge, [row for row in rank(judge).ranking if row.candidate.policy.is_inside])


@settings(max_examples=5, deadline=None)
@given(SPACES, SEEDS)
def test_candidates_are_counted_without_listing_them(groups: Groups, seed: int) -> None:
    assert_candidates_are_counted(drawn(groups, seed))


@settings(max_examples=5, deadline=None)
@given(SPACES, SEEDS)
def test_the_best_entries_of_a_candidate_are_those_of_its_row(groups: Groups, seed: int) -> None:
    judge = judge_of(drawn(groups, seed))
    assert_best_entries_are_chosen(judge, [row for row in rank(judge).ranking if row.candidate.policy.is_inside][:5])
