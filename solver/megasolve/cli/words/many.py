"""From the words of a command to many studies: when there are many, what is asked of each, and where results are kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from ..ending.refusals import Refusal
from .assuming import asked_assumptions
from .studies import CAPACITY, STDIN

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver import AskedStudies, Store

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
LINES = "jsonl"


def store_options(command: Decorated) -> Decorated:
    """Add --store and --resume."""
    store = click.option(
        "--store",
        metavar="DIR",
        help="With JSON lines: keep every finished result in DIR, by default below the folder of the cache.",
    )
    resume = click.option(
        "--resume", is_flag=True, help="With JSON lines: take what the store has of the same files and options, and plan only the rest."
    )
    return store(resume(command))


def is_many(specs: Sequence[str], form: str, *, needs_lines: bool) -> bool:
    """Whether the answer is JSON lines: one that is asked for, or that of several specs; *needs_lines* says that an option is of those."""
    if form == LINES:
        return True
    is_asked = click.get_current_context().get_parameter_source("form") is not ParameterSource.DEFAULT
    if len(specs) > 1 and is_asked:
        raise click.UsageError(f"several specs give JSON lines: leave out --format {form}, or name one spec")
    if len(specs) == 1 and needs_lines:
        raise click.UsageError("--store and --resume keep JSON lines: say --format jsonl, or name several specs")
    return len(specs) > 1


def refuse_of_one(specs: Sequence[str], objectives: Sequence[str], solved_for: Sequence[str], stdin_filename: str | None) -> None:
    """Refuse what can only be asked of one spec."""
    if CAPACITY in objectives:
        raise click.UsageError("--objective capacity compares batches, which are lines of their own in JSON lines: ask for one spec")
    if STDIN in specs or stdin_filename is not None:
        raise click.UsageError("JSON lines are of files: a spec from stdin is solved alone, in another form")
    if solved_for:
        raise click.UsageError("--solve-for is of one spec, in another form than JSON lines")


def asked_of_all(params: Mapping[str, Any], options: JsonObject) -> AskedStudies:
    """Return what the parameters of `solve` ask of every spec; each result shows *options*."""
    from megasolve.solver import AskedStudies

    from .derivation import asked_effects

    return AskedStudies(
        batches=tuple(dict.fromkeys(params["batch"])),
        objectives=params["objective"],
        where=params["where"],
        pareto=params["pareto"],
        ablation=params["ablation"],
        effects=asked_effects(params["without"]),
        top=params["top"],
        seconds=params["time_limit"],
        whole=params["show_all"],
        device=params["device"],
        root=params["root"],
        settings=params["settings"],
        allow_simulated_hardware=params["allow_simulated_hardware"],
        assumed=asked_assumptions(params["assume"], measured_only=params["measured_only"]),
        measured_only=params["measured_only"],
        options=options,
    )


def asked_store(folder: str | None, *, resume: bool, no_cache: bool) -> Store | None:
    """Return where finished results are kept: in *folder*, else below the folder of the cache unless *no_cache*; None for nowhere."""
    from megasolve.solver import Store, UnusableStore, default_store

    chosen = default_store(os.environ) if folder is None and not no_cache else folder
    if chosen is None:
        if resume:
            why = "--no-cache leaves the default one alone" if no_cache else "there is no home folder for one"
            raise click.UsageError(f"--resume needs a store, and {why}: name one with --store")
        return None
    try:
        return Store(chosen)
    except UnusableStore as unusable:
        if folder is not None or resume:
            raise Refusal(str(unusable)) from None
        click.echo(f"Warning: results are not kept: {unusable}", err=True)
        return None
