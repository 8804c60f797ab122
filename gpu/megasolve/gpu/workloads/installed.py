"""Which installed distribution a module is of, found without running any of its code.

Workloads are named in files that may come from a stranger, so a name must lead to nothing but what the user installed: a module belongs to
a distribution if the list of its installed files has it or, for an editable install, if it lies in a folder that the distribution adds to
those that code is imported from. The current folder, and the folder of the spec, count for nothing, whatever lies there.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, PackagePath, distributions
from pathlib import Path

from ..errors import GpuError

_PYTHON = ".py"


class NotInstalled(GpuError):
    """A module is not there, or of no installed distribution."""


def installed_module(name: str, spec_folder: str) -> ModuleSpec:
    """Return where the module *name* is, once it and all packages that it lies in are of installed distributions.

    Raises
    ------
    NotInstalled
        There is no such module, or it is not installed; *spec_folder* is that of the spec, which counts for nothing.
    """
    found: ModuleSpec | None = None
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        within = ".".join(parts[:depth])
        path = None if found is None else found.submodule_search_locations
        if found is not None and path is None:
            raise NotInstalled(f"there is no module '{name}': '{found.name}' is no package")
        found = _found(within, path)
        if found is None:
            raise NotInstalled(f"there is no module '{within}'{_hint(within, spec_folder)}")
        # A namespace package has no code of its own.
        if found.loader is not None and found.origin is not None:
            _require_installed(within, found.origin, spec_folder)
    if found is None or found.origin is None or found.loader is None:
        raise NotInstalled(f"'{name}' is a folder without code of its own, and no module")
    return found


def _found(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """Return what an import of *name* would find, asking in the same order as the import would."""
    for finder in sys.meta_path:
        found = finder.find_spec(name, path)
        if found is not None:
            return found
    return None


def _require_installed(name: str, origin: str, spec_folder: str) -> None:
    file = os.path.realpath(origin)
    if not Path(file).is_file():
        raise NotInstalled(f"module '{name}' is part of Python, not of an installed package")
    root = _root(name, file)
    if not any(_holds(distribution, file, root) for distribution in distributions(path=_trusted(spec_folder))):
        raise NotInstalled(
            f"module '{name}' is {file}, a file of no installed package{_where(file, spec_folder)}: workloads are imported from installed"
            " packages only; give it a pyproject.toml and install it with pip"
        )


def _trusted(spec_folder: str) -> list[str]:
    """Return where distributions count: wherever code is imported from, but for the current folder and that of the spec."""
    # Real paths: a link to the current folder does not count either.
    refused = {os.path.realpath(folder) for folder in (os.curdir, spec_folder or os.curdir)}
    return [folder for folder in sys.path if folder and os.path.realpath(folder) not in refused]


def _root(name: str, file: str) -> str:
    """Return the folder that the outermost package of the module *name* in *file* stands in."""
    # The own file of a package stands one folder deeper than a module of that name would.
    depth = name.count(".") + (1 if Path(file).stem.partition(".")[0] == "__init__" else 0)
    return str(Path(file).parents[min(depth, len(Path(file).parents) - 1)])


def _holds(distribution: Distribution, file: str, root: str) -> bool:
    # By name first: resolving the path of every installed file takes long.
    named = (path for path in distribution.files or () if path.name == Path(file).name)
    if any(os.path.realpath(str(path.locate())) == file for path in named):
        return True
    return _is_editable(distribution) and root in _added_folders(distribution)


def _is_editable(distribution: Distribution) -> bool:
    """Whether its installer wrote down that it was installed from a folder that goes on changing."""
    try:
        return json.loads(distribution.read_text("direct_url.json") or "{}")["dir_info"]["editable"] is True
    except (ValueError, KeyError, TypeError):
        return False


def _added_folders(distribution: Distribution) -> Iterator[str]:
    """Yield the folders that an editable install adds, by its path files or by the packages that a finder of its own maps."""
    for path in distribution.files or ():
        if path.suffix == ".pth":
            # Python runs a line of a path file that begins with `import`; it names no folder.
            yield from (os.path.realpath(line) for line in _lines(path) if line and not line.startswith(("#", "import ", "import\t")))
        elif path.name.startswith("__editable__") and path.suffix == _PYTHON:
            yield from (os.path.realpath(Path(folder).parent) for line in _lines(path) for folder in _mapped(line))


def _lines(path: PackagePath) -> list[str]:
    try:
        return Path(str(path.locate())).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _mapped(line: str) -> Iterator[str]:
    """Yield the folders of packages in the line of a finder, as setuptools writes it, that maps names to folders."""
    head, _, value = line.partition("=")
    if head.startswith("MAPPING"):
        # Read and never run, although the finder is code.
        mapping = ast.literal_eval(value.strip())
        yield from (folder for folder in mapping.values() if isinstance(folder, str))


def _is_below(file: str, folder: str) -> bool:
    return os.path.commonpath([file, folder]) == folder


def _hint(name: str, spec_folder: str) -> str:
    """Return what lies beside the user under this name, where nothing installed has it."""
    relative = Path(*name.split("."))
    for folder, what in ((Path(), "the current folder"), (Path(spec_folder), "the folder of the spec")):
        if (folder / relative).is_dir() or (folder / relative.with_suffix(_PYTHON)).is_file():
            return f" in an installed package, and what lies in {what} does not count: install it with pip"
    return "; install the package that has it with pip"


def _where(file: str, spec_folder: str) -> str:
    if _is_below(file, os.path.realpath(spec_folder or os.curdir)):
        return " but in the folder of the spec"
    return " but in the current folder" if _is_below(file, os.path.realpath(os.curdir)) else ""
