"""What the words of `measure` ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ..words.completion import specs_like
from ..words.options import device_option, root_option
from ..words.studies import STDIN

if TYPE_CHECKING:
    from megasolve.contracts import Study

_SUFFIX = ".jsonl"
# `REFUSED_SAMPLES` of contracts, which is not loaded for its name.
_REFUSED = "refused.jsonl"


@dataclass(frozen=True, slots=True)
class AskedTimes:
    """The times that are asked for (empty filters ask for all), where they are taken and where their records go."""

    spec: str
    device: str | None
    root: str | None
    groups: tuple[str, ...]
    entries: tuple[str, ...]
    budgets: tuple[int, ...]
    batches: tuple[int, ...]
    backend: str
    cache: Literal["warm", "cold"]
    samples: int | None
    warmups: int | None
    output: str | None

    @property
    def on_cpu(self) -> bool:
        """Whether the stand-in plays the device."""
        return self.backend == "cpu"

    @property
    def target(self) -> Path:
        """The file that records are added to."""
        if self.output is not None:
            return Path(self.output)
        return Path(self.spec).with_suffix("") / "records" / ("cpu.jsonl" if self.on_cpu else "measured.jsonl")


def measure_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that `AskedTimes` is made of; *command* gets them together, as `asked`."""

    @wraps(command)
    def together(**words: Any) -> None:
        asked = AskedTimes(**{field.name: words.pop(field.name) for field in fields(AskedTimes)})
        _refuse_words(asked)
        command(asked=asked, **words)

    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), together)


def refuse_unknown(study: Study, asked: AskedTimes) -> None:
    """Refuse groups, entries, budgets and batches that the spec has not."""
    spec, contracts = study.spec.value, [document.value for document in study.contracts]
    budgets = {study.device.value.usable_sms, *(budget for contract in contracts for budget in contract.budgets)}
    _refuse("--group", asked.groups, [group.name for group in spec.groups])
    _refuse("--entry", asked.entries, sorted(contract.entry for contract in contracts))
    _refuse("--budget", asked.budgets, sorted(budgets, reverse=True))
    _refuse("--batch", asked.batches, list(spec.batches))


def measured_batches(study: Study, asked: AskedTimes) -> tuple[int, ...]:
    """Return the batches to measure: those asked for, or all; on the CPU the smallest is enough."""
    batches = study.spec.value.batches
    return asked.batches or ((min(batches),) if asked.on_cpu else batches)


_OPTIONS = (
    click.argument("spec", shell_complete=specs_like),
    click.option("--group", "groups", metavar="NAME", help="Measure calls of this group only; may be given several times.", multiple=True),
    click.option(
        "--entry",
        "entries",
        metavar="NAME",
        help="Measure this entry only; of a candidate or a co-run, take it for its groups. May be given several times.",
        multiple=True,
    ),
    click.option("--budget", "budgets", type=int, help="Measure on so many CTAs only; may be given several times.", multiple=True),
    click.option("--batch", "batches", type=int, help="Measure this batch size only; may be given several times.", multiple=True),
    click.option(
        "--backend",
        type=click.Choice(("gpu", "cpu")),
        default="gpu",
        show_default=True,
        help="Measure on the GPU, or try everything out on a stand-in that plays it on the CPU; its records say so and are no evidence.",
    ),
    click.option("--samples", type=click.IntRange(1, 10_000), help="Take so many samples of each time: by default 50, and 3 on the CPU."),
    click.option(
        "--warmup",
        "warmups",
        type=click.IntRange(1, 10_000),
        help="Launch so often before the first sample: by default 10, once on the CPU.",
    ),
    click.option(
        "--cache",
        type=click.Choice(("warm", "cold")),
        default="warm",
        show_default=True,
        help="Leave in the caches what the launch before left there, or overwrite it before each sample.",
    ),
    device_option,
    root_option,
    click.option("-o", "--output", metavar="RECORDS", help="Add the records to this file (JSON lines) instead of the one beside SPEC."),
)


def _refuse_words(asked: AskedTimes) -> None:
    if asked.spec == STDIN:
        raise click.UsageError("measure needs a spec in a file: children read it again")
    if asked.output is not None and not asked.output.endswith(_SUFFIX):
        raise click.UsageError(f"-o {asked.output}: records are added as JSON lines, to a file that ends in {_SUFFIX}")
    if asked.output is not None and Path(asked.output).name == _REFUSED:
        raise click.UsageError(f"-o {asked.output}: {_REFUSED} keeps samples that are not accepted; choose another name")


def _refuse(option: str, asked: tuple[Any, ...], known: list[Any]) -> None:
    for value in asked:
        if value not in known:
            raise click.UsageError(f"{option} {value} is none of the spec's: {', '.join(map(str, known))}")
