"""What a child has finished so far, one line each, so that it survives whatever becomes of the child."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...driver import DeviceFacts
from ...harness.results import BLOCK_RESULT, TIMED, BlockResult, Timed


class Journal:
    """Writes what is finished to the file at *path*, behind the device and the versions that all of it has; without a path nowhere."""

    def __init__(self, path: str | None, device: DeviceFacts, versions: Mapping[str, str]) -> None:
        self._path = None if path is None else Path(path)
        self._write(BLOCK_RESULT.dump_python(BlockResult(device, versions), mode="json"))

    def add(self, timed: Timed) -> None:
        """Write one more."""
        self._write(TIMED.dump_python(timed, mode="json"))

    def _write(self, values: object) -> None:
        if self._path is not None:
            # Closed after each line, so that the system has it whatever becomes of this process.
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(values) + "\n")


def finished_in(path: Path) -> BlockResult | None:
    """Return what a child had finished by its journal at *path*, None where that is nothing. A last line without its end never happened."""
    if not path.exists():
        return None
    # Behind the last line end stands nothing, or a line that the child did not finish.
    *lines, _ = path.read_text(encoding="utf-8").split("\n")
    # The head alone finishes no experiment.
    if len(lines) < 2:
        return None
    head, *timed = map(json.loads, lines)
    return replace(BLOCK_RESULT.validate_python(head), timed=tuple(map(TIMED.validate_python, timed)))
