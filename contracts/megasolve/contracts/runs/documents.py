"""Timed runs of a measured file of ours: the samples of every composition that qualified, block by block."""

from __future__ import annotations

from collections.abc import Iterator

from ..files.documents import Document
from ..model.measured import Measured, MeasuredComposition, MeasuredGroup, MeasuredRun, blocks_of
from .timed_run import TimedRun, TimedRuns, UnqualifiedRun


def runs_in(document: Document[Measured], *, allow_simulated_hardware: bool = False) -> TimedRuns:
    """Return the runs of candidates in *document*; what judges no candidate is left out and said."""
    runs: list[TimedRun] = []
    unqualified: list[UnqualifiedRun] = []
    left_out = {"co-run": 0, "run on a stand-in for the hardware": 0}
    objectives: set[str] = set()
    for index, run in enumerate(document.value.runs):
        if run.composition is None:
            left_out["co-run"] += 1
        elif run.provenance.fake and not allow_simulated_hardware:
            left_out["run on a stand-in for the hardware"] += 1
        elif not run.qualified:
            unqualified.append(UnqualifiedRun(run.composition.candidate, run.batch, run.because or "no reason is given"))
        else:
            objectives.add(run.composition.objective)
            runs += _runs(document, index, run, run.composition)
    return TimedRuns(tuple(runs), tuple(unqualified), tuple(_notes(document.file, left_out)), frozenset(objectives))


def _notes(file: str, left_out: dict[str, int]) -> Iterator[str]:
    why = {"co-run": "they time no candidate", "run on a stand-in for the hardware": "they say nothing about a GPU"}
    for what, number in left_out.items():
        if number:
            yield f"{file}: {number:,} {what.replace('run', 'runs', 1) if number > 1 else what} left out: {why[what]}"


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
