"""Files that are whole or not there, and the sweeping of what killed writers left."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.contracts.files.disk.whole_files import Part, is_held, lock, replace_file, sweep
from tests.support.command import environment


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["result", "a[1].yaml", "*", "x" * 255, "µ" * 127, ".hidden", "a\nb"])
def test_a_file_of_any_name_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path, name: str) -> None:
    replace_file(tmp_path / name, b"old")
    replace_file(tmp_path / name, b"new")
    assert (tmp_path / name).read_bytes() == b"new"
    assert names(tmp_path) == {name}


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "result"
    target.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"File too large|is the disk full"):
            replace_file(target, b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == {"result"}


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    target = tmp_path / "result"
    code = "import os, sys; from megasolve.contracts.files.disk.whole_files import Part; from pathlib import Path;"
    for is_folder in (False, True):
        killed = f"{code} Part(Path(sys.argv[1]), is_folder={is_folder}); os.kill(os.getpid(), 9)"
        subprocess.run([sys.executable, "-c", killed, str(target)], env=environment(), check=False)
    (tmp_path / ".result.4000000.part").write_text("of an older version")
    assert len(names(tmp_path)) == 3
    replace_file(target, b"new")
    assert names(tmp_path) == {"result"}


def test_nothing_is_swept_that_is_in_use_or_of_another_file(tmp_path: Path) -> None:
    target = tmp_path / "h[1].jsonl"
    kept = {".h1.jsonl.999.part", ".h[1].jsonl.part", ".h[1].jsonl.x.part", ".h[1].jsonl.1.0123abcd.part.yaml", "h[1].jsonl.1.part"}
    for name in kept:
        (tmp_path / name).write_text("somebody's")
    (tmp_path / ".h[1].jsonl.7.part").symlink_to(tmp_path / "elsewhere")
    alive = Part(target)
    sweep(target)
    replace_file(target, b"new")
    assert names(tmp_path) == {*kept, ".h[1].jsonl.7.part", target.name, alive.path.name}
    alive.discard()
    alive.close()


def test_a_link_stays_one_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()
    with pytest.raises(OSError, match="No space left"):
        replace_file("/dev/full", b"new")


def test_a_file_that_another_run_adds_to_is_held(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    assert not is_held(file)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT)
    assert not is_held(file)
    assert lock(descriptor)
    assert is_held(file)
    os.close(descriptor)
