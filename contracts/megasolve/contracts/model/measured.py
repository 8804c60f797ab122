"""The measured file: whole candidates and co-runs as they ran, to judge predictions by. It is never evidence, and enters no score."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from .base import Count, CountOrZero, DurationPs, EntryName, Frozen, Ignored, Name, Relative, Text
from .contract import Backend
from .record import Provenance

Samples = tuple[DurationPs, ...]
Blocks = tuple[Samples, ...]


class MeasuredGroup(Frozen):
    """What all calls of one group took in each run of a candidate, in the same blocks as the runs."""

    group: Name
    samples_ps: Samples = Field((), alias="samples_us")
    blocks_ps: Blocks = Field((), alias="blocks_us")


class MeasuredComposition(Frozen):
    """A candidate from its first launch to its first publication. *entries* are those of each region, in order.

    There is one sample from each block of the session; a block runs every candidate of the session once, in random order, and
    *places* says as which one (from 1) this candidate ran in it. Where a block ran it several times, *blocks_us* has all times of each;
    a block that did not run it is empty. *groups* are its parts, where they were measured.
    """

    candidate: Text
    objective: Literal["first_publication"] = "first_publication"
    entries: Annotated[tuple[Annotated[tuple[EntryName, ...], Field(min_length=1)], ...], Field(min_length=1)]
    samples_ps: Samples = Field((), alias="samples_us")
    blocks_ps: Blocks = Field((), alias="blocks_us")
    places: tuple[Count, ...] = ()
    groups: tuple[MeasuredGroup, ...] = ()


class CoRunSide(Frozen):
    """One side of a co-run: the time of one round of *groups*, alone (*solo_us*) and beside the other side (*pair_us*).

    *sms* are the SMs that its CTAs ran on beside the other side, in the order of the CTAs. A conventional side has neither these nor
    *ctas*: its grids take what is free; on a partition of its own, *ctas* are its SMs.
    """

    groups: Annotated[tuple[Name, ...], Field(min_length=1)]
    backend: Backend
    entries: Annotated[tuple[EntryName, ...], Field(min_length=1)]
    ctas: Count | None = None
    solo_ps: Samples = Field((), alias="solo_us")
    pair_ps: Samples = Field((), alias="pair_us")
    sms: tuple[CountOrZero, ...] = ()

    @property
    def words(self) -> str:
        """What the side is: its groups, its entries and its budget."""
        budget = "" if self.ctas is None else f" on {self.ctas}"
        return f"{self.backend[0]}:{'+'.join(self.groups)} ({', '.join(self.entries)}){budget}"

    @property
    def slowdown(self) -> Fraction | None:
        """How many times longer a round takes beside the other side, by lower medians; None where a time is missing."""
        if not self.solo_ps or not self.pair_ps:
            return None
        return Fraction(lower_median(self.pair_ps), lower_median(self.solo_ps))


class MeasuredCoRun(Frozen):
    """A producer and a consumer beside each other. *met_ctas* of *wanted_ctas* came to the start barrier: all, or there is no time.

    Without *wanted_ctas* nobody counted, as where another tool timed the pair: that both ran at once is then the word of its source.
    *cooperative* says how persistent sides were launched, *order* in which the times were taken.
    """

    producer: CoRunSide
    consumer: CoRunSide
    cooperative: bool | None = None
    wanted_ctas: Count | None = None
    met_ctas: CountOrZero | None = None
    order: tuple[Literal["producer", "consumer", "pair"], ...] = ()


class MeasuredRun(Frozen):
    """One run: either a *composition* or a *co_run*. Runs of one *session* share its blocks.

    One that did not qualify has no times and says why in *because*. *relative_l2* is the distance of what it computed to the reference,
    *notes* what to know before trusting the times.
    """

    session: Text
    batch: Count
    precision: Name
    device: Name
    qualified: bool
    because: Text | None = None
    composition: MeasuredComposition | None = None
    co_run: MeasuredCoRun | None = None
    relative_l2: Relative | None = None
    notes: tuple[Text, ...] = ()
    provenance: Provenance

    @property
    def times(self) -> dict[tuple[str, ...], Samples]:
        """Every list of times, by the path of keys that leads to it."""
        if self.composition is not None:
            return _times_of(self.composition)
        if self.co_run is None:
            return {}
        sides = {"producer": self.co_run.producer, "consumer": self.co_run.consumer}
        both = ((name, key, times) for name, side in sides.items() for key, times in (("solo_us", side.solo_ps), ("pair_us", side.pair_ps)))
        return {("co_run", name, key): times for name, key, times in both}


def _times_of(ran: MeasuredComposition) -> dict[tuple[str, ...], Samples]:
    """Return the times of a composition under the keys that are there; without any, where its samples are missing."""
    found: dict[tuple[str, ...], Samples] = {}
    if ran.samples_ps or not ran.blocks_ps:
        found["composition", "samples_us"] = ran.samples_ps
    if ran.blocks_ps:
        found["composition", "blocks_us"] = tuple(time for block in ran.blocks_ps for time in block)
    return found


def blocks_of(timed: MeasuredComposition | MeasuredGroup) -> Blocks:
    """Return the times of each block: all of them where they are there, else the one sample."""
    return timed.blocks_ps or tuple((sample,) for sample in timed.samples_ps)


class Measured(Frozen):
    """A measured file. As JSON lines: this object's head without *runs* on the first line, one run on each further."""

    megasolve: Literal["measured/v1"]
    title: Text | None = None
    ignore: tuple[Ignored, ...] = ()
    runs: tuple[MeasuredRun, ...]


def lower_median(samples: Sequence[int]) -> int:
    """Return the middle one of *samples*, of two the lower."""
    return sorted(samples)[(len(samples) - 1) // 2]
