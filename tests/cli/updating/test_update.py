"""`megasolve new --update`: a profile is added to a study, and what a person wrote stays as it is."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from megasolve.contracts import check_paths, load_spec
from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import Event, annotation, call, kernel, trace_text
from tests.support.profiles.step_traces import GPU, waiting_trace


def layered(name: str, gemm: str, duration_us: int, layers: int = 4) -> str:
    """Write a trace of one step of layers, whose product is the kernel *gemm*, into the folder that is stood in."""
    events: list[Event] = [annotation("ProfilerStep#1", 0, 900)]
    for place, kernel_name in enumerate(["embed", *["norm", gemm, "flash_attention"] * layers, "head"], 1):
        events += [call("cudaLaunchKernel", place, place), kernel(kernel_name, 20 + 20 * place, duration_us, correlation=place)]
    return write(Path.cwd(), name, trace_text(*events, deviceProperties=[GPU]))


def tree() -> dict[str, bytes]:
    """Return every file below the folder that is stood in."""
    return {str(path.relative_to(Path.cwd())): path.read_bytes() for path in sorted(Path.cwd().rglob("*")) if path.is_file()}


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a study of batch 1, edit it by hand, and stand beside it."""
    monkeypatch.chdir(tmp_path)
    assert megasolve("new", "model.yaml", "--from", f"1={layered('a.json', 'gemv', 8)}", "--cut", "kernels").exit_code == 0
    spec, norm = Path("model.yaml"), Path("model/contracts/layer.norm.yaml")
    lines = [line for line in spec.read_text().splitlines() if not line.startswith("batches:")]
    spec.write_text("\n".join([*lines[:3], "batches:   [1,]   # one, as served", *lines[3:], "# mine"]) + "\n")
    norm.write_text(norm.read_text().replace("kernels: 1\n", "kernels:   1   # counted by hand\n"))
    return spec


def scores(spec: Path) -> list[Decimal]:
    solved = json.loads(megasolve("solve", str(spec), "--format", "json").stdout)
    return [Decimal(one["ranking"][0]["score_us"]) for one in solved["results"]]


def test_a_profile_of_another_batch_is_added_and_all_that_was_there_stays(study: Path) -> None:
    layered("b.json", "gemm", 16)
    before = tree()
    result = megasolve("new", "model.yaml", "--update", "--from", "32=b.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[0] == (
        "added to model.yaml, batch 32: 5 contracts in model/contracts and 5 records in model/records.b32.yaml"
    )
    after = tree()
    assert {name for name in before if after[name] != before[name]} == {"model.yaml"}
    text, was = study.read_text(), before["model.yaml"].decode()
    assert "batches:   [1, 32,]   # one, as served\n" in text
    added = (" 32,", ", model/records.b32.yaml", ", b.json")
    for one in added:
        assert text.count(one) == 1
        text = text.replace(one, "")
    assert text.replace("[1]", "[1,]") == was
    assert scores(study) == [268, 276]
    assert check_paths([study]).findings == ()


def test_what_a_further_profile_has_outside_and_left_out_is_said_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = Path("model.yaml")
    waiting_trace(tmp_path, name="a.json", wait_us=0)
    assert megasolve("new", "model.yaml", "--from", "1=a.json").exit_code == 0
    was = spec.read_text()
    for batch, wait_us in ((32, 500), (64, 700)):
        waiting_trace(tmp_path, name=f"{batch}.json", wait_us=wait_us, cold_us=100)
        result = megasolve("new", "model.yaml", "--update", "--from", f"{batch}={batch}.json")
        assert result.exit_code == 0, result.stderr
        assert f"outside: {2 * wait_us + 2:,}.000 µs, 2 waits before 'gemm'" in result.stdout
        assert "left out: 'ProfilerStep#0': warm-up, it takes 110.000 us, those after it 60.000 us\n" in result.stdout
    assert spec.read_text().startswith(was.replace("[1]", "[1, 32, 64]").split("records:")[0])
    outside = load_spec(spec).spec.value.outside
    assert [(one.what.split(" that")[0], one.time_ps) for one in outside] == [
        ("batch 32: a wait before 'gemm'", 501_000_000),
        ("batch 64: a wait before 'gemm'", 701_000_000),
    ]


