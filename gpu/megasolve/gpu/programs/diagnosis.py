"""What a persistent kernel says when it gave up."""

from __future__ import annotations

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
        why = _REASONS.get(self.reason, f"says {self.reason}")
        return f"gave up: CTA {self.cta} {why} at {where}, counter {self.counter} at {self.seen} of {self.wanted}"
