"""What was measured stands beside what is predicted of the same pair, and enters no score. Times in us."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import Measured, Study, check_spec, read_document
from megasolve.contracts.files.stamp import inputs_of
from megasolve.report import explanation_json, explanation_text, solve_json, solve_table
from megasolve.solver import Explanation, explain, solve
from megasolve.solver.select.told.shown import PairBeside, WholeBeside
from tests.solver.select.test_streams import WIDE, kernels, planned
from tests.support.planning.studies import SPECS, Fields, megakernel, record

PROVENANCE: Fields = {"kind": "measured", "source": "an evening", "tool": "nsys", "date": "2026-11-30"}
# Steps of 100 us in ten kernels as wide as the device, chunks of 300 us likewise: beside each other they alternate.
B_STREAM: Fields = {"groups": ["B"], "backend": "conventional", "entries": ["B_graph"], "solo_us": [101, 99, 100], "pair_us": [410]}
C_STREAM: Fields = {"groups": ["C"], "backend": "conventional", "entries": ["C_graph"], "solo_us": [300], "pair_us": [650]}


def measured_run(**fields: Any) -> Fields:
    """A run of both streams beside each other, at batch 1, unless *fields* say otherwise."""
    co_run = {} if "composition" in fields else {"co_run": {"producer": B_STREAM, "consumer": C_STREAM}}
    about = {"session": "evening", "batch": 1, "precision": "bf16", "device": "h100", "qualified": True, "provenance": PROVENANCE}
    return {**about, **co_run, **fields}


def with_runs(study: Study, *runs: Fields) -> Study:
    """The same study with what was measured."""
    document, findings = read_document("measured.yaml", json.dumps({"megasolve": "measured/v1", "runs": list(runs)}))
    assert document is not None, findings
    assert isinstance(document.value, Measured)
    return replace(study, measured=(document,))


def with_megakernels() -> Study:
    """Wide kernels, and megakernels of the producer on 88 SMs and of the consumer on 44 as well."""
    contracts, known = kernels(WIDE)
    for name, budgets, times in (("B", (132, 88), (80, 85)), ("C", (132, 44), (200, 250))):
        contracts.append(one := megakernel(name, budgets=budgets, host_us=0))
        known += [record(one, name, us, ctas) for us, ctas in zip(times, budgets, strict=True)]
    return planned(contracts, known)


def shown(study: Study, batch: int = 1) -> dict[str, tuple[PairBeside | WholeBeside, ...]]:
    return {row.id: row.measured for row in solve(study, batches=[batch]).results[0].ranking if row.measured}


def us(side: Any) -> tuple[float, float, float | None, float | None]:
    said = (side.predicted_alone_ps, side.predicted_beside_ps)
    return side.alone_ps / 1e6, side.beside_ps / 1e6, *(None if one is None else float(one) / 1e6 for one in said)


def test_a_co_run_of_two_streams_stands_beside_that_candidate_alone_with_what_waves_say_of_it() -> None:
    found = shown(with_runs(planned(*kernels(WIDE)), measured_run()))
    (pair,) = found.pop("c:P/c:B/c:C@streams")
    assert not found
    assert isinstance(pair, PairBeside)
    # Kernel by kernel, 30 us of a chunk and then 10 us of a step: four chunks have 39 of those between their 40 kernels, a step ten turns.
    assert us(pair.consumer) == (300, 650, 300, (40 * 30 + 39 * 10) / 4)
    assert us(pair.producer) == (100, 410, 100, 10 * (30 + 10))


def test_what_was_measured_changes_no_score_no_rank_and_no_id_to_the_byte() -> None:
    plain = with_megakernels()
    one, other = (json.loads(solve_json(solve(asked))) for asked in (plain, with_runs(plain, measured_run(), measured_run(batch=2))))
    rows = other["results"][0]["ranking"]
    assert [row.pop("measured", None) is not None for row in rows].count(True) == 1
    assert json.dumps(one) == json.dumps(other)


def test_a_split_a_partition_and_a_stream_have_a_pair_by_their_budgets() -> None:
    made = {"groups": ["B"], "backend": "megakernel", "entries": ["B"], "ctas": 88, "solo_us": [85], "pair_us": [90]}
    taken = {"groups": ["C"], "backend": "megakernel", "entries": ["C"], "ctas": 44, "solo_us": [250], "pair_us": [260]}
    both = measured_run(co_run={"producer": made, "consumer": taken})
    beside_kernels = measured_run(co_run={"producer": made, "consumer": C_STREAM})
    on_partitions = measured_run(co_run={"producer": {**B_STREAM, "ctas": 88}, "consumer": {**C_STREAM, "ctas": 44}})
    study = with_megakernels()
    assert set(shown(with_runs(study, both))) == {"c:P/m:B/m:C@dynamic:88/44", "c:P/m:B/m:C@partition:88/44"}
    assert set(shown(with_runs(study, beside_kernels))) == {"c:P/m:B/c:C@streams:88/c"}
    assert set(shown(with_runs(study, on_partitions))) == {"c:P/c:B/c:C@partition:88/44"}
    ((pair,), _) = shown(with_runs(study, both)).values()
    assert isinstance(pair, PairBeside)
    # Without traffic nothing slows sides that hold SMs of their own.
    assert us(pair.producer) == (85, 90, 85, 85)
    assert us(pair.consumer) == (250, 260, 250, 250)
    (kernel_pair,) = shown(with_runs(study, beside_kernels))["c:P/m:B/c:C@streams:88/c"]
    assert isinstance(kernel_pair, PairBeside)
    # 132 blocks on the 44 SMs that the megakernel leaves: three waves for one.
    assert us(kernel_pair.consumer) == (300, 650, 300, 900)


def test_a_whole_candidate_that_was_measured_stands_beside_its_score() -> None:
    ran = {
        "candidate": "c:P/c:B/c:C@serial",
        "entries": [["P_graph"], ["B_graph"], ["C_graph"]],
        "samples_us": [1800, 1750],
        "places": [1, 1],
    }
    (whole,) = shown(with_runs(planned(*kernels(WIDE)), measured_run(composition=ran)))["c:P/c:B/c:C@serial"]
    assert isinstance(whole, WholeBeside)
    assert (whole.time_ps, whole.predicted_ps) == (1750 * 10**6, 1700 * 10**6)


@pytest.mark.parametrize(
    ("run", "because"),
    [
        (measured_run(device="h200"), "it ran on h200, the plan is for h100"),
        (measured_run(precision="fp8"), "it ran in fp8, the plan is for bf16"),
        (measured_run(provenance={**PROVENANCE, "fake": True}), "it ran on a stand-in for the hardware, whose clock is virtual"),
        (
            measured_run(co_run={"producer": {**B_STREAM, "ctas": 66}, "consumer": {**C_STREAM, "ctas": 66}}),
            "no row here has the two beside each other, in these entries and on these budgets",
        ),
        (
            measured_run(composition={"candidate": "c:P/c:B/c:C@serial", "entries": [["P"]], "samples_us": [1], "places": [1]}),
            "no row here is that candidate in these entries",
        ),
    ],
)
def test_what_stands_beside_no_score_is_said_in_one_line_with_the_reason(run: Fields, because: str) -> None:
    study = with_runs(planned(*kernels(WIDE)), run)
    found = solve(study)
    assert not any(row.measured for row in found.results[0].ranking)
    (line,) = found.results[0].unshown
    assert because in line
    assert "measured.yaml:" in line
    assert f"NOTE: {line}" in solve_table(found)


def test_a_run_of_another_batch_waits_for_its_turn() -> None:
    found = solve(with_runs(planned(*kernels(WIDE)), measured_run(batch=2))).results[0]
    assert found.unshown == ()
    assert not any(row.measured for row in found.ranking)


def test_a_run_on_a_stand_in_is_shown_where_those_are_allowed_and_says_so() -> None:
    study = with_runs(planned(*kernels(WIDE)), measured_run(provenance={**PROVENANCE, "fake": True}))
    found = solve(replace(study, allows_simulated_hardware=True))
    assert "h100, simulated-hardware: an evening (measured.yaml:" in solve_table(found)


def test_solve_marks_what_is_measured_in_the_notes_of_the_row() -> None:
    told = solve_table(solve(with_runs(planned(*kernels(WIDE)), measured_run())))
    assert "MEASURED beside each other, in no score: c:B (B_graph) 100.000 µs alone, 410.000 µs beside (4.10 times), predicted " in told


def test_explain_says_what_to_measure_until_it_was_measured() -> None:
    study, name = with_megakernels(), "c:P/m:B/c:C@streams:88/c"
    asked = explain(study, name)
    assert isinstance(asked, Explanation)
    command = "megasolve measure spec.yaml --co-run 88/44 --batch 1 --entry B --entry C_graph"
    assert f"to measure: {command}; with the file under `measured:` of the spec" in explanation_text(asked, spec="model", device="h100")
    made = {"groups": ["B"], "backend": "megakernel", "entries": ["B"], "ctas": 88, "solo_us": [85], "pair_us": [90]}
    answered = explain(with_runs(study, measured_run(co_run={"producer": made, "consumer": C_STREAM})), name)
    assert isinstance(answered, Explanation)
    assert answered.to_measure == ()
    (facts,) = json.loads(explanation_json(answered, spec="model", device="h100"))["measured"]
    assert (facts["kind"], facts["consumer"]["slowdown"], facts["consumer"]["predicted_slowdown"]) == ("co_run", "2.166667", "3.000000")
    assert answered.row.score_ps == asked.row.score_ps


def test_explain_of_two_streams_of_kernels_says_how_to_write_down_what_no_command_runs() -> None:
    asked = explain(planned(*kernels(WIDE)), "c:P/c:B/c:C@streams")
    assert isinstance(asked, Explanation)
    (line,) = asked.to_measure
    assert "write the four times as a co_run of a measured/v1 file" in line


def test_the_example_of_the_page_is_a_file_that_stands_beside_two_streams() -> None:
    page = (SPECS.parent / "docs/sharing.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(megasolve: measured/v1\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    document, findings = read_document("page.yaml", text)
    assert document is not None
    assert findings == ()
    assert set(shown(replace(planned(*kernels(WIDE)), measured=(document,)))) == {"c:P/c:B/c:C@streams"}


def test_a_spec_that_names_a_file_shows_it_and_lists_it_among_its_inputs(tmp_path: Path) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    spec, ran = tmp_path / "specs/nh_tts.yaml", tmp_path / "specs/nh_tts/pair.yaml"
    made = {"groups": ["B", "L"], "backend": "megakernel", "entries": ["B+L"], "ctas": 88, "solo_us": [3400], "pair_us": [3500]}
    taken = {"groups": ["C"], "backend": "megakernel", "entries": ["C"], "ctas": 44, "solo_us": [991], "pair_us": [1216]}
    run = measured_run(device="h100_nvl", batch=32, co_run={"producer": made, "consumer": taken})
    ran.write_text(json.dumps({"megasolve": "measured/v1", "runs": [run]}))
    spec.write_text(spec.read_text().replace("records:", "measured: [nh_tts/pair.yaml]\nrecords:", 1))
    study, _ = check_spec(spec)
    assert str(ran) in [one.path for one in inputs_of(study)]
    # The best design of the paper has this pair; so has the same one where prefill is in the launch of the producers.
    assert "m:P/m:B+L/m:C@dynamic:88/44" in shown(study, 32)
