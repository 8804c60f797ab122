"""What a persistent kernel says when it gave up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .instructions import InstructionProgram

TOO_LONG, TOLD_TO_STOP = 1, 2
_REASONS = {TOO_LONG: "waited too long", TOLD_TO_STOP: "was told to stop", 3: "has an operation that the entry lacks"}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why the first CTA to give up did so: at instruction *index*, whose *counter* was at *seen* of *wanted*."""

    reason: int
    cta: int
    index: int
    counter: int
    seen: int
    wanted: int

    def is_a_wait_of(self, program: InstructionProgram) -> bool:
        """Whether *program* has this wait, and it was not over. Which of several that never end is told of first, no one can say."""
        if not 0 <= self.index < len(program):
            return False
        return (self.counter, self.wanted) in program.instruction(self.index).waits and self.seen < self.wanted

    def text(self, program: InstructionProgram) -> str:
        """Return it in one line, with the tile of *program* that it is about."""
        # The words come from the device: an index behind the program must not cost the message.
        where = f"instruction {self.index} ({program.origin(self.index)})" if self.index < len(program) else f"instruction {self.index}"
        return f"gave up: CTA {self.cta} {_why(self.reason)} at {where}, counter {self.counter} at {self.seen} of {self.wanted}"


_WAITS = ("a meeting", "the end of a round", "the next round")


@dataclass(frozen=True, slots=True)
class MetDiagnosis:
    """Why a CTA gave up that waited for others to meet or to end a round: *seen* of *wanted* had come. A *reason* of 0 says nothing."""

    reason: int
    cta: int
    waited: int
    seen: int
    wanted: int

    def text(self) -> str:
        """Return it in one line."""
        what = _WAITS[self.waited] if self.waited < len(_WAITS) else f"wait {self.waited}"
        return f"gave up: CTA {self.cta} {_why(self.reason)} at {what}, {self.seen} of {self.wanted} had come"


def diagnosed(words: Sequence[int]) -> Diagnosis:
    """Return what the eight *words* of a diagnosis say."""
    # Behind what is said stand a spare word and the claim of the CTA that was the first to say it.
    return Diagnosis(*words[:6])


def _why(reason: int) -> str:
    return _REASONS.get(reason, f"says {reason}")
