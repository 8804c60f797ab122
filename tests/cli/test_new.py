"""`megasolve new`: from a profile to a study that passes its check and solves, in two commands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from megasolve.contracts import check_paths, load_spec, shipped_specs
from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import annotation, call, kernel, trace_text
from tests.support.profiles.samples import sample
from tests.support.profiles.step_traces import GPU, trace, waiting_trace

H100_SXM = shipped_specs() / "devices" / "h100_sxm.yaml"


def score_us(spec: Path) -> Decimal:
    """Return the score of the conventional candidate of the study at *spec*."""
    result = megasolve("solve", str(spec), "--format", "json")
    assert result.exit_code == 0, result.stderr
    (row,) = json.loads(result.stdout)["results"][0]["ranking"]
    return Decimal(row["score_us"])


def tree(folder: Path) -> Mapping[str, bytes]:
    """Return every file below *folder*."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_study_of_a_trace_is_clean_and_scores_what_one_step_took(tmp_path: Path) -> None:
    spec = tmp_path / "plans" / "model.yaml"
    result = megasolve("new", str(spec), "--from", trace(tmp_path, steps=4), "--steps", "marks:ProfilerStep#*")
    assert result.exit_code == 0, result.stderr
    assert check_paths([spec.parent]).findings == ()
    assert score_us(spec) == 100


def test_the_whole_profile_is_one_step_where_that_is_asked_for(tmp_path: Path) -> None:
    spec = tmp_path / "model.yaml"
    assert megasolve("new", str(spec), "--from", trace(tmp_path), "--steps", "whole").exit_code == 0
    assert score_us(spec) == 213


def test_check_counts_in_the_profile_what_new_counted_in_it_where_a_kernel_was_called_for_before(tmp_path: Path) -> None:
    events = [kernel("gemm", 100, 10, correlation=1)]
    for place in range(2, 6):
        events += [call("cudaLaunchKernel", 90 + place, place), kernel("gemm", 100 + 20 * place, 10, correlation=place)]
    file, spec = write(tmp_path, "begun.json", trace_text(*events, deviceProperties=[GPU])), tmp_path / "model.yaml"
    result = megasolve("new", str(spec), "--from", file)
    assert "left out: 1 launch (10.000 us) before the first step: of the step before, or of none" in result.stdout.splitlines()
    assert megasolve("check", str(spec), "--profile", file).exit_code == 0
    assert score_us(spec) == 70
    assert megasolve("new", str(spec), "--from", file, "--steps", "whole", "--force").exit_code == 0
    assert megasolve("check", str(spec), "--profile", file).exit_code == 0
    assert score_us(spec) == 110


def test_steps_are_those_that_the_profiler_marks_where_nothing_else_is_said(tmp_path: Path) -> None:
    spec = tmp_path / "model.yaml"
    assert megasolve("new", str(spec), "--from", trace(tmp_path)).exit_code == 0
    assert score_us(spec) == 100
    assert 'steps: "marks:ProfilerStep#*"' in spec.read_text()


def test_the_h100_sample_scores_its_one_whole_step_to_the_nanosecond(tmp_path: Path) -> None:
    spec = tmp_path / "qwen.yaml"
    file = str(sample("kineto", "hf_qwen1.5-0.5b_h100.json.gz"))
    assert megasolve("new", str(spec), "--from", file).exit_code == 0
    assert abs(score_us(spec) - Decimal("34892.419")) < Decimal("0.001")
    assert check_paths([spec], profiles=[file]).findings == ()


def test_it_says_what_it_wrote_what_it_assumed_and_what_to_do_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace(tmp_path)
    lines = megasolve("new", "plan.yaml", "--from", "trace.json", "--group", "G=names:gemm").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:3]] == ["today", "as a CUDA graph", "at the floor"]
    assert lines[4:7] == ["wrote plan.yaml", "wrote plan/contracts: 1 file", "wrote plan/records.yaml"]
    assert "assumed precision: no kernel name says it; --precision NAME states it" in lines
    assert "assumed batches: no profile says how many requests ran at once; --batch N states it" in lines
    assert "not attributed: 1 kernel, 6.000 µs" in lines
    assert lines[-1] == "next: megasolve plan.yaml"


def test_the_files_are_a_spec_one_contract_for_each_kernel_and_records(tmp_path: Path) -> None:
    megasolve("new", str(tmp_path / "plan.yaml"), "--from", trace(tmp_path))
    study = {"plan.yaml", "plan/contracts/gemm.yaml", "plan/contracts/norm.yaml", "plan/records.yaml"}
    schemas = {f"plan/schemas/{kind}.schema.json" for kind in ("contract", "records", "spec")}
    assert set(tree(tmp_path)) == {"trace.json"} | study | schemas


