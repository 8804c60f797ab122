"""`megasolve import`: what profiles hold, records of them, and one line for what cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from megasolve.contracts import Records, check_paths, read_document
from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import annotation, kernel, trace_text
from tests.support.profiles.reports import DETAILS_HEADER, IDENTITY, OLD_DETAILS_HEADER, old_metric_row, quoted, table
from tests.support.profiles.samples import sample
from tests.support.profiles.step_traces import GPU, trace

SPEC = """\
megasolve: spec/v1
name: model
device: h100_sxm
precision: bf16
batches: [4, 8]
groups:
  - {name: D, role: producer}
publication: {group: D, step: 1}
contracts: [gemm.yaml]
records: []
attribution: {steps: marks:ProfilerStep#*}
"""
CONTRACT = """\
megasolve: contract/v1
entry: gemm
backend: conventional
members: [D]
launch: {threads: 128, registers: 32, shared_bytes: 1024}
dispatch: {kind: stream, host_waits: false, host_us: 1, exposed_us: 1}
build: {compiler: nvcc 13.0}
observed: {kernels: [gemm]}
"""


def test_the_facts_of_a_profile_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    file = trace(tmp_path)
    result = megasolve("import", file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"{file}: Kineto trace, one row per kernel"
    for line in (
        "  device     0: NVIDIA H100 80GB HBM3, 132 SMs, compute capability 9.0",
        "  kernels    6 with 2 distinct names",
        "  sum        36.000 µs",
        "  union      36.000 µs",
        "  span       213.000 µs",
    ):
        assert line in lines
    assert "     30.000  83.33 %         3     4      128         32       1,024  gemm" in lines


def test_several_profiles_are_shown_one_by_one_and_never_added_up(tmp_path: Path) -> None:
    first = trace(tmp_path, name="a.json", distributedInfo={"rank": 0, "world_size": 2})
    second = trace(tmp_path, name="b.json", steps=5, distributedInfo={"rank": 1, "world_size": 2})
    stdout = megasolve("import", first, second).stdout
    assert [line for line in stdout.splitlines() if line.startswith("  kernels")] == [
        "  kernels    6 with 2 distinct names",
        "  kernels    10 with 2 distinct names",
    ]
    assert [line.split(maxsplit=1)[1] for line in stdout.splitlines() if line.startswith("  rank")] == ["0 of 2", "1 of 2"]


def test_the_same_profile_twice_is_refused(tmp_path: Path) -> None:
    first, second = trace(tmp_path), trace(tmp_path, name="copy.json")
    result = megasolve("import", first, second)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has the same content as" in result.stderr


def test_groups_that_have_no_kernel_give_no_records(tmp_path: Path) -> None:
    file = trace(tmp_path)
    result = megasolve("import", file, "-o", str(tmp_path / "records.yaml"), "--group", "P=names:prefill*")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {file}: no kernel belongs to a group in each of its occurrences: there is nothing to record\n"
    assert not (tmp_path / "records.yaml").exists()


@pytest.mark.parametrize("top", ["0", "1"])
def test_only_as_many_kernels_are_listed_as_were_asked_for(tmp_path: Path, top: str) -> None:
    stdout = megasolve("import", trace(tmp_path), "--top", top).stdout
    assert ("  gemm\n" in stdout) is (top == "1")
    assert "  norm\n" not in stdout


def test_steps_and_groups_are_shown_where_they_were_asked_for(tmp_path: Path) -> None:
    words = ("--steps", "marks:ProfilerStep#*", "--group", "G=names:gemm")
    lines = megasolve("import", trace(tmp_path), *words).stdout.splitlines()
    assert "3 steady steps, median 100.000 µs" in lines
    assert next(line.split() for line in lines if line.startswith("  G ")) == ["G", "1", "3", "10.000", "10.000", "10.000", "87.000", "1"]
    assert "not attributed: 1 kernel, 6.000 µs" in lines


def test_json_has_exact_times_and_null_for_what_is_unknown(tmp_path: Path) -> None:
    file = trace(tmp_path)
    result = json.loads(megasolve("import", file, "--format", "json", "--group", "all", "--steps", "whole").stdout)
    (profile,) = result["profiles"]
    assert result["megasolve"] == "profiles/v1"
    assert (profile["file"], profile["kernels"], profile["sum_us"], profile["rank"]) == (file, 6, "36.000000", None)
    assert [(one["name"], one["launches"], one["total_us"]) for one in profile["by_kernel"]] == [
        ("gemm", 3, "30.000000"),
        ("norm", 3, "6.000000"),
    ]
    assert result["observations"][0]["groups"][0]["samples_us"] == ["36.000000"]
    assert (result["records"], result["unmatched"]) == (None, [])


def test_a_table_without_times_has_an_unknown_sum(tmp_path: Path) -> None:
    cells = (*IDENTITY[:4], "gemm", *IDENTITY[4:], "Launch Statistics", "Registers Per Thread", "register/thread", "40", "", "", "")
    file = write(tmp_path, "kernels.csv", table(DETAILS_HEADER, [cells]))
    assert "  sum        unknown, as no row has a time" in megasolve("import", file).stdout.splitlines()
    assert json.loads(megasolve("import", file, "-f", "json").stdout)["profiles"][0]["sum_us"] is None


def test_memory_traffic_is_shown_with_its_rounding_and_a_grid_known_as_a_product_as_one(tmp_path: Path) -> None:
    rows = [
        old_metric_row("dram__bytes.sum", "Gbyte", "2.49"),
        old_metric_row("Grid Size", "", "864"),
        old_metric_row("Block Size", "", "256"),
        old_metric_row("gpu__time_duration.sum", "us", "4"),
    ]
    file = write(tmp_path, "kernels.csv", quoted(OLD_DETAILS_HEADER, rows))
    lines = megasolve("import", file).stdout.splitlines()
    assert "  HBM bytes  2,490,000,000 ± 5,000,000" in lines
    assert lines[-1].split() == ["4.000", "100.00", "%", "1", "864", "256", "2,490,000,000", "±", "5,000,000", "gemm<4>(int)"]
    (profile,) = json.loads(megasolve("import", file, "-f", "json").stdout)["profiles"]
    assert (profile["hbm_bytes"], profile["hbm_tolerance_bytes"]) == (2_490_000_000, 5_000_000)
    (one,) = profile["by_kernel"]
    assert (one["hbm_bytes"], one["hbm_tolerance_bytes"]) == (2_490_000_000, 5_000_000)
    assert (one["grid"], one["ctas"], one["block"], one["threads"]) == (None, 864, None, 256)


@pytest.mark.parametrize("name", ["records.yaml", "records.jsonl"])
def test_records_are_written_in_the_form_that_their_name_asks_for(tmp_path: Path, name: str) -> None:
    output = tmp_path / name
    result = megasolve(
        "import", trace(tmp_path), "-o", str(output), "--batch", "4", "--precision", "bf16", "--steps", "marks:ProfilerStep#*"
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"wrote {output}: 2 records at batch 4, precision bf16, device h100_sxm"
    document, findings = read_document(output)
    assert findings == ()
    assert document is not None
    assert isinstance(document.value, Records)
    gemm, norm = document.value.records
    assert (gemm.entries, gemm.samples_ps, norm.samples_ps) == (("gemm",), (10_000_000,) * 3, (2_000_000,) * 3)
    assert (gemm.batch, gemm.budget_ctas, gemm.device) == (4, 132, "h100_sxm")


def test_what_records_assume_is_said(tmp_path: Path) -> None:
    stdout = megasolve("import", trace(tmp_path), "-o", str(tmp_path / "records.yaml")).stdout
    assert "assumed precision: no kernel name says it; --precision NAME states it" in stdout
    assert "assumed batches: no profile says how many requests ran at once; --batch N states it" in stdout


def spec_of(folder: Path, contract: str = CONTRACT) -> str:
    write(folder, "gemm.yaml", contract)
    return write(folder, "spec.yaml", SPEC)


def test_records_of_a_spec_carry_the_context_of_its_contracts(tmp_path: Path) -> None:
    spec, output = spec_of(tmp_path), tmp_path / "records.jsonl"
    result = megasolve("import", trace(tmp_path), "--spec", spec, "--batch", "8", "-o", str(output))
    assert result.exit_code == 0, result.stderr
    (record,) = [json.loads(line) for line in output.read_text().splitlines()[1:]]
    assert record["context"] == {"launch": {"threads": 128, "registers": 32, "shared_bytes": 1024}, "build": {"compiler": "nvcc 13.0"}}
    assert (record["group"], record["batch"], record["precision"], record["samples_us"]) == ("D", 8, "bf16", [10, 10, 10])
    write(tmp_path, "spec.yaml", SPEC.replace("records: []", "records: [records.jsonl]"))
    assert check_paths([spec]).findings == ()


def test_kernels_that_belong_to_no_contract_of_a_spec_are_listed(tmp_path: Path) -> None:
    lines = megasolve("import", trace(tmp_path), "--spec", spec_of(tmp_path), "--batch", "8").stdout.splitlines()
    assert "of no contract: 1 kernel, 2.000 µs" in lines
    assert lines[-1].split() == ["2.000", "1", "norm", "no", "contract", "names", "it", "in", "observed.kernels"]


def test_a_profile_that_no_contract_of_a_spec_is_of_gives_no_file(tmp_path: Path) -> None:
    spec, output = spec_of(tmp_path, CONTRACT.replace("[gemm]", "[conv]")), tmp_path / "records.yaml"
    result = megasolve("import", trace(tmp_path), "--spec", spec, "--batch", "8", "-o", str(output))
    assert (result.exit_code, result.stdout, output.exists()) == (2, "", False)
    assert "no kernel gives a time to a contract of" in result.stderr


def test_a_profile_of_another_gpu_than_the_spec_plans_for_is_refused(tmp_path: Path) -> None:
    file = trace(tmp_path, deviceProperties=[{**GPU, "numSms": 108}])
    result = megasolve("import", file, "--spec", spec_of(tmp_path), "--batch", "8")
    assert result.exit_code == 2
    assert "ran on a GPU with 108 SMs visible, device 'h100_sxm' has 132 usable ones" in result.stderr


WRONG = {
    "no file": ["nowhere.json"],
    "no suffix": ["trace.json", "-o", "records"],
    "no role": ["trace.json", "--group", "D:loop"],
    "no name": ["trace.json", "--group", "=names:gemm"],
    "no pattern": ["trace.json", "--group", "D=gemm"],
    "two rests": ["trace.json", "--group", "D", "--group", "E"],
    "no steps": ["trace.json", "--steps", "sometimes"],
    "no marks": ["trace.json", "--steps", "marks:Epoch*"],
    "all skipped": ["trace.json", "--steps", "marks:ProfilerStep#*", "--skip", "9"],
    "no gpu": ["trace.json", "--gpu", "5"],
    "no device": ["trace.json", "-o", "records.yaml", "--device", "h9000"],
    "no spec": ["trace.json", "--spec", "nowhere.yaml"],
    "batch of no spec": ["trace.json", "--spec", "spec.yaml", "--batch", "3"],
    "spec with groups": ["trace.json", "--spec", "spec.yaml", "--group", "D"],
    "spec in another precision": ["trace.json", "--spec", "spec.yaml", "--precision", "fp8", "--batch", "4"],
    "the profile itself": ["trace.yaml", "-o", "trace.yaml"],
    "cut off": ["cut_off.json", "-o", "records.yaml"],
    "empty": ["empty.json", "-o", "records.yaml"],
    "no kernels": ["idle.json", "-o", "records.yaml"],
    "no such time": ["endless.json", "-o", "records.yaml"],
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_used_is_one_line_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    spec_of(tmp_path)
    text = Path(trace(tmp_path)).read_text()
    write(tmp_path, "trace.yaml", text)
    write(tmp_path, "cut_off.json", text[:-30])
    write(tmp_path, "empty.json", "")
    write(tmp_path, "idle.json", trace_text(annotation("ProfilerStep#0", 0, 9)))
    write(tmp_path, "endless.json", trace_text(kernel("gemm", 0, 10**15)))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    result = megasolve("import", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len([line for line in result.stderr.splitlines() if line.startswith("Error: ")]) == 1
    assert "Traceback" not in result.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_link_that_leads_back_to_itself_is_no_profile(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(link)
    result = megasolve("import", str(link), "-o", str(tmp_path / "records.yaml"))
    assert (result.exit_code, result.stderr) == (2, f"Error: {link}: is a link that leads back to itself\n")


def test_a_damaged_trace_is_read_event_by_event_on_request(tmp_path: Path) -> None:
    text = Path(trace(tmp_path)).read_text()
    file = write(tmp_path, "cut_off.json", text[: text.rindex('{"ph"') + 9])
    assert megasolve("import", file).exit_code == 2
    recovered = megasolve("import", file, "--recover")
    assert recovered.exit_code == 0
    assert "  kernels    5 with 2 distinct names" in recovered.stdout.splitlines()


def test_the_h100_sample_has_its_published_figures() -> None:
    stdout = megasolve("import", str(sample("kineto", "hf_qwen1.5-0.5b_h100.json.gz"))).stdout
    for line in ("kernels    1,465 with 26 distinct names", "sum        45,432.698 µs", "span       49,652.832 µs"):
        assert f"  {line}\n" in stdout


def test_one_launch_for_all_steps_is_told_to_an_entry_that_loops_on_the_device(tmp_path: Path) -> None:
    loop = CONTRACT.replace("conventional", "megakernel").replace("build:", "budgets_ctas: [4]\nloops_on_device: true\nbuild:")
    spec = write(tmp_path, "spec.yaml", SPEC)
    write(tmp_path, "gemm.yaml", loop)
    file = write(tmp_path, "t.json", trace_text(kernel("gemm", 20, 300), deviceProperties=[GPU]))
    told = "one launch of 'gemm' runs all steps (loops_on_device: true) in 300.000 us, and nothing tells their times apart"
    asked = ("import", file, "--spec", spec, "--steps", "whole", "--batch", "4")
    assert f"NOTE: {told}" in megasolve(*asked).stdout
    refused = megasolve(*asked, "-o", str(tmp_path / "records.yaml"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"no kernel gives a time to a contract of {spec}: {told}" in refused.stderr
    assert not (tmp_path / "records.yaml").exists()
