"""Measuring compositions: sessions in children, until every candidate has times or a reason why it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from megasolve.contracts import Contract, MeasuredRun, Study
from megasolve.simulate.plan.runnable import RunnableCandidate

from ...children.child import ChildResult, Failed, Finished, TimedOut, reason, run_in_child
from ...errors import GpuError
from ...harness.counts import Counts
from ...harness.overlap import require_overlap
from ...harness.places.places import MeasuringPlace, OnCpu
from ..times.running import DriverLost
from .candidates import contracts_of
from .launch_plan import launch_plan, sides
from .measured_runs import RunCircumstances, composition_runs, session_name
from .request import SESSION_REQUEST, SESSION_RESULT, CandidateFailure, SessionRequest, SessionResult
from .session_runs import AT

_RUN_SESSION = f"{__package__}.session_runs:run_session"


class NothingRan(GpuError):
    """No candidate ran, so that not even the device is known."""


@dataclass(frozen=True, slots=True)
class CompositionRunner:
    """Measures candidates of *study* at a *place*, each once in every one of *blocks*.

    *seed* draws inputs and orders, *device* is as the user named it, if at all, and *tool* is this program with its version.
    """

    study: Study
    place: MeasuringPlace
    counts: Counts
    blocks: int
    seed: int
    tool: str
    device: str | None = None

    def runs(self, candidates: Sequence[RunnableCandidate], batch: int) -> tuple[MeasuredRun, ...]:
        """Return a run of each of *candidates*, in their order: its times, or why it did not qualify.

        Raises
        ------
        DriverLost
            The driver hangs; a GPU in that state measures nothing more.
        NothingRan
            The session itself failed.
        """
        study, session = self.study, session_name()
        failures, pending = self._unplannable(candidates)
        result: SessionResult | None = None
        while pending:
            # What ends a session is dropped and all others are asked again: the times of a file's session come from one child.
            answer = self._ask(pending, batch)
            if isinstance(answer, SessionResult):
                result, found = answer, answer.failures
            else:
                found = (answer,)
            failures += found
            lost = {one.candidate for one in found if one.ends_session}
            pending = [one for one in pending if one.id not in lost] if lost else []
        about = RunCircumstances(
            study.spec.value,
            study.device.value.name,
            batch,
            session,
            self.tool,
            fake=isinstance(self.place, OnCpu),
            facts=result.device if result else None,
            versions=result.versions if result else {},
        )
        return tuple(composition_runs(candidates, result.times if result else (), failures, about))

    def _unplannable(self, candidates: Sequence[RunnableCandidate]) -> tuple[list[CandidateFailure], list[RunnableCandidate]]:
        """Return the failures of those that cannot be launched at all, and the others; nothing is compiled for the former."""
        failures: list[CandidateFailure] = []
        for candidate in candidates:
            try:
                if sides(launch_plan(self.study, candidate)) != ((), ()):
                    require_overlap()
            except GpuError as error:
                failures.append(CandidateFailure(candidate.id, str(error).removeprefix(f"{candidate.id}: ")))
        failed = {failure.candidate for failure in failures}
        return failures, [candidate for candidate in candidates if candidate.id not in failed]

    def _ask(self, candidates: Sequence[RunnableCandidate], batch: int) -> SessionResult | CandidateFailure:
        request = SessionRequest(
            spec=self.study.spec.file,
            root=self.study.root,
            device=self.device,
            ordinal=self.place.ordinal,
            batch=batch,
            candidates=tuple(candidates),
            blocks=self.blocks,
            counts=self.counts,
            seed=self.seed,
        )
        with self.place.environment(self.study, self._contracts(candidates)) as environment:
            deadline_s = self.place.deadline_s(len(candidates) + self.blocks)
            result = run_in_child(
                _RUN_SESSION, SESSION_REQUEST.dump_python(request, mode="json"), deadline_s=deadline_s, environment=environment
            )
        if isinstance(result, Finished):
            return SESSION_RESULT.validate_python(result.value)
        if isinstance(result, TimedOut) and not result.dead:
            raise DriverLost(f"{candidates[0].id} at batch {batch}: {result}")
        return _failure(result)

    def _contracts(self, candidates: Sequence[RunnableCandidate]) -> Mapping[str, Contract]:
        regions = (region for candidate in candidates for region in candidate.regions)
        return {contract.entry: contract for region in regions for contract in contracts_of(self.study, region)}


def _failure(result: ChildResult) -> CandidateFailure:
    """Return what a child that died was at; one that died at no candidate fails all of them.

    Raises
    ------
    NothingRan
    """
    because = reason(result)
    stderr = "" if isinstance(result, Finished) else result.stderr
    places = [line.removeprefix(AT) for line in stderr.splitlines() if line.startswith(AT)]
    if isinstance(result, Failed) or not places:
        raise NothingRan(because)
    # The last candidate that the child named is the one at which it died.
    return CandidateFailure(places[-1], because, ends_session=True)
