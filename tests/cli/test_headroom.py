"""The command `headroom`."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from megasolve.contracts import load_study, shipped_specs
from megasolve.report.schemas import schema_json
from megasolve.solver import Derivation, headroom
from tests.support.command import megasolve
from tests.support.judges.result_schemas import fits
from tests.support.planning.studies import Fields, conventional, group, record, spec
from tests.support.profiles.step_traces import trace


def eager(name: str, gap_us: float, **fields: object) -> Fields:
    """Return a kernel as a profile gives it."""
    dispatch = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": gap_us}
    return conventional(name, entry=name, implementation="profiled", order=0, dispatch=dispatch, grid_ctas=64, **fields)


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a step of 24 layers on an H100 NVL, which states no launch costs, and stand beside it."""
    us = {"embed": (30, 2), "attn": (100, 7), "mlp": (200, 9), "head": (50, 3)}
    contracts = [eager(name, gap) for name, (_, gap) in us.items()]
    contracts[2]["launch"] = {"threads": 256, "registers": 64, "shared_bytes": 1024}
    contracts[1]["launch"] = {"threads": 128, "registers": 168}
    asked = spec(
        [group(name, "producer") for name in us],
        publication={"group": "head", "step": 1},
        repeat=[{"name": "layers", "times": 24, "groups": ["attn", "mlp"]}],
        policies=["serial"],
    )
    (tmp_path / "contracts").mkdir()
    for one in contracts:
        (tmp_path / "contracts" / f"{one['entry']}.yaml").write_text(json.dumps(one), encoding="utf-8")
    known = [{**record(one, one["entry"], us[one["entry"]][0]), "device": "h100_nvl"} for one in contracts]
    (tmp_path / "records.yaml").write_text(json.dumps({"megasolve": "records/v1", "records": known}), encoding="utf-8")
    (tmp_path / "layers.yaml").write_text(json.dumps({**asked, "device": "h100_nvl"}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "layers.yaml"


def told(*words: str) -> dict[str, Any]:
    result = megasolve("headroom", *words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_the_first_lines_are_today_a_graph_and_the_floor_and_then_the_answer(layers: str) -> None:
    first, graph, floor, best, counts, empty, *_ = megasolve("headroom", layers, "--launch", "25").stdout.splitlines()
    assert first.startswith(
        "Today first publication takes 7.669 ms with c:embed+attn+mlp+head@serial: 50 kernels keep the device busy for 7.280 ms"
    )
    assert first.endswith("5.07 % is launches, gaps and waits.")
    assert graph.startswith("As a CUDA graph the same kernels would take 7.330 ms (1.000 µs between kernels, taken as usual), 7.288 ms ")
    assert floor == "At the floor: unknown, as no kernel says what it computes."
    assert best.startswith("A megakernel for m:embed+attn+mlp+head could save most, at most 7.644 ms (99.67 %, no floor is known)")
    assert counts.startswith("Of 8 regions without a megakernel, ")
    assert not empty


def test_the_gap_of_a_graph_is_that_of_the_device_where_it_states_one(layers: str) -> None:
    text = (shipped_specs() / "devices" / "h100_nvl.yaml").read_text(encoding="utf-8")
    device = {**yaml.safe_load(text), "name": "own"}
    device["launch"] = {"graph": {"host_us": 5, "exposed_us": 1, "gap_us": 2}}
    device["sources"]["launch"] = "stated for this test"
    Path("own.yaml").write_text(json.dumps(device), encoding="utf-8")
    Path("records.yaml").write_text(Path("records.yaml").read_text(encoding="utf-8").replace("h100_nvl", "own"), encoding="utf-8")
    said = megasolve("headroom", layers, "--device", "./own.yaml")
    assert said.exit_code == 0, said.stderr
    _, graph, *_ = said.stdout.splitlines()
    assert graph.startswith(
        "As a CUDA graph the same kernels would take 7.380 ms (2.000 µs between kernels, as the device states), 7.288 ms"
    )


def test_a_build_order_without_assumptions_is_of_kernels_as_fast_as_those_of_today(layers: str) -> None:
    lines = megasolve("headroom", layers, "--plan", "--launch", "25").stdout.splitlines()
    assert lines[1] == "Build in this order: assumed.embed+attn+mlp+head saves 0.364 ms."
    assert "nothing is assumed in the study, so this is: any region as a megakernel, its tiles as fast as today's kernels, " in lines[5]
    assert "25.000 µs a launch" in lines[5]
    assert [line for line in lines if line.startswith("Today first publication takes 7.669 ms")]
    answer = told(layers, "--plan", "--launch", "25")
    assert [row["evidence"] for row in answer["batches"][0]["plan"]] == [None, "assumed"]
    assert not any(row["assumed"] for row in answer["batches"][0]["regions"])


def test_assumed_kernels_that_fit_on_no_sm_are_said(layers: str) -> None:
    every = {"megasolve": "assume/v1", "assume": [{"fuse": "any", "launch": {"threads": 1024, "registers": 128}}]}
    Path("any.yaml").write_text(json.dumps(every), encoding="utf-8")
    lines = megasolve("headroom", layers, "--plan", "--assume", "any.yaml").stdout.splitlines()
    (said,) = (line for line in lines if "fit on no SM" in line)
    assert said.startswith("9 of 9 assumed entries fit on no SM, such as assumed.embed: ")
    assert said.endswith("launch: in the assumption says another shape")


def test_both_ways_of_launching_a_block_are_said(layers: str) -> None:
    rows = {(row["region"], row["launched"]): row for row in told(layers, "--launch", "25")["batches"][0]["regions"]}
    assert rows["m:attn+mlp", "each repeat"]["break_even_us"] == pytest.approx(291, abs=1e-5)
    assert rows["m:attn+mlp", "all repeats"]["break_even_us"] == pytest.approx(316 - 25 / 24, abs=1e-5)


def test_what_a_shared_launch_shape_would_be_is_said(layers: str) -> None:
    row = next(row for row in told(layers)["batches"][0]["regions"] if row["region"] == "m:attn+mlp")
    shape = {key: row["against"][key] for key in ("threads", "registers", "shared_bytes", "ctas_per_sm", "narrow_stages", "waits")}
    assert shape == {"threads": 256, "registers": 168, "shared_bytes": 1024, "ctas_per_sm": 1, "narrow_stages": 2, "waits": 1}


def test_a_device_without_launch_costs_is_named(layers: str) -> None:
    result = megasolve("headroom", layers)
    assert "taken to cost nothing, because h100_nvl states no launch cost; say it with --launch US" in result.stdout
    assert told(layers)["batches"][0]["launch"]["is_known"] is False


def test_json_is_as_its_schema_says(layers: str) -> None:
    answer = told(layers, "--launch", "25")
    assert fits(json.loads(schema_json("headroom")), answer)
    assert answer["megasolve"] == "headroom/v1"
    assert next(one["path"] for one in answer["inputs"]) == "layers.yaml"
    assert answer["batches"][0]["baseline"]["score_ps"] == 7_669_000_000


def test_csv_has_a_row_for_each_region_and_markdown_a_table(layers: str) -> None:
    rows = list(csv.DictReader(io.StringIO(megasolve("headroom", layers, "--format", "csv").stdout)))
    assert len(rows) == 9
    assert {row["baseline"] for row in rows} == {"c:embed+attn+mlp+head@serial"}
    page = megasolve("headroom", layers, "--format", "markdown").stdout
    assert "| m:attn+mlp (all repeats) | 316.000 | 300.000 |" in page


@pytest.mark.parametrize("words", ["x", "-1", "nan", "0.0000001", "1e99"])
def test_a_launch_cost_that_is_none_is_refused_in_a_line(layers: str, words: str) -> None:
    result = megasolve("headroom", layers, "--launch", words)
    assert result.exit_code == 2
    assert "--launch" in result.stderr.splitlines()[-1]


def test_where_the_best_design_runs_side_by_side_no_times_are_added_up_to_its_own() -> None:
    spec = str(shipped_specs() / "published" / "green_contexts.yaml")
    first, best, _, empty, *_ = (result := megasolve("headroom", spec, "--batch", "12")).stdout.splitlines()
    assert first.endswith(" with c:D/c:P@partition:32/138, the best design with evidence.")
    assert best == "No further megakernel can pay in serial order: at its floor every region still loses against that design."
    assert not empty
    assert (
        "NOTE: regions without an assumed entry are tried in serial designs, and the best design of today runs side by side"
        in result.stdout
    )
    serial = megasolve("headroom", spec, "--batch", "12", "--objective", "first_publication").stdout
    assert re.search(r"with c:D\+P@serial: 944 kernels keep the device busy for [0-9.]+ ms, and [0-9.]+ % is launches, gaps", serial)
    assert "side by side" not in serial


def test_a_chain_that_the_best_design_replays_as_a_graph_is_not_told_to_become_one() -> None:
    first, graph, _, most, *_ = megasolve("headroom", str(shipped_specs() / "published" / "launch_chain.yaml")).stdout.splitlines()
    assert first.startswith("Today first publication takes 82.900 µs with c:K@serial: 117 kernels")
    # Launched alone, one kernel costs less than a graph of one.
    assert graph == "As a CUDA graph: most of its kernels are replayed by one already."
    assert most.endswith("pays by launches alone, even with tiles more than 1,000 times as slow.")


def test_a_spec_without_evidence_has_nothing_to_compare_with(layers: str) -> None:
    Path("records.yaml").write_text('{"megasolve": "records/v1", "records": []}', encoding="utf-8")
    result = megasolve("headroom", layers)
    assert result.exit_code == 1
    assert "no design has evidence today" in result.stderr


def test_assumed_times_alone_are_no_times_of_today() -> None:
    result = megasolve("headroom", str(shipped_specs() / "field_vocoder.yaml"))
    assert result.exit_code == 1
    assert "no design has evidence today without times that are only assumed" in result.stderr


def test_a_build_order_is_shown_in_every_form(layers: str) -> None:
    mega: Fields = {
        "megasolve": "contract/v1",
        "entry": "layer",
        "backend": "megakernel",
        "members": ["attn", "mlp"],
        "budgets_ctas": [132],
        "launch": {"threads": 256, "registers": 128, "cooperative": True},
        "dispatch": {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 25},
        "loops_over": ["repeat"],
    }
    assumed = {"device": "h100_nvl", "provenance": {"kind": "assumed", "source": "a target"}, "hbm_bytes": None}
    rows = [{**record(mega, member, us), **assumed} for member, us in (("attn", 90), ("mlp", 190))]
    told_records = [{key: one for key, one in row.items() if one is not None} for row in rows]
    Path("contracts/layer.yaml").write_text(json.dumps(mega), encoding="utf-8")
    known = json.loads(Path("records.yaml").read_text(encoding="utf-8"))
    Path("records.yaml").write_text(json.dumps({**known, "records": [*known["records"], *told_records]}), encoding="utf-8")
    first, second, third, *_ = megasolve("headroom", layers, "--plan").stdout.splitlines()
    assert first == "With nothing new the best design takes 7.669 ms: c:embed+attn+mlp+head@serial."
    assert second == "Build in this order: layer saves 0.839 ms."
    assert third == "After 1 new entry nothing more is saved: 6.830 ms, 10.94 % less, all of it assumed."
    answer = told(layers, "--plan")
    assert fits(json.loads(schema_json("headroom")), answer)
    assert [row["entries"] for row in answer["batches"][0]["plan"]] == [[], ["layer"]]
    supposed = next(row["assumed"] for row in answer["batches"][0]["regions"] if row["assumed"])
    assert (supposed["entry"], supposed["time_us"], supposed["outlook"]) == ("layer", 280.0, "pays as assumed")
    assert answer["batches"][0]["baseline"]["id"] == "c:embed+attn+mlp+head@serial"
    assert "| 1 | 6.830 | 0.839 | layer |" in megasolve("headroom", layers, "--plan", "--format", "markdown").stdout
    assert len(megasolve("headroom", layers, "--plan", "--format", "csv").stdout.splitlines()) == 3
    assert "assumed" in megasolve("solve", layers).stdout


def test_a_profile_is_looked_at_as_the_study_that_would_be_written_of_it(tmp_path: Path) -> None:
    file = trace(tmp_path, steps=4)
    first, _, _, best, *_ = megasolve("headroom", file, "--launch", "3").stdout.splitlines()
    assert first.startswith("Today first publication takes 100.000 µs with c:step@serial: ")
    assert "it must take no more than 97.000 µs" in best
    answer = told(file, "--launch", "3")
    assert [one["path"] for one in answer["inputs"]] == [file]
    assert not list(tmp_path.glob("*.yaml"))


def test_options_of_a_profile_are_refused_for_a_spec(layers: str) -> None:
    result = megasolve("headroom", layers, "--steps", "whole")
    assert result.exit_code == 2
    assert "--steps is only for a profile: a spec says it itself" in result.stderr


def test_a_profile_of_a_gpu_that_nobody_knows_is_refused_in_a_line(tmp_path: Path) -> None:
    file = trace(tmp_path, steps=4)
    assert megasolve("headroom", file, "--device", "none").exit_code == 2
    result = megasolve("headroom", file, "--device", str(tmp_path / "absent.yaml"))
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: cannot read ")
    assert len(result.stderr.splitlines()) == 1


def test_assumptions_come_from_a_file_too_and_what_is_no_region_is_said(layers: str) -> None:
    Path("assume.yaml").write_text("megasolve: assume/v1\nassume:\n  - {fuse: [attn, mpl]}\n  - {fuse: [attn, mlp], efficiency: 0.99}\n")
    result = megasolve("headroom", layers, "--assume", "assume.yaml")
    assert result.exit_code == 0
    assert result.stderr == "assume.yaml:3:19: warning: 'mpl' is no group of spec 'model'; did you mean 'mlp'?; nothing is assumed\n"
    rows = {row["launched"]: row for row in told(layers, "--assume", "assume.yaml")["batches"][0]["regions"] if row["assumed"]}
    assert {row["assumed"]["entry"] for row in rows.values()} == {"assumed.attn+mlp", "assumed.attn+mlp.repeats"}
    solved = megasolve("solve", layers, "--assume", "assume.yaml")
    assert "assumed, profiled" in solved.stdout
    explained = megasolve("explain", layers, "c:embed/m:attn+mlp/c:head@serial", "--assume", "assume.yaml")
    assert explained.exit_code == 0
    assert "assumed" in explained.stdout


def test_what_is_assumed_is_drawn_as_it_is_ranked(layers: str) -> None:
    Path("assume.yaml").write_text("megasolve: assume/v1\nassume:\n  - {fuse: [attn, mlp], efficiency: 0.99}\n")
    name = "c:embed/m:attn+mlp/c:head@serial"
    traced = megasolve("trace", layers, name, "--assume", "assume.yaml")
    assert traced.exit_code == 0
    assert name in traced.stdout
    assert megasolve("trace", layers, name).exit_code == 1
    assert name in megasolve("report", layers, "--candidate", name, "--assume", "assume.yaml").stdout


def test_what_is_assumed_is_refused_where_only_what_was_measured_is_wanted(layers: str) -> None:
    assert megasolve("solve", layers, "--measured-only").exit_code == 0
    Path("assume.yaml").write_text("megasolve: assume/v1\nassume: [{fuse: any}]\n")
    both = megasolve("solve", layers, "--measured-only", "--assume", "assume.yaml")
    assert (both.exit_code, both.stderr.splitlines()[-1]) == (2, "Error: --measured-only and --assume exclude each other")
    Path(layers).write_text(json.dumps({**json.loads(Path(layers).read_text()), "assume": [{"fuse": "any"}]}))
    result = megasolve("solve", layers, "--measured-only")
    assert result.exit_code == 2
    assert "is assumed, and --measured-only asks for what was measured alone" in result.stderr


def test_a_plan_with_many_regions_ends_with_how_many_could_be_one(layers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("megasolve.cli.words.ending_lines.MOST_REGIONS", 7)
    *_, above, pointer = megasolve("solve", layers).stdout.splitlines()
    assert pointer == "8 regions could be a megakernel; megasolve headroom layers.yaml says what each would have to reach."
    assert "could save most" not in above


def test_many_regions_are_watched(layers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = load_study(layers)
    assert study is not None
    seen: list[tuple[str, int, int]] = []
    derivation = Derivation(watch=lambda stage: seen.append((stage.what, stage.done, stage.of)))
    headroom(study, derivation=derivation)
    assert seen == []
    # The function has the name of its room.
    monkeypatch.setattr(sys.modules["megasolve.solver.headroom.headroom"], "MANY", 8)
    headroom(study, derivation=derivation)
    assert seen == [("regions", done, 8) for done in range(9)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("megasolve: spec/v1\n", "missing"),
        ("megasolve: assume/v1\nassume: [{fuse: 3}]\n", "$.assume[0].fuse"),
        ("megasolve: assume/v1\nassume: [{fuse: any, efficiency: fast}]\n", "found 'fast', expected a number"),
        ("megasolve: records/v1\nrecords: []\n", "is no list of assumptions"),
    ],
)
def test_a_file_that_is_no_list_of_assumptions_is_refused(layers: str, text: str, said: str) -> None:
    Path("assume.yaml").write_text(text)
    result = megasolve("headroom", layers, "--assume", "assume.yaml")
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_a_plan_without_megakernels_ends_with_what_would_pay_as_one(layers: str) -> None:
    *_, best, counts = megasolve("solve", layers).stdout.splitlines()
    assert best.startswith("A megakernel for m:embed+attn+mlp+head could save most, ")
    assert counts == "Of 8 regions without a megakernel, 8 pay by launches alone; megasolve headroom layers.yaml shows them all."
    assert counts not in megasolve("solve", layers, "--format", "json").stdout
    assert counts not in megasolve("solve", layers, "--where", "conventional=attn").stdout
    assert megasolve("solve", layers, "--format", "markdown").stdout.endswith(f"{best}\n\n{counts}\n")


def test_the_contract_of_a_chosen_region_is_drafted_and_says_what_is_open(layers: str) -> None:
    result = megasolve("new", layers, "--contract", "m:attn+mlp")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[0] == "wrote contracts/attn+mlp.yaml"
    assert "open: dispatch: host_us and exposed_us; h100_nvl states no launch cost, 0 stands for it" in result.stdout
    text = Path("contracts/attn+mlp.yaml").read_text(encoding="utf-8")
    assert "members: [attn, mlp]" in text
    assert "launch: {threads: 256, registers: 168, shared_bytes: 1024, ctas_per_sm: 1}" in text
    assert "loops_over: [repeat]" in text
    assert megasolve("check", layers).exit_code == 0
    assert "\n# yaml-language-server: $schema=../layers/schemas/contract.schema.json\n" in text
    assert Path("layers/schemas/contract.schema.json").is_file()
    again = megasolve("new", layers, "--contract", "m:attn+mlp")
    assert (again.exit_code, again.stderr) == (2, "Error: contracts/attn+mlp.yaml is there already; --force overwrites it\n")
    assert megasolve("new", layers, "--contract", "m:attn+mlp", "--force").exit_code == 0
    assert "m:attn+mlp" in [row["region"] for row in told(layers)["batches"][0]["regions"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--contract", "m:attn+mpl"], "'mpl' is no group of spec 'model'; the nearest are m:attn+mlp"),
        (["--contract", "m:embed+head"], "leads out of it and back"),
        ([], "say --from FILE to begin a study, or --contract REGION"),
        (["--from", "x.json", "--contract", "m:attn"], "--from and --contract do not go together"),
    ],
)
def test_a_draft_of_what_is_no_region_is_refused(layers: str, words: list[str], said: str) -> None:
    result = megasolve("new", layers, *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_the_floor_with_waits_is_a_second_figure_where_a_wait_is_said(layers: str) -> None:
    rows = {row["region"]: row for row in told(layers, "--wait", "1.2")["batches"][0]["regions"]}
    assert (rows["m:embed+attn+mlp+head"]["floor_us"], rows["m:embed+attn+mlp+head"]["floor_with_waits_us"]) == (0, 3.6)
    assert all(row["floor_with_waits_us"] is None for row in told(layers)["batches"][0]["regions"])
    assert "with waits" in megasolve("headroom", layers, "--wait", "1.2").stdout
    assert megasolve("headroom", layers, "--wait", "x").exit_code == 2
