"""Whole candidates and co-runs for `measure`: from ids and splits to what the GPU package runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .derivation import deriving, warn_of_cache
from .measure_options import AskedTimes
from .options import version
from .studies import refuse_huge

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.solver import BatchResult, Candidate, Choice, Ranked

_SPLIT_EXAMPLE = "88/44"
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class AskedRuns:
    """The ids of candidates to run as a whole, and the splits whose sides are run beside each other."""

    candidates: tuple[str, ...]
    splits: tuple[tuple[int, int], ...]

    def __bool__(self) -> bool:
        return bool(self.candidates or self.splits)


_OPTIONS = (
    click.option(
        "--candidate",
        "candidates",
        metavar="ID",
        multiple=True,
        help="Run this candidate as a whole, up to the first publication; may be given several times. It is no evidence.",
    ),
    click.option(
        "--co-run",
        "splits",
        metavar="X/Y",
        multiple=True,
        help="Run producers on X CTAs beside consumers on Y, as a megakernel and as kernels; may be given several times. No evidence.",
    ),
)


def split_of(text: str) -> tuple[int, int]:
    """Return the CTAs of the producer and of the consumer in a word such as 88/44."""
    producer, _, consumer = text.partition("/")
    if not (producer.isdecimal() and consumer.isdecimal()):
        raise click.BadParameter(f"{text!r} is no split: write the CTAs of the producer and of the consumer, as {_SPLIT_EXAMPLE}")
    return int(producer), int(consumer)


def runs_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that `AskedRuns` is made of; *command* gets them together, as `runs`."""

    @wraps(command)
    def together(*, candidates: tuple[str, ...], splits: tuple[str, ...], **words: Any) -> None:
        command(runs=AskedRuns(candidates, tuple(map(split_of, splits))), **words)

    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), together)


def runs_target(asked: AskedTimes) -> Path:
    """Return the file that runs are added to."""
    if asked.output is not None:
        return Path(asked.output)
    return Path(asked.spec).with_suffix("") / "measured" / ("cpu.jsonl" if asked.on_cpu else "runs.jsonl")


def with_entries(study: Study, entries: Sequence[str]) -> Study:
    """Return *study* without further megakernels for the groups of one of *entries*."""
    megakernels = [document.value for document in study.contracts if document.value.backend == "megakernel"]
    taken = {contract.members for contract in megakernels if contract.entry in entries}
    others = {contract.entry for contract in megakernels if contract.members in taken and contract.entry not in entries}
    return replace(study, contracts=tuple(document for document in study.contracts if document.value.entry not in others))


def run_facts(
    study: Study,
    asked: AskedTimes,
    runs: AskedRuns,
    *,
    wishes: Mapping[str, Any],
    progress: Callable[[str], None],
    dry_run: bool,
) -> dict[str, Any]:
    """Return what became of the runs that are asked for or, for a dry run, what would be launched.

    *wishes* are the fields of the GPU package's `MeasuringWishes`.
    """
    from megasolve.gpu.experiments import co_runs as corun
    from megasolve.gpu.experiments import compositions
    from megasolve.gpu.experiments.times import MeasuringWishes

    _refuse_filters(asked)
    batches, splits, entries = _batches(study, asked), runs.splits, asked.entries
    chosen, excluded = _chosen(with_entries(study, entries), runs.candidates, batches)
    if dry_run:
        launched = compositions.planned_compositions(study, chosen)
        beside = corun.planned_co_runs(study, splits, batches, entries=entries)
    else:
        wished = MeasuringWishes(**wishes)
        shared: dict[str, Any] = {"tool": f"megasolve {version()}", "progress": progress}
        launched = compositions.measured_compositions(study, chosen, wished, **shared) if chosen else []
        beside = corun.measured_co_runs(study, splits, batches, wished, entries=entries, **shared) if splits else []
    return {
        "spec": study.spec.value.name,
        "device": study.device.value.name,
        "backend": asked.backend,
        "fake": asked.on_cpu,
        "measured": str(wishes["target"]),
        "compositions": launched,
        "co_runs": beside,
        "excluded": excluded,
        "complete": not excluded and all(one.get("because") is None for one in (*launched, *beside)),
        "notes": list(_notes(asked, dry_run=dry_run)),
    }


