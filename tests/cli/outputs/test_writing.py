"""Several files as one: a command that is killed at any moment leaves what was there, or all that it was to write."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from megasolve.cli.outputs.writing import write_together

OLD = {"plan.yaml": "old", "plan/contracts/a.yaml": "old a", "plan/contracts/b.yaml": "old b", "plan/records.yaml": "old records"}
NEW = {"plan.yaml": "new", "plan/contracts/a.yaml": "new a", "plan/contracts/c.yaml": "new c", "plan/records.yaml": "new records"}
OWN = {"plan/contracts/own.yaml": "a person's", "plan/notes/deep/note.txt": "a person's", "other.txt": "a person's"}
EVENTS = frozenset(
    {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.chmod", "os.listdir", "ctypes.dlsym", "shutil.rmtree"}
)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def tree(folder: Path) -> dict[str, str]:
    """Return the files below *folder*, without those beside others that are yet to be swept."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder): path for path in files}
    return {str(name): path.read_text() for name, path in named.items() if not any(part.endswith(".part") for part in name.parts)}


def write_new(folder: Path, accept: Callable[[], None] = lambda: None) -> None:
    write_together({folder / name: text.encode() for name, text in NEW.items()}, [folder / "plan/contracts/b.yaml"], accept)


def killed_at(moment: int, act: Callable[[], None]) -> bool:
    """Run *act* in a child that kills itself at its event number *moment*; return whether it came so far."""
    child = os.fork()
    if child == 0:
        left = moment

        def kill(event: str, _: object) -> None:
            nonlocal left
            if event in EVENTS:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill)
        try:
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def test_files_are_written_and_stale_ones_removed_and_all_others_kept(tmp_path: Path) -> None:
    write(tmp_path, {**OLD, **OWN})
    own = tmp_path / "plan/contracts/own.yaml"
    inode = own.stat().st_ino
    (tmp_path / "plan/link").symlink_to("nowhere")
    (tmp_path / "plan/empty").mkdir()
    write_new(tmp_path)
    assert tree(tmp_path) == {**NEW, **OWN}
    assert own.stat().st_ino == inode
    assert (tmp_path / "plan/link").readlink() == Path("nowhere")
    assert (tmp_path / "plan/empty").is_dir()


@pytest.mark.parametrize("before", [{}, {**OLD, **OWN}], ids=["fresh", "over an old study"])
def test_what_is_not_accepted_changes_nothing(tmp_path: Path, before: dict[str, str]) -> None:
    write(tmp_path, before)

    def refuse() -> None:
        assert tree(tmp_path).items() >= NEW.items()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_new(tmp_path, refuse)
    assert tree(tmp_path) == before
    assert not list(tmp_path.rglob("*.part"))


def test_what_others_write_meanwhile_is_kept(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    record = tmp_path / "plan/records/measured.jsonl"
    write_new(tmp_path, lambda: write(tmp_path, {"plan/records/measured.jsonl": "a record"}))
    assert record.read_text() == "a record"


@pytest.mark.parametrize("before", [{}, {**OLD, **OWN}], ids=["fresh", "over an old study"])
def test_a_writer_that_is_killed_at_any_moment_leaves_all_or_nothing(tmp_path: Path, before: dict[str, str]) -> None:
    after = {**NEW, **(OWN if before else {})}
    # Between the swap of the folder and that of the spec lies no other call, and the folder is whole in any case.
    between = {**after, "plan.yaml": before["plan.yaml"]} if before else {name: text for name, text in after.items() if name != "plan.yaml"}
    seen, moment = [], 0
    while True:
        moment += 1
        folder = tmp_path / str(moment)
        folder.mkdir()
        write(folder, before)
        if not killed_at(moment, partial(write_new, folder)):
            break
        seen.append(tree(folder))
        assert seen[-1] in (before, after, between)
        write_new(folder)
        assert tree(folder) == after
        assert not list(folder.rglob("*.part"))
    assert len(seen) > 10
    assert before in seen
    assert after in seen
    assert seen.count(between) <= 2


def test_a_folder_that_is_not_there_comes_whole(tmp_path: Path) -> None:
    moment, seen = 0, []
    while True:
        moment += 1
        target = tmp_path / str(moment) / "deep" / "copy"
        (tmp_path / str(moment)).mkdir()

        def copy(target: Path = target) -> None:
            write_together({target / name: text.encode() for name, text in NEW.items()}, (), lambda: None)

        if not killed_at(moment, copy):
            break
        seen.append(tree(target.parents[1]))
    assert {len(files) for files in seen} <= {0, len(NEW)}
    assert len(seen) > 10
