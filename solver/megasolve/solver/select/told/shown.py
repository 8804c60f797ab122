"""What is shown of a measured run beside the score of a candidate: its times, and what the model says of the same."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import Provenance
from megasolve.contracts.model.measured import CoRunSide, lower_median

from ..times import Ps


@dataclass(frozen=True, slots=True)
class ShownRun:
    """Where a measured run stands, on which device it ran, where it comes from, and what to know before trusting its times."""

    place: str
    device: str
    provenance: Provenance
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideBeside:
    """One side of a measured co-run: lower medians of a round alone and beside the other side, and what the model says of both.

    A prediction is None where the model has none: nothing is known of later or earlier times, or the two never run at once.
    """

    side: CoRunSide
    predicted_alone_ps: Ps | None = None
    predicted_beside_ps: Ps | None = None

    @property
    def alone_ps(self) -> int:
        """The measured time of a round alone."""
        return lower_median(self.side.solo_ps)

    @property
    def beside_ps(self) -> int:
        """The measured time of a round beside the other side."""
        return lower_median(self.side.pair_ps)

    @property
    def predicted_slowdown(self) -> Fraction | None:
        """How many times longer a round takes beside the other side, by the model."""
        if self.predicted_alone_ps is None or self.predicted_beside_ps is None:
            return None
        return Fraction(self.predicted_beside_ps) / Fraction(self.predicted_alone_ps)


@dataclass(frozen=True, slots=True)
class PairBeside:
    """A measured co-run of two sides that a candidate has beside each other."""

    run: ShownRun
    producer: SideBeside
    consumer: SideBeside


@dataclass(frozen=True, slots=True)
class WholeBeside:
    """A candidate that was measured as a whole: the lower median of its times to the first publication, and the predicted time."""

    run: ShownRun
    time_ps: int
    predicted_ps: Ps | None


RunBeside = PairBeside | WholeBeside
