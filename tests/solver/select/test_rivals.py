"""Variants that lose or fall out, and where each entry stands (cases C86 and C93)."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.report import explanation_json, explanation_text, solve_csv, solve_json, solve_markdown, solve_table
from megasolve.solver import Ranked, Result, solve
from tests.support.planning.answers import explained
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

STEP = {"publication": {"group": "S", "step": 1}, "policies": ["serial"]}
STREAM: Fields = {"kind": "stream", "host_waits": False, "host_us": 38.75, "exposed_us": 0}
REPLAY: Fields = {"kind": "graph", "host_waits": False, "host_us": 20, "exposed_us": 5, "gap_us": 0}


def spiking(device_us: float, **fields: Any) -> Study:
    """Return C86: 2,000 kernels launched one by one or as a graph, with the same time on the device."""
    eager = conventional("S", entry="eager", implementation="eager", kernels=2000, dispatch=STREAM)
    graph = conventional("S", entry="graph", implementation="graph", kernels=2000, dispatch=REPLAY)
    asked = spec([group("S", "producer")], **STEP, objective="producer_step")
    return study(asked, [eager, graph], [record(one, "S", device_us, **fields) for one in (eager, graph)])


def tileops() -> Study:
    """Return C93: four builds of one kernel, one with a record, one that does not fit."""
    builds = [("two", 2, 127), ("three", 3, 127), ("three80", 3, 80), ("four64", 4, 64)]
    entries = [
        megakernel(
            "S",
            entry=name,
            budgets=(132 * per_sm,),
            loops_on_device=True,
            launch={"threads": 256, "registers": registers, "ctas_per_sm": per_sm, "shared_bytes": 16384},
        )
        for name, per_sm, registers in builds
    ]
    return study(spec([group("S", "producer")], **STEP), entries, [record(entries[0], "S", 96.6, 264)])


def row_of(asked: Study) -> Ranked:
    (row,) = solve(asked).results[0].ranking
    return row


def text_of(asked: Study, candidate: str, *, show_variants: bool = False) -> str:
    return explanation_text(explained(asked, candidate), spec="model", device="h100", show_variants=show_variants)


def test_c86_the_implementation_that_loses_stands_beside_the_one_that_wins() -> None:
    row = row_of(spiking(15_260))
    assert (row.entries, row.score_ps) == (("graph",), 15_265 * 10**6)
    assert [(one.entries, one.score_ps) for one in row.slower] == [(("eager",), 77_500 * 10**6)]
    told = "variant: with eager it takes 77.500 ms, 407.70 % slower"
    assert told in solve_table(solve(spiking(15_260)))
    assert told in solve_markdown(solve(spiking(15_260)))
    assert told in text_of(spiking(15_260), "c:S@serial")


def test_c86_a_margin_that_the_evidence_cannot_tell_is_too_close() -> None:
    asked = spiking(182_076, accuracy=0.01)
    told = "too close to call: c:S@serial with graph instead of eager is <0.01 % slower, the evidence states ±1.00 %"
    assert told in solve_table(solve(asked))
    assert told.replace("<", "&lt;") in solve_markdown(solve(asked))
    assert told in text_of(asked, "c:S@serial")
    (facts,) = json.loads(solve_json(solve(asked)))["results"][0]["ranking"][0]["slower_variants"]
    assert (facts["entries"], facts["too_close"], facts["accuracy"]) == (["graph"], True, "0.010000")


def test_without_a_stated_accuracy_nothing_is_too_close() -> None:
    told = solve_table(solve(spiking(182_076)))
    assert "too close" not in told
    assert "variant: with graph it takes 182.081 ms, <0.01 % slower" in told


def test_a_margin_of_the_stated_accuracy_is_not_too_close() -> None:
    (other,) = row_of(spiking(15_260)).slower
    best_ps = Fraction(other.score_ps) / Fraction(101, 100)
    assert not other.is_too_close(best_ps, Fraction(1, 100))
    assert other.is_too_close(best_ps, Fraction(1, 99))


@pytest.mark.parametrize("form", [solve_table, solve_markdown])
def test_every_variant_is_listed_on_request(form: Any) -> None:
    told = form(solve(spiking(15_260)), show_variants=True)
    assert "variants of the candidates above" in told
    assert all(figure in told for figure in ("15.265", "77.500", "+407.70 %"))
    assert "variants of the candidates above" not in form(solve(spiking(15_260)))


def test_c93_entries_that_another_entry_hides_are_named_with_their_causes() -> None:
    told = solve_table(solve(tileops()))
    assert "left out: 3 entries of ranked candidates, by cause (--entries lists all)" in told
    assert "EVI-01 no-record: 3 entries ('four64', 'three', 'three80')" in told
    assert "the nearest (records.yaml) differs in entry: two against four64, budget_ctas: 264 against 528" in told
    assert "LIM-11 occupancy-below-declared: 'three'" in told
    assert "3 per SM need a compiled entry with at most 80 registers" in told


def test_c93_the_explanation_says_what_else_fits_the_region() -> None:
    told = text_of(tileops(), "m:S@serial")
    assert "m:S: two of 4 choices; 0 slower, 3 left out" in told
    assert "three80: left out: EVI-01 no record of S on megakernel entry 'three80' with 396 CTAs" in told
    assert "three: left out: LIM-11 entry 'three': occupancy" in told


def test_a_choice_that_is_slower_says_so_in_the_explanation() -> None:
    told = text_of(spiking(15_260), "c:S@serial", show_variants=True)
    assert "c:S: graph of 2 choices; 1 slower, 0 left out\n    eager: slower (--variants)\n" in told
    assert "+407.70 %  eager" in told


def test_the_table_of_entries_says_where_each_stands() -> None:
    standings = {one.entry: one for one in solve(tileops()).results[0].entries}
    assert {name: (one.stands_in, one.slower_in, one.left_out_of) for name, one in standings.items()} == {
        "two": (("m:S@serial",), 0, 0),
        "three": ((), 0, 1),
        "three80": ((), 0, 1),
        "four64": ((), 0, 1),
    }
    assert [one.cause.rule.code for one in standings["three"].left_out] == ["LIM-11", "EVI-01"]
    assert "[2] [3]" in next(
        line for line in solve_table(solve(tileops()), show_entries=True).splitlines() if line.strip().startswith("three ")
    )


def test_json_and_csv_hold_what_loses_and_what_falls_out() -> None:
    (batch,) = json.loads(solve_json(solve(tileops())))["results"]
    assert [one["entries"] for one in batch["ranking"][0]["dropped_variants"]] == [["four64"], ["three"], ["three80"]]
    assert [one["entry"] for one in batch["entries"]] == ["four64", "three", "three80", "two"]
    told = json.loads(explanation_json(explained(spiking(15_260), "c:S@serial"), spec="model", device="h100"))
    assert [one["score_us"] for one in told["slower_variants"]] == ["77500.000000"]
    assert [(one["entries"], one["is_used"], one["is_slower"]) for one in told["fitting"]] == [
        ("graph", True, False),
        ("eager", False, True),
    ]


def statuses(result: Result, **shown: bool) -> list[tuple[str, str]]:
    return [(row["status"], row["entries"]) for row in csv.DictReader(io.StringIO(solve_csv(result, **shown)))]


def test_csv_has_rows_of_their_own_only_on_request() -> None:
    assert statuses(solve(spiking(15_260))) == [("ranked", "graph"), ("excluded", "")]
    assert statuses(solve(spiking(15_260)), show_variants=True) == [("ranked", "graph"), ("variant", "eager"), ("excluded", "")]
    assert statuses(solve(tileops()), show_variants=True)[1] == ("left out", "four64")
    assert statuses(solve(tileops()), show_entries=True)[-1] == ("entry", "two")


def test_an_entry_that_falls_out_of_excluded_candidates_alone_is_no_hidden_one() -> None:
    asked = tileops()
    lone = replace(asked, contracts=asked.contracts[:1])
    result = solve(lone)
    assert result.results[0].ranking == ()
    assert "left out" not in solve_table(result)
    assert [(one.ranked, one.excluded) for one in result.results[0].entries[0].left_out] == [(0, 1)]


def test_an_entry_whose_candidates_fail_elsewhere_says_that() -> None:
    stage = megakernel("S", host_us=0, loops_on_device=True)
    asked = spec([group("S", "producer"), group("C", "consumer")], stream={"first_chunk": 1}, policies=["serial"])
    told = solve_table(solve(study(asked, [stage], [record(stage, "S", 5)])), show_entries=True)
    assert "its candidates are excluded for other regions" in told


def test_ties_are_no_slower_variants_and_many_are_counted() -> None:
    names = [f"v{index}" for index in range(8)]
    entries = [megakernel("S", entry=name, host_us=0, loops_on_device=True) for name in names]
    asked = study(spec([group("S", "producer")], **STEP), entries, [record(one, "S", 5) for one in entries])
    row = row_of(asked)
    assert (len(row.variants), row.slower, row.dropped) == (8, (), ())
    assert "8 variants tie: v0 | v1 | v2 | v3 | v4 and 3 more" in solve_table(solve(asked))
