"""The shape of the house: which way imports point, also inside functions, and what stands at each front door."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
ROOTS = ("contracts", "simulate", "solver", "gpu", "tests", "benchmarks")
FOLDERS = {
    "contracts": CHECKOUT / "contracts/megasolve/contracts",
    "simulate": CHECKOUT / "simulate/megasolve/simulate",
    "solver": CHECKOUT / "solver/megasolve/solver",
    "report": CHECKOUT / "solver/megasolve/report",
    "cli": CHECKOUT / "solver/megasolve/cli",
    "gpu": CHECKOUT / "gpu/megasolve/gpu",
}
MAY_IMPORT = {
    "contracts": set(),
    "simulate": {"contracts"},
    "solver": {"contracts", "simulate"},
    "report": {"contracts", "simulate", "solver"},
    "cli": {"contracts", "simulate", "solver", "report", "gpu"},
    "gpu": {"contracts", "simulate"},
}
OTHERS = set(FOLDERS) - {"simulate"}
GUARDED = {"cuda": {"gpu"}, "distributed": {"solver"}, "ortools": {"solver"}, "yaml": OTHERS, "time": OTHERS, "datetime": OTHERS}
HEAVY = {"cuda", "distributed", "networkx", "numpy", "ortools", "pandas"}

ASIDE = ("profiles", "observe", "scaffold")
DOORS = {**FOLDERS, **{f"contracts.{room}": FOLDERS["contracts"] / room for room in ASIDE}}

each_package = pytest.mark.parametrize("package", FOLDERS)
each_door = pytest.mark.parametrize("package", DOORS)


def sources(package: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield every source file of *package*, parsed."""
    for path in sorted(FOLDERS[package].rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name behind every absolute import below *tree*, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def house_packages(tree: ast.AST) -> set[str]:
    """Return the packages of the house that *tree* imports by their full name."""
    return {name.split(".")[1] for name in imported_names(tree) if name.startswith("megasolve.")}


@each_package
def test_imports_point_one_way(package: str) -> None:
    wrong = [f"{path}: {target}" for path, tree in sources(package) for target in house_packages(tree) - MAY_IMPORT[package]]
    assert wrong == []


@each_package
def test_a_package_imports_itself_relatively_and_never_reaches_above_itself(package: str) -> None:
    for path, tree in sources(package):
        depth = len(path.relative_to(FOLDERS[package]).parts)
        levels = [node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert package not in house_packages(tree), path
        assert max(levels, default=0) <= depth, path


@each_package
def test_a_guarded_library_is_imported_only_where_it_is_allowed(package: str) -> None:
    closed = {library for library, allowed in GUARDED.items() if package not in allowed}
    for path, tree in sources(package):
        assert {name.split(".")[0] for name in imported_names(tree)} & closed == set(), path


def statements_run_on_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below *tree* that stand in no function body."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from statements_run_on_import(node)


def test_only_function_bodies_of_the_command_line_import_the_gpu() -> None:
    for path, tree in sources("cli"):
        imports = [node for node in statements_run_on_import(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not any("gpu" in house_packages(node) for node in imports), path


@pytest.mark.parametrize("room", ASIDE)
@pytest.mark.parametrize("package", sorted(set(FOLDERS) - {"contracts"}))
def test_what_is_made_of_profiles_is_taken_at_its_front_door(package: str, room: str) -> None:
    inside = f"megasolve.contracts.{room}."
    for path, tree in sources(package):
        assert [name for name in imported_names(tree) if name.startswith(inside) and name.count(".") > inside.count(".")] == [], path


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    program = "import sys, megasolve.cli.app; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    roots = os.pathsep.join(str(folder.parents[1]) for folder in FOLDERS.values())
    environment = {**os.environ, "PYTHONPATH": roots}
    started = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    assert HEAVY & set(started.stdout.split()) == set()


def names_at_the_door(package: str) -> set[str]:
    """Return the public names that the __init__.py of *package* defines or takes from its own modules, also for type checkers only."""
    bound: set[str] = set()
    for node in statements_run_on_import(ast.parse((DOORS[package] / "__init__.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("megasolve.")):
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
    return {name for name in bound if not name.startswith("_")}


@each_door
def test_the_front_door_lists_all_that_it_offers(package: str) -> None:
    door = importlib.import_module(f"megasolve.{package}")
    promised: list[str] = getattr(door, "__all__", [])
    assert set(promised) == names_at_the_door(package)
    assert [name for name in promised if not hasattr(door, name)] == []


@each_door
def test_the_front_door_is_sorted_constants_then_classes_then_functions(package: str) -> None:
    promised: list[str] = getattr(importlib.import_module(f"megasolve.{package}"), "__all__", [])
    assert promised == sorted(promised, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


@each_package
def test_type_checkers_are_told_that_the_package_is_typed(package: str) -> None:
    assert (FOLDERS[package] / "py.typed").is_file()


def test_the_namespace_has_no_module_of_its_own() -> None:
    assert [folder for folder in FOLDERS.values() if (folder.parent / "__init__.py").exists()] == []


def test_type_checkers_are_told_to_look_away_nearly_nowhere() -> None:
    lines = [line for root in ROOTS for path in (CHECKOUT / root).rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    looked_away = [line for line in lines if "# type: " + "ignore" in line]
    assert len(looked_away) <= 5, looked_away


def private_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that *tree* gives to functions, classes and values of the module; a decorator may use what it decorates."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
            yield node.name
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            yield from (name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store))


def test_every_private_name_is_used_where_it_stands() -> None:
    unused: list[str] = []
    for path in (path for root in ROOTS for path in (CHECKOUT / root).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        used = Counter(re.findall(r"\w+", text))
        names = {name for name in private_names(ast.parse(text)) if re.match(r"_[^_]", name)}
        unused += [f"{path.relative_to(CHECKOUT)}: {name}" for name in names if used[name] == 1]
    assert unused == []


def test_tests_stand_in_the_rooms_of_what_they_test() -> None:
    outside = {"accept", "fixtures", "fuzz", "golden", "reject", "support", "warn"}
    folders = {path.parent.relative_to(CHECKOUT / "tests") for path in (CHECKOUT / "tests").rglob("test_*.py")} - {Path()}
    rooms = {**FOLDERS, "benchmarks": CHECKOUT / "benchmarks"}
    homes = {folder: rooms[folder.parts[0]].joinpath(*folder.parts[1:]) for folder in folders if folder.parts[0] in rooms}
    assert {folder.as_posix() for folder in folders if folder.parts[0] not in rooms} <= outside
    assert [folder for folder, home in homes.items() if not home.is_dir()] == []


FOREIGN = ("contracts/profiles", "contracts/files/yaml")
"""Where files of others, and texts of which nothing is known yet, are read."""


def stated_types(tree: ast.Module) -> Iterator[str]:
    """Yield every annotation of a parameter or a result below *tree*."""
    for node in ast.walk(tree):
        stated = node.returns if isinstance(node, ast.FunctionDef) else node.annotation if isinstance(node, ast.arg) else None
        if stated is not None:
            yield ast.unparse(stated)


def test_values_whose_keys_anyone_may_guess_stay_with_the_readers_of_foreign_files() -> None:
    loose = [
        path.relative_to(CHECKOUT).as_posix()
        for package in FOLDERS
        for path, tree in sources(package)
        if any("dict[str, Any]" in one for one in stated_types(tree)) and not any(f"{room}/" in path.as_posix() for room in FOREIGN)
    ]
    assert loose == []


def test_no_public_class_name_is_defined_twice() -> None:
    homes: dict[str, list[str]] = {}
    for package in FOLDERS:
        for path, tree in sources(package):
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(path.relative_to(CHECKOUT).as_posix())
    assert {name: home for name, home in homes.items() if len(home) > 1} == {}
