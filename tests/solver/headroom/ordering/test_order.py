"""The build order: each row is the best design with so many new entries, as a ranking of everything says, and what is near is named."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

import pytest

from megasolve.contracts import Study
from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.need import Question
from megasolve.solver import Judge, plan
from megasolve.solver.headroom.headroom import headroom
from megasolve.solver.headroom.ordering.built import RankedBuilds, all_new, assumed_entries, chain_builds
from megasolve.solver.headroom.ordering.hunted import HuntedBuilds
from megasolve.solver.headroom.supposition import Outlook
from megasolve.solver.optimize.studies.batches import ranked
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

ASSUMED: Fields = {"provenance": {"kind": "assumed", "source": "said by somebody"}}
GRAPH: Fields = {"kind": "graph", "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": 0}
EAGER: Fields = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0}
FREE: Fields = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0}


def kernel(name: str, implementation: str, dispatch: Fields) -> Fields:
    """Return one implementation of a group: a kernel."""
    return conventional(name, entry=f"{name}_{implementation}", implementation=implementation, order=0, dispatch=dispatch)


def voice(talker_us: float, accuracy: float = 0.05) -> Study:
    """Return a voice pipeline with a talker that was fitted: a graph for the codec, and megakernels, are only assumed."""
    known = {"prefill": (EAGER, 20_500), "predictor": (GRAPH, 10_700), "talker": (GRAPH, talker_us), "codec": (EAGER, 16_000)}
    kernels = [(name, kernel(name, "today", how), us) for name, (how, us) in known.items()]
    contracts = [one for _, one, _ in kernels]
    records = [record(one, name, us, accuracy=accuracy) for name, one, us in kernels]
    news = [(megakernel(name, dispatch=FREE, loops_on_device=False), name, us) for name, us in (("talker", 1_000), ("predictor", 4_030))]
    news += [(kernel("codec", "graph", GRAPH), "codec", 3_000)]
    roles = {"prefill": "admission", "codec": "consumer"}
    asked = spec([group(name, roles.get(name, "producer")) for name in known], stream={"first_chunk": 2}, policies=["serial"])
    told = [record(one, name, us, accuracy=accuracy, **ASSUMED) for one, name, us in news]
    return study(asked, [*contracts, *(one for one, _, _ in news)], [*records, *told])


def test_a_voice_pipeline_is_built_talker_first_and_codec_last() -> None:
    (batch,) = plan(voice(12_050)).batches
    assert [sorted(row.added) for row in batch.order.rows] == [[], ["talker"], ["predictor"], ["codec=graph"]]
    assert [row.best.score_ps // 10**6 for row in batch.order.rows] == [82_000, 59_900, 46_560, 33_560]
    assert [row.saves_ps // 10**6 for row in batch.order.rows] == [0, 22_100, 13_340, 13_000]
    assert batch.order.rows[2].rivals[0].new == {"talker", "codec=graph"}


def test_two_first_steps_that_are_too_close_to_call_are_both_named() -> None:
    (batch,) = plan(voice(8_000)).batches
    first = batch.order.rows[1]
    assert first.added == {"talker"}
    assert {"predictor"} in [set(rival.new) for rival in first.rivals]


def test_without_anything_assumed_there_is_nothing_to_build() -> None:
    known = conventional("B", dispatch=GRAPH)
    asked = spec([group("B", "producer")], publication={"group": "B", "step": 1})
    (batch,) = plan(study(asked, [known], [record(known, "B", 5)])).batches
    assert [row.best.id for row in batch.order.rows] == ["c:B@serial"]
    assert batch.order.candidates == frozenset()


def random_study(random: Random) -> Study:
    """Return a chain whose groups have graphs or kernels, and some assumed entries for its runs."""
    names = ["a", "b", "c", "d"][: random.randint(2, 4)]
    contracts, records = [], []
    for name in names:
        one = kernel(name, "today", random.choice((GRAPH, {**EAGER, "exposed_us": 3})))
        contracts.append(one)
        records.append(record(one, name, random.randint(5, 40)))
        if random.random() < 0.4:
            one = kernel(name, "new", GRAPH)
            contracts.append(one)
            records.append(record(one, name, random.randint(5, 40), **ASSUMED))
    for first in range(len(names)):
        for last in range(first + 1, len(names) + 1):
            if random.random() < 0.7:
                dispatch = {**FREE, "exposed_us": random.choice((0, 2, 6))}
                one = megakernel(*names[first:last], dispatch=dispatch, loops_on_device=False)
                contracts.append(one)
                records += [record(one, name, random.randint(4, 40), **ASSUMED) for name in names[first:last]]
    asked = spec([group(name, "producer") for name in names], publication={"group": names[-1], "step": 2}, policies=["serial"])
    return study(asked, contracts, records)


@pytest.mark.parametrize("seed", range(12))
def test_matrices_a_ranking_and_a_search_find_the_same_designs(seed: int) -> None:
    known = random_study(Random(seed))
    judge = Judge(known, Question(known.spec.value, 1, Objective.FIRST_PUBLICATION))
    entries = assumed_entries(known, 1)
    everything = all_new(judge, entries)
    chain = chain_builds(judge, entries)
    whole = RankedBuilds(ranked(judge, Ablation.FULL, (Objective.FIRST_PUBLICATION,), ()), entries)
    hunted = HuntedBuilds(judge, entries)
    for at_most in range(min(len(everything), 3) + 1):
        for allowed in (everything, frozenset(sorted(everything)[::2])):
            found, expected = chain.best(at_most, allowed), whole.best(at_most, allowed)
            assert found is not None
            assert expected is not None
            assert (found.score_ps, len(found.new)) == (expected.score_ps, len(expected.new))
    searched = hunted.best(1, everything)
    assert searched is not None
    assert searched.score_ps == whole.best(1, everything).score_ps  # type: ignore[union-attr]


def staged(today: Mapping[str, float], spans: Mapping[str, float], rough: frozenset[str]) -> Study:
    """Return a step of stages with graphs that were timed, and the spans that they have in a megakernel that is assumed."""
    contracts, records = [], []
    for name, us in today.items():
        one, new = conventional(name, entry=f"{name}_graph", dispatch=GRAPH), megakernel(name, dispatch=FREE, loops_on_device=False)
        contracts += [one, new]
        accuracy = 0.7 if name in rough else 0.03
        records += [record(one, name, us, accuracy=accuracy), record(new, name, spans[name], accuracy=accuracy, **ASSUMED)]
    asked = spec([group(name, "producer") for name in today], publication={"group": [*today][-1], "step": 1}, policies=["serial"])
    return study(asked, contracts, records)


def test_stages_that_are_slower_inside_a_megakernel_stay_and_rough_ones_are_too_close_to_call() -> None:
    """Microseconds a step of Qwen3.5-35B on a B200 at batch 1, graphs against a megakernel, from the public mirage repository."""
    graphs = {"attention": 133.57, "w13": 336.56, "silu": 273.64, "quantize": 559.28, "gate": 429.61, "norm": 557.82}
    spans = {"attention": 639.1, "w13": 683.5, "silu": 188.0, "quantize": 547.7, "gate": 239.1, "norm": 202.0}
    known = staged(graphs, spans, frozenset({"silu", "quantize", "gate", "norm"}))
    (batch,) = headroom(known).batches
    said = {row.groups[0]: row.supposed.outlook for row in batch.regions if row.supposed}
    assert said == {
        "attention": Outlook.LOSES,
        "w13": Outlook.LOSES,
        **dict.fromkeys(("silu", "quantize", "gate", "norm"), Outlook.TOO_CLOSE),
    }
    assert batch.baseline.score_ps == sum(Fraction(str(us)) for us in graphs.values()) * 10**6
    (order,) = plan(known).batches
    assert order.order.rows[-1].best.new == {"silu", "quantize", "gate", "norm"}
