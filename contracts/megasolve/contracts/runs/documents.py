"""Timed runs of a measured file of ours: the samples of every composition that qualified, block by block."""

from __future__ import annotations

from collections.abc import Iterator

from ..files.documents import Document
from ..model.measured import Measured, MeasuredComposition, MeasuredGroup, MeasuredRun, blocks_of
from .timed_run import TimedRun, TimedRuns, UnqualifiedRun

_CO_RUN = "co-run"
_STAND_IN = "run on a stand-in for the hardware"


def runs_in(document: Document[Measured], *, allow_simulated_hardware: bool = False) -> TimedRuns:
    """Return the runs of candidates in *document*; what judges no candidate is left out and said."""
    runs: list[TimedRun] = []
    unqualified: list[UnqualifiedRun] = []
    left_out = {_CO_RUN: 0, _STAND_IN: 0}
    objectives: set[str] = set()
    for index, run in enumerate(document.value.runs):
        if run.composition is None:
            left_out[_CO_RUN] += 1
            continue
        left_out[_STAND_IN] += run.provenance.fake
        if run.provenance.fake and not allow_simulated_hardware:
            continue
        if not run.qualified:
            unqualified.append(UnqualifiedRun(run.composition.candidate, run.batch, run.because or "no reason is given"))
        else:
            objectives.add(run.composition.objective)
            runs += _runs(document, index, run, run.composition)
    why = {_CO_RUN: "left out: they time no candidate", _STAND_IN: _stand_in(allowed=allow_simulated_hardware)}
    notes = (f"{document.file}: {_counted(number, what)} {why[what]}" for what, number in left_out.items() if number)
    return TimedRuns(tuple(runs), tuple(unqualified), tuple(notes), frozenset(objectives))


def _stand_in(*, allowed: bool) -> str:
    if allowed:
        return "judged as was asked for: its clock is virtual, and nothing of it holds for a GPU"
    return "left out: its clock is virtual; --allow-simulated-hardware judges by it all the same"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what if number == 1 else what.replace('run', 'runs', 1)}"


def _runs(document: Document[Measured], index: int, run: MeasuredRun, ran: MeasuredComposition) -> Iterator[TimedRun]:
    entries = tuple("+".join(names) for names in ran.entries)
    parts: list[tuple[str | None, MeasuredComposition | MeasuredGroup]] = [(None, ran), *((one.group, one) for one in ran.groups)]
    place = document.place(("runs", index, "composition"))
    for group, timed in parts:
        for block, times in enumerate(blocks_of(timed), start=1):
            for number, time_ps in enumerate(times, start=1):
                yield TimedRun(
                    candidate=ran.candidate,
                    batch=run.batch,
                    # Runs of one session share its blocks.
                    block=f"{run.session}, block {block}",
                    run=f"run {number}",
                    time_ps=time_ps,
                    place=place,
                    group=group,
                    entries=entries,
                    device=run.device,
                    precision=run.precision,
                    is_published=run.provenance.kind == "published",
                )
