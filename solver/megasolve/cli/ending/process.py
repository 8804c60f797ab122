"""The program as a process: however it ends, it ends with an exit code that says so, and with at most one line about it."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import NoReturn

from . import interrupts

# Loading modules and models makes hundreds of thousands of objects and hardly a cycle: walking them every 700 is an eighth of a short run.
OBJECTS_BEFORE_COLLECTING = 50_000


def run(words: Sequence[str] | None) -> NoReturn:
    """Run the program on *words* (those of the command line by default) and end the process."""
    gc.set_threshold(OBJECTS_BEFORE_COLLECTING, *gc.get_threshold()[1:])
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
    # An interpreter that ends walks all objects for cycles several times: an eighth of a short run, for memory that goes back anyway.
    gc.freeze()
    raise SystemExit(code)
