"""Rounds: what the clocks of two sides say of the time of one round, alone and beside the other side."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import GpuError


class NotBeside(GpuError):
    """The sides did not run beside each other for long enough, so there is no time."""


@dataclass(frozen=True, slots=True)
class SideRun:
    """A run of one side on the clock of the device: when it began, and when rounds were over, in order, the last one among them."""

    began_ns: int
    ended_ns: tuple[int, ...]
    rounds: int

    @property
    def end_ns(self) -> int:
        """When the last round was over."""
        return self.ended_ns[-1]

    @property
    def round_us(self) -> float:
        """The time of one of its rounds, on average."""
        return (self.end_ns - self.began_ns) / self.rounds / 1e3


def round_beside_us(background: SideRun, foreground: SideRun) -> float:
    """Return the time of one of those rounds of *background* that lie inside of *foreground*.

    Raises
    ------
    NotBeside
        No round does, or the background ended first, so that the foreground was alone at its end.
    """
    if background.end_ns < foreground.end_ns:
        raise NotBeside("the producer ran out of rounds before the consumer ended, which was alone then")
    # Only whole rounds inside: the first and the last of the background had the device partly to themselves.
    marks = (background.began_ns, *background.ended_ns)
    inside = [mark for mark in marks if foreground.began_ns <= mark <= foreground.end_ns]
    if len(inside) < 2:
        raise NotBeside("no whole round of the producer lies inside of the rounds of the consumer")
    return (inside[-1] - inside[0]) / (len(inside) - 1) / 1e3
