"""The program as a process: however it ends, it ends with an exit code that says so, and with at most one line about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from . import interrupts


def run(words: Sequence[str] | None) -> NoReturn:
    """Run the program on *words* (those of the command line by default) and end the process."""
    # While the program loads there is nothing to undo.
    interrupts.die_at_once()

    from .streams import take_over

    take_over()

    from ..app import program

    interrupts.unwind_first()
    code = 0
    try:
        try:
            code = program.ended(words)
        finally:
            interrupts.no_longer_unwind()
    except interrupts.Interrupted:
        interrupts.no_longer_unwind()
    interrupts.end_if_interrupted()
    raise SystemExit(code)
