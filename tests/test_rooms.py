"""The rooms inside the packages: how full they are, and that no import runs in a circle or back up."""

from __future__ import annotations

import ast
import re
from collections import Counter
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


def test_no_folder_of_the_tests_is_crowded() -> None:
    count = Counter(path.parent.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "tests").rglob("*.py"))
    lists = {"tests/cli", "tests/contracts/check/rules", "tests/contracts/operators"}
    assert {folder: many for folder, many in count.items() if many > (MOST_IN_A_LIST if folder in lists else MOST_IN_A_FOLDER)} == {}


def test_the_index_of_what_the_tests_share_lists_every_module_in_its_folder() -> None:
    shared = CHECKOUT / "tests/support"
    listed: set[str] = set()
    folder = ""
    for line in (shared / "README.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## (?:`(\w+)`)?", line):
            folder = f"{heading[1]}/" if heading[1] else ""
        elif row := re.match(r"\| `(\w+)` \| \S", line):
            listed.add(f"{folder}{row[1]}.py")
    assert listed == {path.relative_to(shared).as_posix() for path in shared.rglob("*.py")}


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
