"""Starting up: each command loads only what it needs, and the words of the options are those of the solver."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from megasolve.cli.app import program
from megasolve.cli.schema import KINDS as SCHEMA_KINDS
from megasolve.cli.solve import ABLATIONS
from megasolve.cli.words.studies import OBJECTIVES
from megasolve.contracts import KINDS
from megasolve.simulate import Ablation, Objective
from tests.support.command import CHECKOUT, environment, megasolve
from tests.support.disk.derived_files import write_steps

PROGRAM = """
import atexit, json, sys
from megasolve.cli import main
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
main(sys.argv[1:])
"""


def modules(*words: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment(), cwd=CHECKOUT)
    return list(json.loads(done.stderr.splitlines()[-1]))


def loaded(*words: str) -> set[str]:
    return {name.split(".")[0] for name in modules(*words)}


@pytest.mark.parametrize("words", [("--help",), ("solve", "--help"), ("--version",)])
def test_help_loads_neither_the_solver_nor_the_reader(words: tuple[str, ...]) -> None:
    assert loaded(*words) & {"ortools", "numpy", "networkx", "pandas", "pydantic", "yaml"} == set()


@pytest.mark.parametrize("words", [("check", "specs/worked_example.yaml"), ("schema", "spec"), ("example",)])
def test_commands_that_do_not_solve_load_no_solver(words: tuple[str, ...]) -> None:
    assert loaded(*words) & {"ortools", "numpy", "networkx", "pandas"} == set()


def test_planning_loads_no_room_of_another_command_and_a_small_space_none_of_the_search() -> None:
    rooms = {".".join(name.split(".")[1:3]) for name in modules("specs/worked_example.yaml") if name.startswith("megasolve.")}
    assert rooms & {f"solver.{room}" for room in ("crossings", "evaluate", "explain", "headroom", "robust")} == set()
    assert rooms & {f"report.{room}" for room in ("evaluate", "explain", "headroom", "profile", "sweep")} == set()
    assert "contracts.profiles" not in rooms
    assert [name for name in modules("specs/worked_example.yaml") if name.startswith("megasolve.solver.optimize.space")] == []


@pytest.mark.parametrize("words", [("specs/worked_example.yaml",), ("explain", "specs/worked_example.yaml", "m:P/m:B+L/m:C@serial")])
@pytest.mark.parametrize("library", ["networkx", "ortools"])
def test_nothing_is_planned_without_the_graph_or_the_solver(library: str, words: tuple[str, ...]) -> None:
    program = f"import sys; sys.modules[{library!r}] = None; from megasolve.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment(), cwd=CHECKOUT)
    assert (done.returncode, done.stdout) == (3, "")
    assert library in done.stderr


def test_a_room_takes_no_name_from_its_front_door() -> None:
    solver = importlib.import_module("megasolve.solver")
    importlib.import_module("megasolve.solver.explain.kernels")
    assert callable(solver.explain)
    assert not hasattr(solver, "no_such_name")


STREAMLET = ("measure", "specs/streamlet.yaml", "--dry-run", "--batch", "1")


@pytest.mark.parametrize("words", [(*STREAMLET, "--entry", "C"), (*STREAMLET, "--group", "B"), (*STREAMLET, "--co-run", "88/44")])
def test_measuring_what_needs_no_choice_loads_no_solver(words: tuple[str, ...]) -> None:
    assert "ortools" not in loaded(*words)


# One batch, as several share processes where the first one is slow, which it is on a busy machine.
@pytest.mark.parametrize("words", [("specs/nh_tts.yaml", "--batch", "1"), ("check", "specs/nh_tts.yaml")])
def test_what_derives_nothing_loads_neither_the_compiler_nor_processes(words: tuple[str, ...]) -> None:
    assert loaded(*words) & {"llvmlite", "multiprocessing"} == set()


def test_what_is_at_hand_loads_no_compiler_either(tmp_path: Path) -> None:
    steps = write_steps(tmp_path)
    megasolve("table", steps)
    assert loaded("table", steps) & {"llvmlite", "multiprocessing"} == set()


def test_the_choices_are_the_words_of_the_solver() -> None:
    assert tuple(objective.value for objective in Objective) == OBJECTIVES
    assert tuple(ablation.value for ablation in Ablation) == ABLATIONS
    assert sorted(f"{kind}/v1" for kind in SCHEMA_KINDS) == sorted(KINDS)


def options() -> list[tuple[str, click.Option]]:
    commands = [program, *program.commands.values()]
    return [(str(command.name), one) for command in commands for one in command.params if isinstance(one, click.Option)]


@pytest.mark.parametrize(("command", "option"), options(), ids=lambda value: value if isinstance(value, str) else value.name)
def test_every_option_is_explained(command: str, option: click.Option) -> None:
    assert option.help, command
    assert option.help.endswith("."), command


@pytest.mark.parametrize("words", [(), *((name,) for name in program.commands)])
def test_every_command_answers_h(words: tuple[str, ...]) -> None:
    assert megasolve(*words, "-h").stdout == megasolve(*words, "--help").stdout


def test_the_version_is_one_line() -> None:
    result = megasolve("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("megasolve ")
    assert result.stdout.count("\n") == 1
