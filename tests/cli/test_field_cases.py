"""Field cases that are right from one end to the other: what people fed, in small, and what they are told, cases C79, C85 and C92."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import Event, annotation, call, kernel, trace_text
from tests.support.profiles.step_traces import GPU

LAYER = ("norm", "gemm", "attention")
_FORMS = {
    "graph": "backend: conventional\nimplementation: graph\nkernels: 400\n"
    "dispatch: {kind: graph, host_waits: false, host_us: 0, exposed_us: 0, gap_us: 0}\n",
    "eager": "backend: conventional\nimplementation: eager\nkernels: 400\n"
    "dispatch: {kind: stream, host_waits: false, host_us: 0, exposed_us: 0}\n",
    "mega": "backend: megakernel\nbudgets_ctas: [78]\nloops_on_device: true\n"
    "dispatch: {kind: stream, host_waits: false, host_us: 0, exposed_us: 0}\n",
}
_SPEC = """\
megasolve: spec/v1
name: token
device: h20
other_devices: [a100]
precision: bf16
batches: [1]
objective: producer_step
groups: [{name: D, role: producer}]
publication: {group: D, step: 1}
contracts: [contracts/*.yaml]
records: [records.yaml]
"""
_RECORD = """\
  - group: D
    backend: {backend}
    entries: [{name}]
    budget_ctas: 78
    batch: 1
    precision: bf16
    device: h20
    duration_us: {us}
    hbm_bytes: 16400000000
    context: {{launch: {{threads: 256, registers: 64}}}}
    provenance: {{kind: published, source: "mirage-project/mirage issue 406"}}
"""


def eager_then_replays_then_eager() -> list[Event]:
    """Return six encoder kernels, four replays of a graph with five layers, and three kernels of a decoder: order alone parts them."""
    events: list[Event] = []
    for place in range(6):
        name, number = ("gemm", "norm")[place % 2], place + 1
        events += [call("cudaLaunchKernel", 100 * place, number), kernel(name, 100 * place + 10, 90, correlation=number)]
    for replay in range(4):
        start, number = 600 + 860 * replay, 100 + replay
        events.append(call("cudaGraphLaunch", start, number))
        names = ("copy", *LAYER * 5, "head")
        events += [kernel(name, start + 10 + 50 * place, 49, correlation=number) for place, name in enumerate(names)]
    for place in range(3):
        start = 600 + 4 * 860 + 80 * place
        events += [call("cudaLaunchKernel", start, 200 + place), kernel("gemm", start + 10, 70, correlation=200 + place)]
    return events


def test_c79_encoders_replays_and_a_decoder_are_admission_producer_and_consumer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "trace.json", trace_text(*eager_then_replays_then_eager(), deviceProperties=[GPU]))
    made = megasolve("new", "plan.yaml", "--from", "trace.json", "--cut", "phases")
    assert made.exit_code == 0, made.stderr
    assert "NOTE: steps begin with the 4 replays of a graph" in made.stdout
    spec = yaml.safe_load(Path("plan.yaml").read_text())
    assert [(group["name"], group["role"]) for group in spec["groups"]] == [
        ("before", "admission"),
        ("step", "producer"),
        ("after", "consumer"),
    ]
    assert spec["stream"] == {"first_chunk": 4}
    spent: dict[str, float] = {}
    for row in json.loads(megasolve("table", "plan.yaml", "-f", "json").stdout)["rows"]:
        spent[row["group"]] = spent.get(row["group"], 0) + float(row["time_us"])
    assert spent == {"before": 6 * 90, "step": 17 * 49, "after": 3 * 70}
    # From the first kernel to the last one: gaps of 10 us between eager kernels, of 1 us inside of a replay, of 11 us before one.
    (result,) = json.loads(megasolve("solve", "plan.yaml", "-f", "json").stdout)["results"]
    assert float(result["ranking"][0]["score_us"]) == pytest.approx(600 - 10 + 4 * 860 + 3 * 80 - 10, abs=0.001)


def write_token(folder: Path) -> str:
    """Write the decode step of an 8B model on an H20: a megakernel against a server with and without graphs, as somebody published them."""
    rows = []
    for name, us in (("mega", "13437.5"), ("graph", "8780"), ("eager", "18870")):
        head = f"megasolve: contract/v1\nentry: {name}\nmembers: [D]\nlaunch: {{threads: 256, registers: 64}}\n"
        write(folder, f"contracts/{name}.yaml", f"{head}{_FORMS[name]}")
        rows.append(_RECORD.format(name=name, us=us, backend="megakernel" if name == "mega" else "conventional"))
    write(folder, "records.yaml", f"megasolve: records/v1\nrecords:\n{''.join(rows)}")
    return str(write(folder, "token.yaml", _SPEC))


def launch_bound_frames() -> list[Event]:
    """Return four frames of 1,185 kernels, 7.27 ms of kernels in each 53.7 ms, on an A6000: facebookresearch/sam2 issue 768."""
    events: list[Event] = []
    for number in range(4 * 1185):
        frame, place = divmod(number, 1185)
        at = 53_700 * frame + 20 + round(place * 53_640 / 1185, 3)
        if not place:
            events.append(annotation(f"ProfilerStep#{frame}", 53_700 * frame, 53_500))
        events.append(call("cudaLaunchKernel", at, number + 1, dur=8))
        events.append(kernel(f"k{place % 24:02}", round(at + 12, 3), 6.135, correlation=number + 1, grid=[84, 1, 1]))
    return events


def test_c85_a_launch_bound_user_is_first_told_how_idle_it_is_and_what_a_graph_would_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gpu = {"id": 0, "name": "NVIDIA RTX A6000", "numSms": 84, "computeMajor": 8, "computeMinor": 6}
    file = write(tmp_path, "frames.json", trace_text(*launch_bound_frames(), deviceProperties=[gpu]))
    today, graph, floor = (
        "one step takes 53,564.203 µs: 1,182 kernels keep the device busy for 7,251.570 µs (13.54 %); idle for 86.46 %: ",
        "8,433.570 µs (1.000 µs between kernels, taken as usual), 7,428.870 µs with dependent launch (0.150 µs)",
        "unknown, as the profile recorded no shapes",
    )
    made, shown = megasolve("new", "sam.yaml", "--from", file).stdout.splitlines(), megasolve("import", file).stdout.splitlines()
    for lines in (made[:3], [line.strip() for line in shown[1:4]]):
        assert lines[0].startswith(f"today: {today}")
        assert lines[1:] == [f"as a CUDA graph: {graph}", f"at the floor: {floor}"]
    first, second, third, *_ = megasolve("headroom", "sam.yaml").stdout.splitlines()
    assert first.endswith("1,182 kernels keep the device busy for 7.252 ms, and 86.46 % is launches, gaps and waits.")
    assert second.startswith("As a CUDA graph the same kernels would take 8.434 ms (1.000 µs between kernels, taken as usual), 7.429 ms ")
    assert third == "At the floor: unknown, as no kernel says what it computes."
    idle, _, pointer = megasolve("solve", "sam.yaml").stdout.splitlines()[-3:]
    assert idle.startswith("The device is idle for 86.46 %, launches, gaps and waits. As a CUDA graph the same kernels would take 8.434 ms")
    assert pointer.endswith("; megasolve headroom sam.yaml shows them all.")
    told = json.loads(megasolve("headroom", "sam.yaml", "--format", "json").stdout)["batches"][0]["baseline"]
    assert (told["score_us"], told["idle_us"], told["as_graph_us"]) == pytest.approx((53_564, 46_313, 8_434), rel=1e-4)
    # Counted by hand, with each of the 1,185 kernels of a frame: 7.27 ms and 1,185 gaps of 1 µs.
    assert told["as_graph_us"] == pytest.approx(8_455, rel=3e-3)


def test_c92_a_megakernel_behind_a_graph_is_far_from_its_bytes_and_unknown_on_another_device(tmp_path: Path) -> None:
    spec = write_token(tmp_path)
    told = megasolve("solve", spec).stdout
    assert "best: c:D@serial, 8.780 ms" in told
    assert "next: m:D@serial, 13.438 ms, 53.05 % slower" in told
    assert "variant: with eager it takes 18.870 ms, 114.92 % slower" in told
    # 16.4 GB at the 3,712.3 GB/s that the device sustains.
    rows = {row["entry"]: row for row in json.loads(megasolve("table", spec, "-f", "json").stdout)["rows"]}
    assert {row["bound_us"] for row in rows.values()} == {"4417.746411"}
    assert pytest.approx(3.04, abs=0.005) == 13437.5 / 4417.746411
    assert "x 3.04" in megasolve("table", spec).stdout
    elsewhere = megasolve("solve", spec, "--device", "a100")
    assert elsewhere.exit_code == 1
    assert "nothing is feasible: each of the 2 candidates is excluded" in elsewhere.stdout
    assert "no record of D on megakernel entry 'mega' with 78 CTAs, batch 1, bf16, a100" in elsewhere.stdout
    assert "differs in device: h20 against a100" in elsewhere.stdout
