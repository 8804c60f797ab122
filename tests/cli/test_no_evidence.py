"""Field cases in which a profile is no evidence, or holds time that no launch costs, on small traces of the same kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import Event, annotation, call, kernel, trace_text
from tests.support.profiles.step_traces import GPU


def trace(folder: Path, *events: Event) -> str:
    return write(folder, "trace.json", trace_text(*events, deviceProperties=[GPU]))


def launched(name: str, called: int, at: int, lasts: int, number: int, **of_kernel: Any) -> list[Event]:
    return [call("cudaLaunchKernel", called, number), kernel(name, at, lasts, correlation=number, **of_kernel)]


def decode_beside_prefill() -> list[Event]:
    decode = [one for n in range(20) for one in launched("decode_step", 6000 * n, 6000 * n + 10, 5800, n + 1, stream=13)]
    return [*decode, *launched("prefill_gemm", 9000, 9010, 100_000, 50, stream=14)]


def test_c76_a_wait_for_the_batch_before_is_outside_of_the_step_and_of_every_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    layers = [one for n in range(100) for one in launched("layer", 493_300 + 2 * n, 493_400 + 101 * n, 100, n + 2)]
    mark = annotation("execute_15360_context_15", -80, 600_000)
    file = trace(tmp_path, mark, *launched("embed", 0, 10, 3, 1), *layers)
    lines = megasolve("new", "plan.yaml", "--from", file).stdout.splitlines()
    assert "one step: 10,102.000 µs of kernels and gaps, exactly as in the profile but for what is outside" in lines
    outside = [line for line in lines if line.startswith("outside: ")]
    assert outside == ["outside: 493,387.000 µs, a wait before 'layer' that no launch costs: longer than any launch takes"]
    assert outside[0] in megasolve("import", file).stdout.splitlines()
    gaps = [yaml.safe_load(path.read_text())["dispatch"]["gap_us"] for path in Path("plan/contracts").iterdir()]
    assert max(gaps) < 2
    assert "outside: 493,387.000 µs" in megasolve("solve", "plan.yaml").stdout
    (time,) = json.loads(megasolve("solve", "plan.yaml", "-f", "json").stdout)["outside"]
    assert (time["time_us"], time["because"]) == ("493387.000000", "longer than any launch takes")


def test_c78_the_trace_of_a_capture_is_shown_and_not_planned_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    captured = [call("hipLaunchKernel", 100 + n, 10 + n) for n in range(544)]
    marks = [call("hipStreamBeginCapture", 90, 5), call("hipStreamEndCapture", 700, 6)]
    file = trace(tmp_path, *launched("fill", 0, 10, 5, 1), *launched("fill", 20, 30, 5, 2), *marks, *captured)
    refused = megasolve("new", "plan.yaml", "--from", file)
    assert (refused.exit_code, list(Path.cwd().glob("plan*"))) == (2, [])
    assert "544 of 546 launch calls were captured into a graph" in refused.stderr
    shown = megasolve("import", file)
    assert shown.exit_code == 0
    assert "for looking only, nothing is planned from it: 544 of 546" in shown.stdout
    assert megasolve("import", file, "-o", "records.yaml").exit_code == 2


def test_c84_replays_that_were_delivered_in_one_burst_are_refused_with_the_event_named(tmp_path: Path) -> None:
    events = []
    for step in range(11):
        at = 31_000 * step
        events += [annotation("step[DECODE bs=31]", at, 20_000), *launched("prep", at + 10, at + 60, 100, 2 * step + 1)]
        events += [call("hipGraphLaunch", at + 20, 2 * step + 2), kernel("moe", 400_000 + 600 * step, 550, correlation=2 * step + 2)]
    refused = megasolve("new", str(tmp_path / "plan.yaml"), "--from", trace(tmp_path, *events))
    assert refused.exit_code == 2
    assert "10 kernels of one stream ran in another order than they were launched, which no stream does: event 5 ('moe')" in refused.stderr


def test_c99_a_decode_beside_a_prefill_gives_no_time_shorter_than_its_kernels_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    groups = ("--group", "P:admission=names:prefill*", "--group", "D:producer=names:decode*")
    made = megasolve("new", "plan.yaml", "--from", trace(tmp_path, *decode_beside_prefill()), *groups)
    assert made.exit_code == 0, made.stderr
    assert "NOTE: group P ran only beside D, so none of its time is standalone: no record has it; record P alone" in made.stdout
    (record,) = yaml.safe_load(Path("plan/records.yaml").read_text())["records"]
    assert (record["group"], record["samples_us"]) == ("D", [20 * 5800])
    assert megasolve("check", "plan.yaml").exit_code == 0
    solved = megasolve("solve", "plan.yaml")
    assert solved.exit_code == 1
    assert "outside: 100,000.000 µs, group P, which ran only beside D" in solved.stdout
    assert "no record of P" in solved.stdout


def test_c99_a_time_beside_the_other_context_is_no_record_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    groups = ("--group", "P:admission=names:prefill*", "--group", "D:producer=names:decode*")
    assert megasolve("new", "plan.yaml", "--from", trace(tmp_path, *decode_beside_prefill()), *groups).exit_code == 0
    records = yaml.safe_load(Path("plan/records.yaml").read_text())
    records["records"].append({**records["records"][0], "group": "P", "samples_us": [100_000], "beside": "decode on 128 SMs"})
    Path("plan/records.yaml").write_text(yaml.safe_dump(records))
    refused = megasolve("solve", "plan.yaml")
    assert refused.exit_code == 2
    assert "REC-06 a time taken beside 'decode on 128 SMs'; a service record is standalone" in refused.stderr


def test_c79_kinds_of_kernels_that_take_turns_are_no_groups(tmp_path: Path) -> None:
    kinds = [one for n in range(8) for one in launched(("attention", "gemm")[n % 2], 2 * n, 10 + 12 * n, 10, n + 1)]
    refused = megasolve("new", str(tmp_path / "p.yaml"), "--from", trace(tmp_path, *kinds), "--group", "A=names:att*", "--group", "M")
    assert refused.exit_code == 2
    assert "groups A and M alternate, 8 turns within 'the whole profile'" in refused.stderr
