"""The whole candidates and co-runs that the words of `measure` ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..words.studies import refuse_huge
from .options import AskedTimes, measured_batches

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.simulate.plan.runnable import WantedRuns
    from megasolve.solver import Derivation

_SPLIT_EXAMPLE = "88/44"


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


def wanted_runs(study: Study, asked: AskedTimes, runs: AskedRuns, derivation: Derivation) -> WantedRuns:
    """Return the runs that are asked for: candidates in the entries of their best variant, and splits."""
    from megasolve.simulate.plan.runnable import WantedRuns
    from megasolve.solver import NoSuchCandidate, runnable_candidates, with_entries

    _refuse_filters(asked)
    batches = measured_batches(study, asked)
    if runs.candidates:
        refuse_huge(study)
    try:
        chosen = runnable_candidates(with_entries(study, asked.entries), runs.candidates, batches, derivation)
    except NoSuchCandidate as error:
        raise click.UsageError(f"--candidate {error}") from None
    return WantedRuns(chosen.by_batch, chosen.excluded, runs.splits, batches, asked.entries)


def _refuse_filters(asked: AskedTimes) -> None:
    for option, words in (("--group", asked.groups), ("--budget", asked.budgets)):
        if words:
            raise click.UsageError(f"{option} chooses among times; a candidate or a split says itself what runs, so leave it out")
