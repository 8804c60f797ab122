"""The runs that are judged: of candidates, batches and the device of the plan; whatever was measured of something else is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from megasolve.contracts import Spec, Study
from megasolve.contracts.model.closest import nearest
from megasolve.contracts.model.wording import shown
from megasolve.contracts.runs.timed_run import TimedRun, TimedRuns
from megasolve.contracts.runs.unusable import RunFault, UnusableRuns
from megasolve.simulate import Objective

from .known import unknown_candidates

RunsByBatch = Mapping[int, tuple[TimedRun, ...]]


def chosen_runs(study: Study, timed: TimedRuns, batches: Sequence[int], objective: Objective, planned: Collection[str]) -> RunsByBatch:
    """Return the runs of *batches*, in their order; *planned* are candidates of a frozen plan, which the study need not have any more.

    Raises
    ------
    UnusableRuns
        Runs have faults, or are of something else than the plan; all of that is in it.
    """
    faults = [*timed.faults]
    faults += [RunFault(run.place, why) for run in timed.runs if (why := _of_another(run, study))]
    faults += [RunFault(run.place, why) for run, why in unknown_candidates(study, timed.runs, planned)]
    if timed.objectives - {objective.value}:
        other = min(timed.objectives - {objective.value})
        faults.append(RunFault(timed.runs[0].place, f"measured is {other}, and {objective.value} is to be judged: --objective {other}"))
    if faults:
        raise UnusableRuns(sorted(_once(faults)))
    of = {batch: tuple(run for run in timed.runs if run.batch == batch) for batch in dict.fromkeys(batches)}
    return {batch: runs for batch, runs in of.items() if runs}


def left_out(timed: TimedRuns, batches: Sequence[int]) -> Iterator[str]:
    """Yield what was measured at batches that are not asked for, and what did not qualify."""
    others = Counter(run.batch for run in timed.runs if run.batch not in batches)
    for batch, count in sorted(others.items()):
        yield f"batch {batch}: {count:,} runs are left out, as other batches are asked for"
    for run in timed.unqualified:
        yield f"batch {run.batch}: {run.candidate} did not qualify, and is not judged: {run.because}"


def _of_another(run: TimedRun, study: Study) -> str:
    spec, device = study.spec.value, study.device.value.name
    if run.device not in (None, device):
        return f"measured on {shown(run.device)}, and the plan is for {device!r}; --device plans for another one"
    if run.precision not in (None, spec.precision):
        return f"measured in {shown(run.precision)}, and the spec is in {spec.precision!r}"
    if run.batch not in spec.batches:
        return f"batch {run.batch} is none of the spec's: {', '.join(map(str, spec.batches))}"
    return _of_no_group(run, spec)


def _of_no_group(run: TimedRun, spec: Spec) -> str:
    groups = [group.name for group in spec.groups]
    return "" if run.group is None or run.group in groups else f"no group {shown(run.group)}{nearest(run.group, groups)}"


def _once(faults: Iterable[RunFault]) -> Iterator[RunFault]:
    """Yield the first of equal faults in a file, with how many more rows have it."""
    same: dict[tuple[str, str], list[RunFault]] = defaultdict(list)
    for fault in faults:
        same[fault.place.file, fault.message].append(fault)
    for (_, message), (first, *more) in same.items():
        rows = "1 more row" if len(more) == 1 else f"{len(more):,} more rows"
        yield RunFault(first.place, f"{message} (and so in {rows})" if more else message)
