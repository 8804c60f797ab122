"""Writing several files as one: all of them are there, or everything is as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .output import write_file


def write_together(wanted: Mapping[Path, bytes], stale: Iterable[Path], accept: Callable[[], None]) -> None:
    """Write every file of *wanted* and remove those of *stale*; where anything fails, *accept* included, nothing has changed.

    Raises what writing or *accept* raises.
    """
    with _restored_on_failure([*wanted, *stale]):
        for path, content in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
        for path in stale:
            path.unlink()
        accept()


@contextmanager
def _restored_on_failure(paths: Iterable[Path]) -> Iterator[None]:
    before = {path: path.read_bytes() if path.is_file() else None for path in paths}
    missing = _missing_folders(before)
    try:
        yield
    # Also an interrupt leaves no half a study behind.
    except BaseException:
        for path, content in before.items():
            _restore(path, content)
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise


def _restore(path: Path, content: bytes | None) -> None:
    with suppress(OSError):
        if content is None:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_bytes() != content:
            write_file(path, content)


def _missing_folders(paths: Iterable[Path]) -> list[Path]:
    """Return the folders above *paths* that are not there, the innermost first."""
    folders = {folder for path in paths for folder in path.parents if not folder.exists()}
    return sorted(folders, key=lambda folder: -len(folder.parts))