def test_a_name_that_is_no_name_of_a_spec_is_made_one(tmp_path: Path) -> None:
    spec = tmp_path / "7 steps of Qwen!.yaml"
    assert megasolve("new", str(spec), "--from", trace(tmp_path)).exit_code == 0
    assert load_spec(spec).spec.value.name == "m_7_steps_of_Qwen_"


@pytest.mark.parametrize("name", ["a[1].yaml", "*.yaml", "[!a]?.yaml", "a b.yaml"])
def test_the_name_of_a_study_is_no_pattern(tmp_path: Path, name: str) -> None:
    file = trace(tmp_path)
    write(tmp_path, "a1/contracts/other.yaml", "megasolve: contract/v1\n")
    for _ in range(2):
        assert megasolve("new", str(tmp_path / name), "--from", file, "--force").exit_code == 0
    assert len(load_spec(tmp_path / name).contracts) == 2


def test_the_spec_names_the_profile_so_that_check_compares_them(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    spec = tmp_path / "plans" / "plan.yaml"
    file = Path(trace(tmp_path))
    megasolve("new", str(spec), "--from", str(file), "--group", "P:admission=ranges:*#0", "--group", "D")
    assert load_spec(spec).spec.value.profiles == ("../trace.json",)
    assert megasolve("check", str(spec)).exit_code == 0
    file.write_text(file.read_text().replace('"block": [128', '"block": [256', 1))
    result = megasolve("check", str(spec))
    assert result.exit_code == 1
    assert "PRF-02 threads: " in result.stdout


def test_a_profile_outside_the_project_is_not_named_and_the_command_says_so(tmp_path: Path) -> None:
    spec, file = tmp_path / "plans" / "plan.yaml", trace(tmp_path)
    result = megasolve("new", str(spec), "--from", file)
    assert load_spec(spec).spec.value.profiles == ()
    assert f"so check compares with them only where it is told to: megasolve check {spec} --profile {file}\n" in result.stdout
    assert megasolve("new", str(spec), "--from", file, "--root", str(tmp_path), "--force").exit_code == 0
    assert load_spec(spec, root=tmp_path).spec.value.profiles == ("../trace.json",)


def test_groups_have_the_roles_that_they_were_given(tmp_path: Path) -> None:
    spec = tmp_path / "plan.yaml"
    words = ("--group", "G:producer=names:gemm", "--group", "N:consumer=names:norm", "--batch", "4", "--precision", "bf16")
    assert megasolve("new", str(spec), "--from", trace(tmp_path), *words).exit_code == 0
    study = load_spec(spec)
    assert [(group.name, group.role) for group in study.spec.value.groups] == [("G", "producer"), ("N", "consumer")]
    assert {contract.value.entry for contract in study.contracts} == {"G.gemm", "N.norm"}
    assert (study.spec.value.batches, study.spec.value.precision) == ((4,), "bf16")


def test_several_profiles_follow_the_option_or_have_one_each(tmp_path: Path) -> None:
    ranks = [trace(tmp_path, name=f"rank{rank}.json", steps=rank + 1) for rank in range(2)]
    for words in (["--from", *ranks], ["--from", ranks[0], "--from", ranks[1]]):
        result = megasolve("new", str(tmp_path / "plan.yaml"), *words)
        assert result.exit_code == 2
        assert "whose times are never added up" in result.stderr


def test_nothing_that_is_there_is_overwritten_without_force(tmp_path: Path) -> None:
    file = trace(tmp_path)
    write(tmp_path, "plan/notes.txt", "mine")
    before = tree(tmp_path)
    result = megasolve("new", str(tmp_path / "plan.yaml"), "--from", file)
    assert result.exit_code == 2
    assert "is there already; --force overwrites" in result.stderr
    assert tree(tmp_path) == before


def test_force_replaces_what_an_earlier_run_wrote_and_keeps_everything_else(tmp_path: Path) -> None:
    spec = tmp_path / "plan.yaml"
    megasolve("new", str(spec), "--from", trace(tmp_path))
    contract = (tmp_path / "plan/contracts/gemm.yaml").read_text()
    mine = contract.partition("\n")[2].replace("entry: gemm", "entry: mine").replace("profiled", "mine").replace("[gemm]", "[gemm_2]")
    write(tmp_path, "plan/contracts/mine.yaml", mine)
    other = write(tmp_path, "other.json", trace_text(kernel("gemm", 10, 5), kernel("conv", 20, 5), deviceProperties=[GPU]))
    result = megasolve("new", str(spec), "--from", other, "--force")
    assert result.exit_code == 0, result.stderr
    assert set(tree(tmp_path / "plan/contracts")) == {"conv.yaml", "gemm.yaml", "mine.yaml"}
    assert "the profile" not in result.stderr


def test_a_study_that_would_not_pass_its_check_is_not_written(tmp_path: Path) -> None:
    spec = tmp_path / "plan.yaml"
    megasolve("new", str(spec), "--from", trace(tmp_path))
    clashing = (tmp_path / "plan/contracts/gemm.yaml").read_text().partition("\n")[2]
    write(tmp_path, "plan/contracts/mine.yaml", clashing)
    before = tree(tmp_path)
    result = megasolve("new", str(spec), "--from", str(tmp_path / "trace.json"), "--force", "--batch", "9")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nothing was written, as it would not pass check: " in result.stderr
    assert tree(tmp_path) == before


def test_a_launch_that_the_device_cannot_hold_is_no_study(tmp_path: Path) -> None:
    file = write(tmp_path, "wide.json", trace_text(kernel("gemm", 10, 5, block=[2048, 1, 1]), deviceProperties=[GPU]))
    result = megasolve("new", str(tmp_path / "plan.yaml"), "--from", file, "--batch", "1", "--precision", "bf16")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nothing was written, as it would not pass check: " in result.stderr
    assert "LIM-07 threads: 2,048 > 1,024 per CTA on h100_sxm" in result.stderr
    assert set(tree(tmp_path)) == {"wide.json"}


def test_a_step_of_which_nothing_is_left_is_no_study(tmp_path: Path) -> None:
    events = [kernel("ahead", 10, 50, stream=7)]
    for step in range(3):
        events += [annotation(f"ProfilerStep#{step}", 100 * step, 90), call("cudaLaunchKernel", 100 * step + 1, step + 2)]
        events += [kernel("ahead", 100 * step + 92, 12, correlation=-step - 5), kernel("gemm", 100 * step + 95, 5, correlation=step + 2)]
    file = write(tmp_path, "beside.json", trace_text(*events, deviceProperties=[GPU]))
    result = megasolve("new", str(tmp_path / "plan.yaml"), "--from", file, "--batch", "1", "--precision", "bf16", "--group", "B=names:gemm")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {file}: a step takes no time: its kernels all run beside kernels that are no part of it\n"


def test_a_folder_in_the_way_of_a_file_leaves_nothing_behind(tmp_path: Path) -> None:
    file = trace(tmp_path)
    (tmp_path / "plan" / "records.yaml").mkdir(parents=True)
    result = megasolve("new", str(tmp_path / "plan.yaml"), "--from", file, "--force")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot write " in result.stderr
    assert set(tree(tmp_path)) == {"trace.json"}
    assert not (tmp_path / "plan" / "contracts").exists()


WRONG = {
    "no yaml": ["plan", "--from", "trace.json"],
    "no profile": ["plan.yaml"],
    "no file": ["plan.yaml", "--from", "nowhere.json"],
    "no gpu": ["plan.yaml", "--from", "unknown.json"],
    "unnamed gpu": ["plan.yaml", "--from", "nameless.json"],
    "no device": ["plan.yaml", "--from", "trace.json", "--device", "h9000"],
    "device without file": ["plan.yaml", "--from", "trace.json", "--device", "./h9000.yaml"],
    "empty group": ["plan.yaml", "--from", "trace.json", "--group", "C=names:conv"],
    "two roles": ["plan.yaml", "--from", "trace.json", "--group", "D:producer=names:a", "--group", "D:consumer=names:b"],
    "consumer alone": ["plan.yaml", "--from", "trace.json", "--group", "C:consumer"],
    "no precision": ["plan.yaml", "--from", "trace.json", "--precision", "16 bit"],
    "no batch": ["plan.yaml", "--from", "trace.json", "--batch", "0"],
    "no number": ["plan.yaml", "--from", "trace.json", "--steps", "period:0"],
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_used_is_one_line_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    trace(tmp_path)
    trace(tmp_path, name="unknown.json", deviceProperties=[{"id": 0, "name": "AMD Instinct MI100"}])
    trace(tmp_path, name="nameless.json", deviceProperties=[])
    before = tree(tmp_path)
    result = megasolve("new", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len([line for line in result.stderr.splitlines() if line.startswith("Error: ")]) == 1
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def test_a_device_file_of_ones_own_is_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    file = trace(tmp_path, deviceProperties=[{**GPU, "name": "My GPU"}])
    shipped = H100_SXM.read_text()
    write(tmp_path, "gpus/mine.yaml", shipped.replace("name: h100_sxm", "name: mine").replace("NVIDIA H100 80GB HBM3", "My GPU"))
    result = megasolve("new", "plans/plan.yaml", "--from", file, "--device", "gpus/mine.yaml")
    assert result.exit_code == 0, result.stderr
    study = load_spec("plans/plan.yaml")
    assert (study.spec.value.device, study.device.value.name) == ("../gpus/mine.yaml", "mine")


def test_a_device_beside_the_spec_is_found_by_the_name_in_the_profile(tmp_path: Path) -> None:
    file = trace(tmp_path, deviceProperties=[{**GPU, "name": "My GPU"}])
    shipped = H100_SXM.read_text()
    write(tmp_path, "devices/mine.yaml", shipped.replace("name: h100_sxm", "name: mine").replace("NVIDIA H100 80GB HBM3", "My GPU"))
    assert megasolve("new", str(tmp_path / "plan.yaml"), "--from", file).exit_code == 0
    assert load_spec(tmp_path / "plan.yaml").device.value.name == "mine"


def test_a_study_of_a_recovered_trace_says_what_was_clipped_and_passes_its_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    events = []
    for number in range(20):
        lasts = 10**6 if number == 5 else 10
        events += [call("cudaLaunchKernel", number, number + 1), kernel("gemm", 100 + 12 * number, lasts, correlation=number + 1)]
    write(tmp_path, "trace.json", trace_text(*events, deviceProperties=[GPU]))
    refused = megasolve("new", "plan.yaml", "--from", "trace.json")
    assert refused.exit_code == 2
    assert "event 12 ('gemm') lasts 1,000,000.000 us" in refused.stderr
    made = megasolve("new", "plan.yaml", "--from", "trace.json", "--recover")
    assert made.exit_code == 0, made.stderr
    assert "NOTE: recovered: event 12 ('gemm') lasts 1,000,000.000 us" in made.stdout
    assert "clipped to 12.000 us" in made.stdout
    assert check_paths([tmp_path / "plan.yaml"]).findings == ()
    assert score_us(tmp_path / "plan.yaml") == 240 - 2


def test_a_cut_into_layers_writes_a_repeat_that_solves(tmp_path: Path) -> None:
    events = [annotation("ProfilerStep#1", 0, 500)]
    for place, name in enumerate(["embed", *["norm", "gemm", "attention"] * 4, "head"], 1):
        events += [call("cudaLaunchKernel", place, place), kernel(name, 20 + 10 * place, 8, correlation=place)]
    source = write(tmp_path, "trace.json", trace_text(*events, deviceProperties=[GPU]))
    spec = tmp_path / "model.yaml"
    result = megasolve("new", str(spec), "--from", source, "--cut", "layers")
    assert result.exit_code == 0, result.stderr
    assert "one step: 138.000 µs of kernels and gaps, exactly as in the profile\n" in result.stdout
    assert load_spec(spec).spec.value.repeats[0].times == 4
    assert megasolve("solve", str(spec)).exit_code == 0


def test_what_stands_around_the_steps_is_taken_by_its_side(tmp_path: Path) -> None:
    names = [
        "encode",
        *["norm", "gemm", "attention", "norm", "gemm", "attention", "norm", "gemm", "attention", "head"] * 3,
        "decode",
        "write",
    ]
    events = [
        one
        for place, name in enumerate(names, 1)
        for one in (call("cudaLaunchKernel", place, place), kernel(name, 20 + 10 * place, 8, correlation=place))
    ]
    source = write(tmp_path, "trace.json", trace_text(*events, deviceProperties=[GPU]))
    spec = tmp_path / "model.yaml"
    groups = ["--group", "E:admission=before:", "--group", "D", "--group", "V:consumer=after:"]
    result = megasolve("new", str(spec), "--from", source, *groups)
    assert result.exit_code == 0, result.stderr
    planned = load_spec(spec).spec.value
    assert [(group.name, group.role) for group in planned.groups] == [("E", "admission"), ("D", "producer"), ("V", "consumer")]
    assert planned.stream is not None
    assert planned.stream.first_chunk == 3


def test_a_cut_and_groups_do_not_go_together(tmp_path: Path) -> None:
    result = megasolve("new", str(tmp_path / "model.yaml"), "--from", trace(tmp_path), "--cut", "layers", "--group", "B")
    assert result.exit_code == 2
    assert "--cut and --group do not go together" in result.stderr


def test_a_gpu_that_no_device_file_knows_gets_one_of_what_the_trace_says(tmp_path: Path) -> None:
    unknown = {"id": 0, "name": "NVIDIA Prototype", "numSms": 40, "warpSize": 32, "computeMajor": 9, "computeMinor": 9}
    spec = tmp_path / "model.yaml"
    result = megasolve("new", str(spec), "--from", trace(tmp_path, deviceProperties=[unknown]))
    assert result.exit_code == 0, result.stderr
    assert "model/device.yaml: figures that the profile does not say are marked OPEN\n" in result.stdout
    assert load_spec(spec).device.value.sms == 40
    assert megasolve("solve", str(spec)).exit_code == 0


def layered(folder: Path, name: str, gemm: str, duration_us: int) -> str:
    """Write a trace of one step of four layers, whose product is the kernel *gemm*."""
    events = [annotation("ProfilerStep#1", 0, 900)]
    for place, kernel_name in enumerate(["embed", *["norm", gemm, "flash_attention"] * 4, "head"], 1):
        events += [call("cudaLaunchKernel", place, place), kernel(kernel_name, 20 + 20 * place, duration_us, correlation=place)]
    return write(folder, name, trace_text(*events, deviceProperties=[GPU]))


def test_profiles_of_several_batches_are_one_study(tmp_path: Path) -> None:
    one, many = layered(tmp_path, "a.json", "gemv", 8), layered(tmp_path, "b.json", "gemm", 16)
    spec = tmp_path / "model.yaml"
    result = megasolve("new", str(spec), "--from", f"1={one}", "--from", f"32={many}", "--cut", "kernels")
    assert result.exit_code == 0, result.stderr
    assert "batch 32: one step: 276.000 µs of kernels and gaps\n" in result.stdout
    assert load_spec(spec).spec.value.batches == (1, 32)
    solved = json.loads(megasolve("solve", str(spec), "--format", "json").stdout)
    assert [Decimal(one["ranking"][0]["score_us"]) for one in solved["results"]] == [268, 276]


def test_what_each_batch_has_outside_and_left_out_is_said_of_it(tmp_path: Path) -> None:
    one = waiting_trace(tmp_path, name="a.json", wait_us=0)
    many = waiting_trace(tmp_path, name="b.json", wait_us=500, cold_us=100)
    spec = tmp_path / "model.yaml"
    result = megasolve("new", str(spec), "--from", f"1={one}", "--from", f"32={many}")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "batch 32: outside: 1,002.000 µs, 2 waits before 'gemm' (501.000 µs in the lower median) that no launch costs: it spans" in (
        result.stdout
    )
    assert "batch 32: left out: 'ProfilerStep#0': warm-up, it takes 110.000 us, those after it 60.000 us" in lines
    assert not [line for line in lines if line.startswith(("outside:", "left out:"))]
    (outside,) = load_spec(spec).spec.value.outside
    assert outside.what == "batch 32: a wait before 'gemm' that no launch costs (2 times in the profile, the lower median)"
    assert outside.time_ps == 501_000_000
    assert "outside: 501.000 µs, batch 32: a wait before 'gemm' that no launch costs" in megasolve("solve", str(spec)).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "1=a.json", "--from", "b.json"], "b.json: of several batches each file is N=FILE"),
        (["--from", "1=a.json", "--batch", "3"], "--batch and N=FILE do not go together"),
        (["--from", "1=a.json", "--from", "8=c.json", "--cut", "kernels"], "batch 8 is made of other groups than the first"),
        (["--from", "a.json", "--steps-count", "3"], "3 steps cannot be counted off in it"),
        (["--from", "a.json", "--steps-count", "3", "--steps", "whole"], "--steps and --steps-count do not go together"),
    ],
)
def test_batches_and_counts_that_do_not_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    layered(tmp_path, "a.json", "gemv", 8)
    trace(tmp_path, name="c.json")
    result = megasolve("new", "model.yaml", *words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_what_repeats_in_a_step_is_proposed_where_nobody_cut_it(tmp_path: Path) -> None:
    result = megasolve("new", str(tmp_path / "model.yaml"), "--from", layered(tmp_path, "a.json", "gemm", 8))
    assert "structure: a step has 4 repeats of 3 kernels: --cut phases, layers, modules or kernels makes groups of it\n" in result.stdout
