"""Progress of what takes long, as one line on stderr that is drawn over and leaves nothing behind: only where somebody watches."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import click

from .words.options import is_progress_wanted

if TYPE_CHECKING:
    from megasolve.solver import Stage

_WIDTH = 24
_SECONDS_BETWEEN_LINES = 10.0
_VERBS = {"calibrations": "calibrating", "times": "deriving times", "plans": "planning", "regions": "looking at regions"}


class Bar:
    """How far a command is. On a terminal that cannot draw over a line it prints one now and then instead; elsewhere it is silent."""

    def __init__(self) -> None:
        self._is_watched = is_progress_wanted()
        self._is_drawable = os.environ.get("TERM", "dumb") != "dumb" or os.name == "nt"
        self._begun = self._said = 0.0
        self._is_shown = False

    def show(self, stage: Stage) -> None:
        """Show *stage*."""
        if not self._is_watched:
            return
        now = time.monotonic()
        if not stage.done:
            self._begun = self._said = now
        if self._is_drawable:
            self._draw(stage, now - self._begun)
        elif now - self._said >= _SECONDS_BETWEEN_LINES:
            self._said = now
            click.echo(f"{_VERBS[stage.what]}: {_left(stage, now - self._begun)} ...", err=True)

    def clear(self) -> None:
        """Take away what is shown, so that another line can be printed."""
        if self._is_shown:
            self._is_shown = False
            click.echo("\r\x1b[K", err=True, nl=False)

    def _draw(self, stage: Stage, seconds: float) -> None:
        if stage.done == stage.of:
            self.clear()
            return
        full = _WIDTH * stage.done // stage.of
        line = f"{_VERBS[stage.what]} [{'#' * full}{'-' * (_WIDTH - full)}] {_left(stage, seconds)}"
        self._is_shown = True
        click.echo(f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K", err=True, nl=False)


def _left(stage: Stage, seconds: float) -> str:
    """Return how many are left and, once the first is done, how long they will take."""
    left = stage.of - stage.done
    return f"{left:,} of {stage.of:,} left" + (f", about {_duration(seconds / stage.done * left)}" if stage.done else "")


def _duration(seconds: float) -> str:
    whole = max(1, round(seconds))
    minutes, rest = divmod(whole, 60)
    if not minutes:
        return f"{whole} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
