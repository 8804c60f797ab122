"""`megasolve SPEC` is `megasolve solve SPEC`, and a misspelt command stays one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import megasolve

SPEC = "specs/worked_example.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


@pytest.mark.parametrize(
    "words",
    [
        (SPEC,),
        ("--color", "never", SPEC),
        ("--color=never", SPEC),
        (SPEC, "--color", "never"),
        ("--batch", "32", SPEC),
        ("--debug", SPEC, "--batch", "32"),
    ],
)
def test_a_spec_as_the_first_word_is_solved(words: tuple[str, ...]) -> None:
    bare = megasolve(*words)
    assert bare.exit_code == 0
    assert bare.stdout == megasolve("solve", SPEC).stdout


def test_without_a_word_there_is_the_help() -> None:
    bare = megasolve()
    assert (bare.exit_code, bare.stdout, bare.stderr) == (2, "", megasolve("--help").stdout)


def test_a_file_of_any_name_is_solved(tmp_path: Path) -> None:
    named = tmp_path / "spec"
    named.write_text("megasolve: spec/v1\n")
    assert megasolve(str(named)).stderr == megasolve("solve", str(named)).stderr


def test_a_misspelt_command_names_the_nearest_one() -> None:
    result = megasolve("chekc")
    assert result.exit_code == 2
    assert "No such command 'chekc'. Did you mean 'check'?" in result.stderr


def test_a_folder_is_named_with_the_commands_that_take_it_and_its_specs() -> None:
    result = megasolve("specs")
    assert result.exit_code == 2
    assert "'specs' is a folder, no spec; megasolve check specs checks what is in it" in result.stderr
    assert "specs/equal_partitions.yaml" in result.stderr


def test_a_folder_without_specs_names_none(tmp_path: Path) -> None:
    (tmp_path / "unreadable.yaml").write_bytes(b"\xff\xfe")
    assert megasolve(str(tmp_path)).stderr.endswith("checks what is in it\n")


@pytest.mark.parametrize("words", [(), ("solve",), ("table",)])
def test_a_profile_is_named_with_the_commands_that_take_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text(
        '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2}]}', encoding="utf-8"
    )
    result = megasolve(*words, str(trace))
    assert (result.exit_code, result.stdout) == (2, "")
    uses = (
        f"megasolve import {trace} shows it",
        f"megasolve headroom {trace} says what would pay",
        f"megasolve new SPEC --from {trace} writes a spec from it",
    )
    assert result.stderr == f"Error: {trace} is a Kineto trace, no spec; {', '.join(uses)}\n"


OTHERS = {
    '{"megasolve": "result/v1", "results": []}': "a result of megasolve solve, no spec; megasolve report FILE -o report.html shows it",
    '{"megasolve": "sweep/v1"}': "a sweep, which megasolve printed, no spec; megasolve schema sweep says what it holds",
    "# of a night\ncandidate,batch,block,run,time_us\n": "a table of runs, no spec; megasolve evaluate SPEC FILE holds a plan against them",
    '{"all_tasks": [], "all_events": []}': "a task graph of MPK, or a table of its times, no spec; megasolve import FILE shows it",
    '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2}]}': "a Kineto trace, no spec; megasolve import",
}


@pytest.mark.parametrize(("text", "said"), OTHERS.items())
def test_what_else_stands_in_a_file_or_on_stdin_is_named_with_the_commands_that_take_it(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "other"
    file.write_text(text, encoding="utf-8")
    assert f"Error: {file} is {said.replace('FILE', str(file))}" in megasolve(str(file)).stderr
    assert f"Error: what stands on stdin is {said}" in megasolve("-", stdin=text).stderr


def test_a_spec_that_does_not_exist_is_said_in_one_line() -> None:
    result = megasolve("specs/no_such.yaml")
    assert (result.exit_code, result.stderr) == (2, "Error: specs/no_such.yaml: no such file\n")
