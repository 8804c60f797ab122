"""Qualification: before a design is timed, it computes what the reference does, from fresh inputs, and counts as it should."""

from __future__ import annotations

from ...errors import GpuError
from ...workloads.calls import AskedCall, StatedCall
from .buffers import WorkloadBench
from .stated import DeviceCalls

_MOST_NAMED = 3


class Disqualified(GpuError):
    """A design that does not compute what it should, so that its time would say nothing."""


def qualify(bench: WorkloadBench, call: AskedCall, stated: StatedCall, on_device: DeviceCalls, what: str) -> float:
    """Run the first of the calls *on_device* on fresh inputs and return how far it is from the reference (relative L2).

    Raises
    ------
    Disqualified
        It gave up, a value is too far from the reference or was never written, an integer differs, or what it counted is not exact.
    """
    session = bench.session
    on_device.reset()
    trial = bench.buffers.load_trial(call)
    session.words.clear()
    # The stream does not wait for copies.
    session.context.synchronize()
    for launch in on_device.by_call[0]:
        launch.on(session.stream)
    session.finish(what)
    # First, because a launch that gave up also leaves values unwritten, which would say less.
    if complaint := stated.complaint(session.words.diagnosis_words()):
        raise Disqualified(f"{what} {complaint}")
    compared = bench.workload.compared(call, bench.buffers.found(call, trial.before), trial.expected)
    if wrong := compared.differences:
        raise Disqualified(f"{what} disagrees with the reference: {listed(list(map(str, wrong)))}")
    if miscounted := stated.miscounted(on_device.scratch()):
        raise Disqualified(f"{what}: {miscounted}")
    return compared.relative_l2


def listed(texts: list[str]) -> str:
    """Return the first of *texts*, and how many more there are."""
    more = f"; and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return f"{'; '.join(texts[:_MOST_NAMED])}{more}"