def test_an_update_is_all_there_or_nothing_is(study: Path) -> None:
    layered("b.json", "gemm", 16)
    names = [path.as_posix() for path in sorted(Path("model/contracts").iterdir())]
    study.write_text(study.read_text().replace('contracts: ["model/contracts/*.yaml"]', f"contracts: {names}"))
    before = tree()
    result = megasolve("new", "model.yaml", "--update", "--from", "32=b.json")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert tree() == before


@pytest.mark.usefixtures("study")
def test_records_that_are_there_already_are_kept_and_the_conflict_is_said() -> None:
    before = tree()
    layered("c.json", "gemv", 9)
    result = megasolve("new", "model.yaml", "--update", "--from", "1=c.json")
    assert result.exit_code == 2
    (said,) = result.stderr.splitlines()
    assert (
        "adds nothing to 'model': its 5 calls at batch 1 have records already, with other times (head: 8.000 us there, 9.000 us in" in said
    )
    assert {**before, "c.json": b""} == {**tree(), "c.json": b""}


def test_calls_without_records_get_those_of_a_further_profile(study: Path) -> None:
    records = Path("model/records.yaml")
    known = yaml.safe_load(records.read_text())
    kept = [one for one in known["records"] if one["group"] != "layer.norm"]
    records.write_text(json.dumps({"megasolve": "records/v1", "records": kept}))
    layered("again.json", "gemv", 9)
    result = megasolve("new", "model.yaml", "--update", "--from", "again.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[:2] == [
        "added to model.yaml, batch 1: 1 record in model/records.again.yaml",
        "kept: 4 records of batch 1 that stood there; those of the profile were left out",
    ]
    (added,) = (document for document in load_spec(study).records if document.file.endswith("records.again.yaml"))
    assert [record.group for record in added.value.records] == ["layer.norm"]
    assert scores(study) == [272]


@pytest.mark.usefixtures("study")
def test_programs_of_one_batch_are_put_aside_and_those_that_a_person_wrote_are_named() -> None:
    # An operator may be called after the batch: its sizes are numbers all the same.
    program = 'programs: {layer.gemv: [{operators: [{name: batch_mm, kind: matmul, shape: {m: 1, "n": 64, k: 64}, tile: [{"n": 64}]}]}]}\n'
    written, mine = Path("model/contracts/layer.gemv.yaml"), Path("model/contracts/tail.yaml")
    written.write_text(written.read_text() + program)
    mine.write_text("# Mine.\n" + "".join(mine.read_text().splitlines(keepends=True)[1:]) + program.replace("layer.gemv", "tail"))
    layered("b.json", "gemm", 16)
    result = megasolve("new", "model.yaml", "--update", "--from", "32=b.json")
    assert result.exit_code == 0, result.stderr
    assert "put aside as comments: the programs of 1 contract, whose sizes are those of the batches before" in result.stdout
    assert "NOTE: the programs of 1 contract, not written by megasolve new, name no batch" in result.stdout
    assert f"# {program}" in written.read_text()
    assert program.replace("layer.gemv", "tail") in mine.read_text()


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "32=b.json", "--force"], "--update and --force do not go together"),
        (["--from", "32=b.json", "--group", "B"], "--update and --group do not go together"),
        (["--from", "8=b.json", "--from", "32=b.json"], "--update adds the profiles of one batch at a time"),
        (["--from", "32=b.json", "--precision", "fp8"], "--precision fp8: the spec is in "),
        (["--from", "32=short.json"], "its steps have 11 kernels, and those of 'model' have 14 places; --cut, as it was when"),
        (["--from", "32=missing.json"], "missing.json"),
        ([], "say --from FILE"),
    ],
)
def test_what_no_update_can_be_is_refused_in_a_line(words: list[str], said: str) -> None:
    layered("b.json", "gemm", 16)
    layered("short.json", "gemm", 16, layers=3)
    before = tree()
    result = megasolve("new", "model.yaml", "--update", *words)
    assert result.exit_code == 2
    assert said in result.stderr.splitlines()[-1]
    assert tree() == before


def test_a_list_that_cannot_be_added_to_in_place_is_named(study: Path) -> None:
    layered("b.json", "gemm", 16)
    study.write_text(study.read_text().replace("batches:   [1,]", "batches: 1"))
    before = tree()
    result = megasolve("new", "model.yaml", "--update", "--from", "32=b.json")
    assert result.exit_code == 2
    assert tree() == before
