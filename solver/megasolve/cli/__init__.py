"""The command line: words in, text out. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run the program as a process: on *words*, or on those of its command line. It ends with the exit code.

    Nothing else is loaded before this runs, so that an interrupt finds somebody who ends the process well.
    """
    try:
        from .ending.process import run
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    run(words)
