"""What would have to be measured before the score of two streams is more than a best case."""

from __future__ import annotations

import shlex

from megasolve.simulate.plan.policy import SIDES

from ..search.predicates import Judge
from ..select.result import Ranked
from ..select.told.shown import PairBeside

BY_HAND = (
    "time a step and a chunk with a profiler, each alone and beside the other, and write the four times as a co_run of a measured/v1 file; "
    "measure --co-run runs the megakernel of all producers only"
)
THEN = "with the file under `measured:` of the spec it is shown here"


def to_measure(judge: Judge, row: Ranked) -> tuple[str, ...]:
    """Return what would have to be measured of a candidate on two streams, with the command; nothing where it is, or shares otherwise."""
    if not row.candidate.policy.is_streams or any(isinstance(one, PairBeside) for one in row.measured):
        return ()
    return (f"to measure: {_command(judge, row) or BY_HAND}; {THEN}",)


def _command(judge: Judge, row: Ranked) -> str:
    """Return the command that runs the two beside each other; nothing where the producers are no single megakernel."""
    spec, policy = judge.question.spec, row.candidate.policy
    # A co-run is asked for as a split. The kernels of the consumers take what is free, whatever its other number is.
    consumer_ctas = next((pair.counts[1] for pair in spec.budget_pairs if pair.counts[0] == policy.producer_ctas), None)
    if not policy.producer_ctas or consumer_ctas is None:
        return ""
    sides = {group.name for role in SIDES for group in spec.groups_of(role)}
    entries = [entry for choice in row.tied[0] if sides & {*choice.region.groups} for entry in choice.entries]
    named = [word for entry in entries for word in ("--entry", entry)]
    split = ["--co-run", f"{policy.producer_ctas}/{consumer_ctas}"]
    return shlex.join(["megasolve", "measure", judge.study.spec.file, *split, "--batch", str(judge.question.batch), *named])
