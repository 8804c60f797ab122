"""Where compiled things are kept: the same folder as all that megasolve keeps, with a name of their own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from megasolve.gpu.cache_folder import cache_folder
from megasolve.solver import cache_folder as solver_folder

VARIABLES = ("MEGASOLVE_CACHE_DIR", "XDG_CACHE_HOME", "HOME")


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"MEGASOLVE_CACHE_DIR": "/own", "XDG_CACHE_HOME": "/xdg", "HOME": "/me"}, "/own/cubins"),
        ({"XDG_CACHE_HOME": "/xdg", "HOME": "/me"}, "/xdg/megasolve/cubins"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/me"}, "/me/.cache/megasolve/cubins"),
    ],
    ids=["own", "shared", "home"],
)
def test_the_folder_follows_the_environment_as_that_of_derived_values_does(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], folder: str
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder("cubins") == Path(folder)
    assert solver_folder(variables) == Path(folder).parent


def test_without_a_home_it_is_a_folder_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert Path(tempfile.gettempdir()) in cache_folder("cubins").parents
