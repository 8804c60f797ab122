"""Steps: r, h and the steady cycle of a question, with what the stream schedule adds to each."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import Publication, StreamSchedule
from megasolve.simulate.plan.need import Question


@dataclass(frozen=True, slots=True)
class Steps:
    """r (*ready_step*), h (*horizon_step*) and the steps of a steady cycle; they follow from *stream*, else from *publication*."""

    ready_step: int
    horizon_step: int
    cycle_steps: int
    is_steady: bool
    stream: StreamSchedule | None = None
    publication: Publication | None = None

    @property
    def first_chunk_steps(self) -> int | None:
        """The producer steps that the frames of the first chunk take; None where nothing is streamed."""
        return self.stream.steps_for(self.stream.first_chunk) if self.stream else None

    @property
    def lookahead_step(self) -> int | None:
        """The step that the look-ahead alone makes the publication wait for; None where nothing is streamed."""
        return self.stream.delay + self.stream.steps_for(self.stream.first_chunk) + self.stream.lookahead if self.stream else None


def steps_of(question: Question) -> Steps:
    """Return the steps of *question*."""
    spec = question.spec
    counts = (question.ready_step, question.horizon_step, question.cycle_steps, question.is_steady)
    return Steps(*counts, stream=spec.stream, publication=spec.publication)