def _refuse_filters(asked: AskedTimes) -> None:
    for option, words in (("--group", asked.groups), ("--budget", asked.budgets)):
        if words:
            raise click.UsageError(f"{option} chooses among times; a candidate or a split says itself what runs, so leave it out")


def _batches(study: Study, asked: AskedTimes) -> tuple[int, ...]:
    """Return the batches to run: those asked for, or all; on the CPU the smallest is enough."""
    batches = study.spec.value.batches
    return asked.batches or ((min(batches),) if asked.on_cpu else batches)


def _chosen(study: Study, ids: Sequence[str], batches: Sequence[int]) -> tuple[dict[int, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Return the candidates of *ids* by batch, in the entries of their best variant, and why others are excluded."""
    from megasolve.solver import solve

    if not ids:
        return {}, []
    refuse_huge(study)
    _refuse_unknown_ids(study, ids)
    chosen: dict[int, list[dict[str, Any]]] = {}
    excluded: list[dict[str, Any]] = []
    # Left before anything is timed: processes that derive would stand in the way.
    with deriving() as derivation:
        results = solve(study, batches=batches, objective="first_publication", derivation=derivation).results
    warn_of_cache(derivation)
    for result in results:
        ranked = {row.id: row for row in result.ranking}
        kept = [_runnable(study, ranked[name]) for name in dict.fromkeys(ids) if name in ranked]
        if kept:
            chosen[result.batch] = kept
        excluded += [_excluded(result, name) for name in dict.fromkeys(ids) if name not in ranked]
    return chosen, excluded


def _refuse_unknown_ids(study: Study, ids: Sequence[str]) -> None:
    from megasolve.contracts.model.closest import closest_few
    from megasolve.solver import candidates

    known = [str(candidate) for candidate in candidates(study.spec.value)]
    for name in ids:
        if name not in known:
            nearest = ", ".join(closest_few(name, known, _NEAREST))
            raise click.UsageError(f"--candidate {name} is none of the spec's; the nearest are {nearest}")


def _excluded(result: BatchResult, name: str) -> dict[str, Any]:
    row = next(row for row in result.excluded if row.id == name)
    because = "; ".join(dict.fromkeys(f"{cause.rule.code} {cause.because}" for cause in row.causes))
    return {"candidate": name, "batch": result.batch, "because": because}


def _runnable(study: Study, row: Ranked) -> dict[str, Any]:
    """Return a candidate in plain values: gpu knows no solver."""
    policy = row.candidate.policy
    return {
        "id": row.id,
        "regions": [_region(choice) for choice in _choices(study, row.candidate, row.entries)],
        "sharing": policy.sharing.value,
        "producer_ctas": policy.producer_ctas,
        "consumer_ctas": policy.consumer_ctas,
    }


def _choices(study: Study, candidate: Candidate, entries: Sequence[str]) -> list[Choice]:
    from megasolve.solver import choices

    pairs = zip(candidate.cover.regions, entries, strict=True)
    return [next(choice for choice in choices(study, region) if str(choice) == wanted) for region, wanted in pairs]


def _region(choice: Choice) -> dict[str, Any]:
    backend = "megakernel" if choice.region.is_megakernel else "conventional"
    return {"backend": backend, "groups": list(choice.region.groups), "entries": list(choice.entries)}


def _notes(asked: AskedTimes, *, dry_run: bool) -> Iterator[str]:
    if asked.on_cpu and not dry_run:
        yield "times are those of a virtual clock on a stand-in: they judge no prediction"
    if asked.on_cpu and not asked.batches:
        yield "on the CPU the smallest batch is run; --batch asks for others"
    yield "these runs are no evidence, and no plan reads them"
