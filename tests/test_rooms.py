"""The rooms inside the packages: how full they are, and that no import runs in a circle or back up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
ROOTS = tuple(CHECKOUT / root for root in ("contracts", "simulate", "solver", "gpu"))
MOST_IN_A_FOLDER = 16
MOST_IN_A_LIST = 26
LISTS = {"megasolve.cli", "megasolve.contracts.check.rules", "megasolve.contracts.operators"}


@cache
def modules() -> dict[str, Path]:
    """Return every module and package of the product by its dotted name."""
    found: dict[str, Path] = {}
    for root in ROOTS:
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def package_of(module: str) -> str:
    """Return the package in which *module* stands: itself, where it is one."""
    return module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]


def imported(module: str) -> Iterator[str]:
    """Yield the modules of the product that *module* imports, also for type checkers only and inside functions."""
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package_of(module).split(".")
            base = [*above[: len(above) - node.level + 1], *filter(None, [node.module])] if node.level else [node.module or ""]
            for alias in node.names:
                names = (".".join([*base, alias.name]), ".".join(base))
                yield from (name for name in names[:1] if name in modules())
                yield from (name for name in names[1:] if name in modules() and names[0] not in modules())
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())


def circle() -> list[str]:
    """Return modules that import each other in a circle, if there are any."""
    try:
        TopologicalSorter({module: set(imported(module)) - {module} for module in modules()}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_import_runs_in_a_circle() -> None:
    assert circle() == []


def crowds() -> dict[str, int]:
    """Return how many modules and packages stand in each package, its own `__init__` aside."""
    count = dict.fromkeys((name for name, path in modules().items() if path.name == "__init__.py"), 0)
    for module in modules():
        room = module.rpartition(".")[0]
        if room in count:
            count[room] += 1
    return count


def test_no_folder_is_crowded() -> None:
    full = {room: count for room, count in crowds().items() if count > (MOST_IN_A_LIST if room in LISTS else MOST_IN_A_FOLDER)}
    assert full == {}


def test_no_room_holds_more_than_a_fifth_of_the_house() -> None:
    sizes: dict[str, int] = {}
    for module in modules():
        room = ".".join(module.split(".")[:3])
        sizes[room] = sizes.get(room, 0) + 1
    assert max(sizes.values()) <= len(modules()) / 5, max(sizes, key=sizes.__getitem__)


def test_every_room_says_what_it_is_for() -> None:
    silent = [name for name, path in modules().items() if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert silent == []


def rooms_of_the_page() -> Iterator[Path]:
    """Yield each folder and file of the house that docs/architecture.md names by its path below a package."""
    homes = {"contracts": "contracts", "simulate": "simulate", "solver": "solver", "report": "solver", "cli": "solver", "gpu": "gpu"}
    page = (CHECKOUT / "docs/architecture.md").read_text(encoding="utf-8")
    for package, rest in re.findall(rf"`({'|'.join(homes)})/([\w/.]+)`", page):
        yield CHECKOUT / homes[package] / "megasolve" / package / rest


def test_the_page_of_the_house_names_what_is_there() -> None:
    named = list(rooms_of_the_page())
    assert [path for path in named if not path.exists()] == []
    packages = {path.parent for path in modules().values()}
    rooms = {
        path
        for path in packages
        if len(path.relative_to(CHECKOUT).parts) == 4 and path.parent.name in {"contracts", "simulate", "solver", "gpu"}
    }
    assert rooms - set(named) == set()
