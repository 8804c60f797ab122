"""What a command must not overwrite: its inputs, and what is of another kind than its result."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from megasolve.contracts.files.disk.whole_files import lock
from tests.support.command import CHECKOUT, megasolve
from tests.support.profiles.step_traces import trace

SPEC = CHECKOUT / "specs/worked_example"
ID = "m:P/m:B+L/m:C@serial"
PLANNING = {
    "solve": ("solve", "plan.yaml", "--no-cache"),
    "table": ("table", "plan.yaml", "--no-cache"),
    "explain": ("explain", "plan.yaml", ID, "--no-cache"),
    "check": ("check", "plan.yaml"),
    "check of a folder": ("check", "."),
}


@pytest.fixture(autouse=True)
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "plans"
    shutil.copytree(SPEC, folder / "worked_example")
    shutil.copyfile(f"{SPEC}.yaml", folder / "plan.yaml")
    monkeypatch.chdir(folder)
    return folder


def tree() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", PLANNING.values(), ids=PLANNING)
@pytest.mark.parametrize("target", ["plan.yaml", "worked_example/records.yaml", "worked_example/contracts/P.yaml", "link", "hard"])
def test_an_output_that_is_an_input_by_whatever_name_is_refused(words: tuple[str, ...], target: str) -> None:
    Path("link").symlink_to("worked_example/records.yaml")
    os.link("plan.yaml", "hard")
    before = tree()
    result = megasolve(*words, "-o", target)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = (line for line in result.stderr.splitlines() if line.startswith("Error: "))
    assert line.startswith(f"Error: the result would replace {target}, which ")
    assert line.endswith(" this command reads; choose another file")
    assert tree() == before


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("other.yaml", "megasolve: contract/v1\nentry: x\n"),
        ("notes.yaml", "services: {}\n"),
        ("trace.json", '{"traceEvents": []}'),
        ("page.html", "<html>"),
        ("lib.so", "\x7fELF\0"),
    ],
)
def test_what_is_of_another_kind_is_not_overwritten(form: str, name: str, content: str) -> None:
    Path(name).write_text(content)
    result = megasolve(*PLANNING["solve"], "-f", form, "-o", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {name} holds ")
    assert Path(name).read_text() == content


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_a_result_is_overwritten_by_one_of_its_kind(form: str) -> None:
    for _ in range(2):
        assert megasolve(*PLANNING["solve"], "-f", form, "-o", "result").exit_code == 0
    Path("result").write_text("")
    assert megasolve(*PLANNING["solve"], "-f", form, "-o", "result").exit_code == 0


def test_a_result_is_not_overwritten_by_one_of_another_kind() -> None:
    assert megasolve(*PLANNING["solve"], "-f", "json", "-o", "result").exit_code == 0
    for words in ((*PLANNING["table"], "-f", "json"), (*PLANNING["solve"], "-f", "csv")):
        result = megasolve(*words, "-o", "result")
        assert result.exit_code == 2
        assert "result holds result/v1, and the result is" in result.stderr


def importing(output: str) -> tuple[str, ...]:
    trace(Path())
    return ("import", "trace.json", "-o", output, "--batch", "1", "--precision", "bf16", "--device", "h200")


def test_an_import_replaces_records_of_profiles_and_nothing_else() -> None:
    for _ in range(2):
        assert megasolve(*importing("records.jsonl")).exit_code == 0
    before = tree()
    for target, why in [
        ("plan.yaml", "plan.yaml holds spec/v1, and the result is records/v1"),
        ("worked_example/records.yaml", "records that are of no profile and would be lost"),
        ("notes.yaml", "holds YAML, and the result is records/v1"),
    ]:
        if target == "notes.yaml":
            Path(target).write_text("services: {}\n")
        result = megasolve(*importing(target))
        assert (result.exit_code, result.stdout) == (2, "")
        assert why in result.stderr
    assert {**tree(), **before} == tree()


def test_an_import_waits_for_no_writer_and_writes_nothing_under_one() -> None:
    assert megasolve(*importing("records.jsonl")).exit_code == 0
    descriptor = os.open("records.jsonl", os.O_RDWR)
    assert lock(descriptor)
    result = megasolve(*importing("records.jsonl"))
    os.close(descriptor)
    assert result.exit_code == 2
    assert "records.jsonl is being written by another run" in result.stderr


def test_a_new_study_replaces_no_profile_device_or_file_of_another_kind() -> None:
    megasolve(*importing("records.jsonl"))
    Path("linked.yaml").symlink_to("trace.json")
    shutil.copyfile(CHECKOUT / "specs/devices/h200.yaml", "mine.yaml")
    before = tree()
    for target, words in [("linked.yaml", ()), ("mine.yaml", ("--device", "mine.yaml")), ("worked_example/contracts/P.yaml", ())]:
        result = megasolve("new", target, "--from", "trace.json", "--force", "--device", "h200", *words)
        assert (result.exit_code, result.stdout) == (2, ""), target
    assert tree() == before
