"""Where compiled things are kept: the same folder as all that megasolve keeps, with a name of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.gpu.children.child import Finished, run_in_child
from megasolve.gpu.compile.cache_folder import FolderNotOurs, cache_folder, own_content, private_folder
from megasolve.solver import cache_folder as solver_folder
from tests.support.command import environment

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


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


HOMELESS = "import os; from megasolve.gpu.compile.cache_folder import cache_folder; folder = cache_folder('host').parent; print(folder)"


def ran(code: str, temporary: Path) -> str:
    variables = {name: value for name, value in environment().items() if name not in VARIABLES}
    variables["TMPDIR"] = str(temporary)
    run = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    return run.stdout.strip()


def test_without_a_home_it_is_a_new_folder_of_this_process_alone(tmp_path: Path) -> None:
    shared = tmp_path / f"megasolve-{os.getuid()}"
    shared.mkdir()
    first = ran(f"{HOMELESS}; print(oct(os.stat(folder).st_mode & 0o777))", tmp_path).splitlines()
    second = ran(HOMELESS, tmp_path)
    assert first[1] == "0o700"
    assert Path(first[0]).parent == tmp_path
    assert first[0] != second
    assert list(tmp_path.iterdir()) == [shared]


def test_the_folder_of_a_killed_process_goes_with_the_next_one(tmp_path: Path) -> None:
    for name in ("megasolve-cache-mine", "megasolve-cache-0123abcd-notes"):
        (tmp_path / name).mkdir()
    kept = sorted(tmp_path.iterdir())
    ran(f"{HOMELESS}; os.kill(os.getpid(), 9)", tmp_path)
    assert len(list(tmp_path.iterdir())) == 3
    ran(HOMELESS, tmp_path)
    assert sorted(tmp_path.iterdir()) == kept


@pytest.mark.usefixtures("homeless")
def test_a_child_keeps_things_where_its_parent_does_also_without_a_home() -> None:
    asked = run_in_child("tests.support.standin.children:kept_in", "host", deadline_s=30)
    assert asked == Finished(str(cache_folder("host")))


def test_a_folder_that_others_may_enter_is_closed_and_one_of_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "host"
    folder.mkdir()
    folder.chmod(0o777)
    assert private_folder(folder).stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to(folder)
    assert private_folder(tmp_path / "link") == tmp_path / "link"
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    for path in (folder, tmp_path / "link"):
        with pytest.raises(FolderNotOurs, match="belongs to another user, so nothing compiled is kept there or run from there: set MEGA"):
            private_folder(path)


def test_only_a_file_of_ones_own_that_nobody_else_may_write_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kept"
    file.write_bytes(b"content")
    file.chmod(0o600)
    assert own_content(file) == b"content"
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "pipe")
    assert (own_content(tmp_path / "link"), own_content(tmp_path / "pipe"), own_content(tmp_path)) == (None, None, None)
    for mode in (0o620, 0o602):
        file.chmod(mode)
        assert own_content(file) is None
    file.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert own_content(file) is None
