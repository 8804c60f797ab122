"""Selection: best variants, every tie, every cause, margins against stated accuracy, and no dependence on order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import PS_PER_US, Study
from megasolve.simulate import Capacity, Detail, Objective
from megasolve.simulate.predict.scoring import event_graph
from megasolve.solver import BatchResult, Composed, Excluded, Ranked, solve
from megasolve.solver.select.compose import compose
from megasolve.solver.select.goals import times
from tests.support.planning.answers import first, scores_ms
from tests.support.planning.launch_studies import layered_study
from tests.support.planning.programs import operator, program
from tests.support.planning.studies import PROVENANCE, SHAPE, Fields, conventional, group, megakernel, record, spec, study

STREAM: Fields = {"delay": 0, "first_chunk": 2, "lookahead": 1}
PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}
FOUR = [group("P", "admission"), group("B", "producer"), group("L", "producer"), group("C", "consumer")]
THREE = "m:P/m:B+L/m:C"
DECODE = [group("D", "producer")]


def row(result: BatchResult, name: str) -> Ranked:
    return next(one for one in result.ranking if one.id == name)


def because(result: BatchResult, name: str) -> list[str]:
    return [str(cause) for cause in excluded(result, name).causes]


def excluded(result: BatchResult, name: str) -> Excluded:
    return next(one for one in result.excluded if one.id == name)


def example_files(*more: Fields, records: Sequence[Fields] = (), **fields: Any) -> tuple[Fields, list[Fields], list[Fields]]:
    """Write the worked example of the paper with further contracts and their records: spec, contracts, records."""
    prefill, stage, codec = megakernel("P"), megakernel("B", "L", budgets=(132, 88)), megakernel("C", budgets=(132, 44))
    known = [
        record(prefill, "P", 11800),
        *(record(stage, "B", us, ctas) for us, ctas in ((3000, 132), (4500, 88))),
        *(record(stage, "L", us, ctas) for us, ctas in ((1000, 132), (1500, 88))),
        *(record(codec, "C", us, ctas) for us, ctas in ((6000, 132), (8000, 44))),
    ]
    asked = spec(FOUR, **{"stream": STREAM, "budget_pairs": [PAIR], **fields})
    return asked, [prefill, stage, codec, *more], [*known, *records]


def example(*more: Fields, records: Sequence[Fields] = (), **fields: Any) -> Study:
    """Read those files."""
    return study(*example_files(*more, records=records, **fields))


def decode(*kernels: tuple[Fields, float, Fields], **fields: Any) -> Study:
    """One decode step on several entries: contract, microseconds, further fields of the record."""
    asked = spec(DECODE, **{"publication": {"group": "D", "step": 1}, "objective": "producer_step", **fields})
    return study(asked, [contract for contract, _, _ in kernels], [record(contract, "D", us, **more) for contract, us, more in kernels])


def looping(entry: str = "D", **fields: Any) -> Fields:
    return megakernel("D", entry=entry, loops_on_device=True, **fields)


def test_an_entry_may_have_a_context_of_every_kind() -> None:
    context: Fields = {
        "geometry": {"gemm": {"tile": [128, 64]}, "stages": 3},
        "storage": {"policy": "resident", "on_chip": ["x"]},
        "synchronization": {"kind": "counters", "cost_us": 3},
        "build": {"compiler": "nvcc 13.0", "flags": ["-O3"]},
    }
    result = first(decode((looping(**context), 10, {}), (looping("plain"), 10, {})))
    assert row(result, "m:D@serial").variants == (("D",), ("plain",))


def test_the_score_of_a_candidate_is_that_of_its_best_variant() -> None:
    result = first(decode((looping("slow"), 12, {}), (looping("quick"), 10, {})))
    assert row(result, "m:D@serial").score_ps == 10_000_000
    assert row(result, "m:D@serial").variants == (("quick",),)


def test_tied_variants_are_listed_by_name() -> None:
    result = first(decode((looping("two"), 10, {}), (looping("one"), 10, {}), (looping("slow"), 12, {})))
    assert row(result, "m:D@serial").entries == ("one",)
    assert row(result, "m:D@serial").variants == (("one",), ("two",))


def test_one_supported_variant_is_enough() -> None:
    broken = looping("broken", launch={**SHAPE, "shared_bytes": 240000})
    result = first(decode((broken, 5, {}), (looping("sound"), 10, {})))
    assert row(result, "m:D@serial").variants == (("sound",),)


def test_a_candidate_without_a_supported_variant_reports_the_causes_of_all_of_them() -> None:
    shared = looping("shared", launch={**SHAPE, "shared_bytes": 240000})
    registers = looping("registers", launch={**SHAPE, "threads": 512})
    found = excluded(first(decode((shared, 5, {}), (registers, 5, {}))), "m:D@serial")
    assert {("LIM-09", "registers"), ("LIM-10", "shared")} <= {(cause.rule.code, cause.subject) for cause in found.causes}


def test_the_causes_of_a_split_are_those_of_each_pair_of_variants() -> None:
    other = megakernel("B", "L", entry="B+L_v2", budgets=(132, 88), launch={**SHAPE, "shared_bytes": 240000})
    known = [record(other, member, 10, ctas) for member in "BL" for ctas in (132, 88)]
    crowded = example(other, records=known, budget_pairs=[{"producer_ctas": 88, "consumer_ctas": 52}])
    codec = next(index for index, one in enumerate(crowded.contracts) if one.value.entry == "C")
    wide = replace(crowded.contracts[codec], value=crowded.contracts[codec].value.model_copy(update={"budgets_ctas": (132, 52)}))
    contracts = (*crowded.contracts[:codec], wide, *crowded.contracts[codec + 1 :])
    (records,) = crowded.records
    codec_at_52 = [one.model_copy(update={"budget_ctas": 52}) if one.budget_ctas == 44 else one for one in records.value.records]
    asked = replace(
        crowded, contracts=contracts, records=(replace(records, value=records.value.model_copy(update={"records": tuple(codec_at_52)})),)
    )
    codes = {(cause.rule.code, cause.subject) for cause in excluded(first(asked), f"{THREE}@dynamic:88/52").causes}
    assert ("CTA-03", "dynamic:88/52") in codes
    assert ("LIM-10", "B+L_v2") in codes


def test_a_region_without_an_entry_names_the_entries_that_exist() -> None:
    assert because(first(example()), "m:P+B+L+C@serial") == [
        "MEM-01 no megakernel entry has exactly the groups P+B+L+C; entries exist for B+L, C, P"
    ]


def test_a_budget_that_no_entry_declares_is_refused_and_never_clamped() -> None:
    result = first(example(budget_pairs=[PAIR, {"producer_ctas": 80, "consumer_ctas": 52}]))
    assert [text for text in because(result, f"{THREE}@dynamic:80/52") if text.startswith("POL-02")] == [
        "POL-02 entry 'B+L' supports budgets of 132, 88 CTAs, not 80",
        "POL-02 entry 'C' supports budgets of 132, 44 CTAs, not 52",
    ]


def test_unknown_bytes_serve_only_where_nothing_runs_beside_them() -> None:
    asked = example()
    (records,) = asked.records
    unknown = tuple(one.model_copy(update={"hbm_bytes": None}) if one.group == "C" else one for one in records.value.records)
    result = first(replace(asked, records=(replace(records, value=records.value.model_copy(update={"records": unknown})),)))
    assert [one.id for one in result.ranking] == [f"{THREE}@serial"]
    assert [cause.rule.code for cause in excluded(result, f"{THREE}@dynamic:88/44").causes] == ["EVI-02"]


@pytest.mark.parametrize(("gap_us", "left_us"), [(-0.5, 0.5), (-1, 0), (-7, 0)])
def test_a_call_whose_gaps_leave_it_no_time_is_excluded(gap_us: float, left_us: float) -> None:
    kernel = conventional("B", dispatch={"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": gap_us})
    asked = study(spec([group("B", "producer")], publication={"group": "B", "step": 1}), [kernel], [record(kernel, "B", 1)])
    result = first(asked)
    assert [row.score_ps for row in result.ranking] == ([left_us * 10**6] if left_us else [])
    if not left_us:
        (cause,) = excluded(result, "c:B@serial").causes
        assert cause.rule.code == "EVI-03"
        assert cause.because == "the negative gaps before 'B_graph' take away all the time of a call of B; state the gaps inside one call"


def test_a_record_without_bytes_that_hides_a_program_with_bytes_says_so() -> None:
    asked, contracts, records = example_files()
    for one in records:
        if one["group"] == "C":
            del one["hbm_bytes"]
    codec = {**contracts[2], "programs": {"C": program(operator("A", compute_us=1, weight_bytes=4096))}}
    (cause,) = excluded(first(study(asked, [*contracts[:2], codec], records)), f"{THREE}@dynamic:88/44").causes
    assert cause.rule.code == "EVI-02"
    assert cause.because.endswith("gives a time with 4,096 bytes, but the record stands in its way: add hbm_bytes to it or remove it")


def test_unknown_bytes_serve_in_a_split_that_has_no_producer_step_left() -> None:
    asked = example(stream={"delay": 0, "first_chunk": 2})
    (records,) = asked.records
    unknown = tuple(one.model_copy(update={"hbm_bytes": None}) if one.group == "C" else one for one in records.value.records)
    result = first(replace(asked, records=(replace(records, value=records.value.model_copy(update={"records": unknown})),)))
    found = row(result, f"{THREE}@dynamic:88/44")
    assert found.notes == ("without producer overlap: no producer step is left when the first chunk is ready (h = r)",)


def test_a_missing_record_is_shown_beside_the_nearest_one() -> None:
    contract = looping()
    asked = spec(DECODE, publication={"group": "D", "step": 1}, objective="producer_step", batches=[2])
    elsewhere = record(contract, "D", 10, context={"launch": {**SHAPE, "threads": 512}}, batch=2)
    (text,) = because(first(study(asked, [contract], [record(contract, "D", 10, batch=8, budget_ctas=88), elsewhere])), "m:D@serial")
    assert text.startswith("EVI-01 no record of D on megakernel entry 'D' with 132 CTAs, batch 2")
    assert text.endswith("differs in context.launch.threads: 512 against 256")


def test_a_deadlock_is_an_exclusion_that_says_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def starved(*asked: Any) -> Composed:
        composed = compose(*asked)
        return replace(composed, composition=replace(composed.composition, capacity=Capacity(132, 200, 44)))

    monkeypatch.setattr(times, "compose", starved)
    result = first(example())
    (cause,) = excluded(result, f"{THREE}@dynamic:88/44").causes
    assert cause.rule.code == "SIM-01"
    assert "needs 200 CTAs" in cause.because


def test_all_candidates_of_least_score_are_best_in_the_order_of_enumeration() -> None:
    contract, graph = looping(host_us=0), conventional("D")
    result = first(decode((contract, 10, {}), (graph, 10, {})))
    assert result.best == ("c:D@serial", "m:D@serial")


ACCURATE: Fields = {"accuracy": 0.02}


def test_a_margin_below_the_stated_accuracy_is_too_close_to_call() -> None:
    result = first(decode((looping(), 972.78, ACCURATE), (conventional("D"), 979.51, ACCURATE)))
    assert result.best == ("m:D@serial",)
    assert result.too_close == ("c:D@serial",)


def test_a_margin_above_the_stated_accuracy_is_called() -> None:
    result = first(decode((looping(), 759.83, ACCURATE), (conventional("D"), 794.74, ACCURATE)))
    assert result.too_close == ()


def test_without_a_stated_accuracy_nothing_is_too_close() -> None:
    result = first(decode((looping(), 972.78, {}), (conventional("D"), 979.51, {})))
    assert result.too_close == ()
    assert {one.accuracy for one in result.ranking} == {None}


def test_a_margin_equal_to_the_stated_accuracy_is_called() -> None:
    result = first(decode((looping(), 100, ACCURATE), (conventional("D"), 102, ACCURATE)))
    assert result.too_close == ()


def test_an_exact_tie_is_best_and_not_too_close() -> None:
    result = first(decode((looping(), 100, ACCURATE), (conventional("D"), 100, ACCURATE)))
    assert (len(result.best), result.too_close) == (2, ())


def test_the_accuracy_of_each_record_weighs_as_its_share_of_the_score() -> None:
    asked = example()
    (records,) = asked.records
    stated = tuple(one.model_copy(update={"accuracy": Fraction(1, 10)}) if one.group == "P" else one for one in records.value.records)
    found = row(
        first(replace(asked, records=(replace(records, value=records.value.model_copy(update={"records": stated})),))), f"{THREE}@serial"
    )
    assert found.accuracy == Fraction(11800, 10 * 30100)
    assert found.accuracy_is_partial


def test_nothing_that_is_told_depends_on_the_order_of_contracts_records_or_keys() -> None:
    pairs = [PAIR, {"producer_ctas": 80, "consumer_ctas": 52}]
    asked, contracts, records = example_files(conventional("P"), budget_pairs=pairs)
    expected = told(first(study(asked, contracts, records)))
    shuffler = random.Random(5)
    for _ in range(5):
        again = study(shuffled(asked, shuffler), turned(contracts, shuffler), turned(records, shuffler))
        assert told(first(replace(again, contracts=tuple(shuffler.sample(again.contracts, len(again.contracts)))))) == expected


def turned(files: Sequence[Fields], shuffler: random.Random) -> list[Fields]:
    return [shuffled(one, shuffler) for one in shuffler.sample(files, len(files))]


def shuffled(fields: Fields, shuffler: random.Random) -> Fields:
    keys = shuffler.sample(list(fields), len(fields))
    return {key: shuffled(fields[key], shuffler) if isinstance(fields[key], dict) else fields[key] for key in keys}


def told(result: BatchResult) -> object:
    """All that a reader is told."""
    ranked = [(one.id, one.score_ps, one.variants, one.evidence, one.same_as, one.notes, one.accuracy) for one in result.ranking]
    return ranked, [(one.id, one.causes) for one in result.excluded], result.best, result.too_close, result.notes


def test_the_objective_is_the_spec_s_unless_another_is_asked_for_and_is_echoed() -> None:
    asked = decode((looping(), 10, {}))
    assert first(asked).objective is Objective.PRODUCER_STEP
    assert first(asked, objective=Objective.FIRST_PUBLICATION).objective is Objective.FIRST_PUBLICATION


def test_batches_are_planned_in_the_order_asked_for() -> None:
    contract = looping()
    asked = spec(DECODE, publication={"group": "D", "step": 1}, objective="producer_step", batches=[1, 8])
    known = study(asked, [contract], [record(contract, "D", 10), record(contract, "D", 20, batch=8)])
    assert [result.batch for result in solve(known).results] == [1, 8]
    assert [result.batch for result in solve(known, batches=[8, 1]).results] == [8, 1]
    seen: list[str] = []
    solve(known, progress=seen.append)
    assert seen == ["batch 1", "batch 8"]


def test_a_batch_without_records_is_infeasible_with_every_cause() -> None:
    result = solve(decode((looping(), 10, {"batch": 4}), (conventional("D"), 11, {"batch": 4})))
    assert not result.is_feasible
    assert {one.id for one in result.results[0].excluded} == {"m:D@serial", "c:D@serial"}
    assert {cause.rule.code for one in result.results[0].excluded for cause in one.causes} == {"EVI-01"}


def test_the_kinds_of_evidence_behind_a_score_are_named() -> None:
    asked = example()
    (records,) = asked.records
    kinds = iter(("measured", "published"))
    marked = tuple(
        one.model_copy(update={"provenance": one.provenance.model_copy(update={"kind": next(kinds)})}) if one.group == "C" else one
        for one in records.value.records
    )
    result = first(replace(asked, records=(replace(records, value=records.value.model_copy(update={"records": marked})),)))
    assert PROVENANCE["kind"] == "profiled"
    assert row(result, f"{THREE}@serial").evidence == ("measured", "profiled")
    assert row(result, f"{THREE}@dynamic:88/44").evidence == ("profiled", "published")


def test_two_entries_that_may_share_an_sm_state_the_placement_that_is_assumed() -> None:
    small = {**SHAPE, "registers": 64, "shared_bytes": 16384}
    stage, codec = megakernel("B", budgets=(132, 88), launch=small), megakernel("C", budgets=(132, 44), launch=small)
    known = [*(record(stage, "B", 5, ctas) for ctas in (132, 88)), *(record(codec, "C", 5, ctas) for ctas in (132, 44))]
    asked = spec([group("B", "producer"), group("C", "consumer")], stream=STREAM, budget_pairs=[PAIR])
    found = row(first(study(asked, [stage, codec], known)), "m:B/m:C@dynamic:88/44")
    assert len(found.notes) == 1
    assert found.notes[0].startswith("assumes placement: ")


def test_c55_two_objectives_rank_two_designs_differently_and_each_is_echoed() -> None:
    whole, steps, chunked_entry = conventional("P"), conventional("B"), megakernel("P", "B", host_us=0, loops_on_device=True)
    known = [
        record(whole, "P", 43_000),
        record(steps, "B", 10_000),
        record(chunked_entry, "P", 8 * 11_000),
        record(chunked_entry, "B", 5_000),
    ]
    asked = study(spec([group("P", "admission"), group("B", "producer")], publication={"group": "P"}), [whole, steps, chunked_entry], known)
    token, step = first(asked), first(asked, objective=Objective.PRODUCER_STEP)
    assert (token.objective, token.best[0]) == (Objective.FIRST_PUBLICATION, "c:P+B@serial")
    assert (step.objective, step.best) == (Objective.PRODUCER_STEP, ("m:P+B@serial",))
    assert scores_ms(token)["m:P+B@serial"] == 88


def test_c65_candidates_of_equal_score_are_all_returned_in_one_order() -> None:
    stage, codec = conventional("B"), conventional("C")
    persistent = megakernel("B", "C", host_us=0, loops_on_device=True)
    known = [record(one, name, 14_100) for one, name in ((stage, "B"), (codec, "C"), (persistent, "B"), (persistent, "C"))]
    asked = study(spec([group("B", "producer"), group("C", "consumer")], stream={"first_chunk": 1}), [persistent, stage, codec], known)
    runs = [first(asked) for _ in range(2)]
    assert runs[0].best == ("c:B+C@serial", "c:B/c:C@serial", "m:B+C@serial")
    assert {row.score_ps for row in runs[0].ranking} == {28_200 * PS_PER_US}
    assert runs[0] == runs[1]


def test_a_limit_that_the_device_leaves_open_is_said_beside_the_ranking() -> None:
    asked = example_files()
    said = "how many CTAs an SM of h100 holds is unknown (no ctas_per_sm): launches are checked against its other limits only"
    assert [note for note in first(study(*asked, ctas_per_sm=None)).notes if note.startswith(said)]
    assert not [note for note in first(study(*asked)).notes if "is unknown" in note]


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_two_candidates_are_one_design_exactly_when_they_lower_to_the_same_graph_also_where_groups_repeat(seed: int) -> None:
    (whole,) = solve(layered_study(random.Random(seed))).results
    graphs = [(one.same_as or one.id, _drawn(one)) for one in whole.ranking if one.id.endswith("@serial")]
    for (design, graph), (other, drawn) in combinations(graphs, 2):
        assert (design == other) == (graph == drawn)


def _drawn(one: Ranked) -> object:
    """All of the full event graph of a candidate but its names."""
    graph, _ = event_graph(one.composed.composition, Objective.FIRST_PUBLICATION, detail=Detail.FULL)
    return [(node.kind, node.duration_ps, node.launch) for node in graph.nodes], graph.predecessors
