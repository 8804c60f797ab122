"""Options of the commands that derive service times from programs: mechanisms that are off, the cache, and how many at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..ending.refusals import Refusal
from ..progress import Bar

if TYPE_CHECKING:
    from megasolve.simulate import Effects
    from megasolve.solver import Derivation, Executor

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

MECHANISMS = (
    *("readiness", "prefetch", "forwarding", "port", "synchronization", "one_geometry", "register_limit", "in_flight"),
    *("data_edges", "queue_edges", "task_cost", "static_order", "l2", "library", "pipelining"),
)
EFFECTS = ("contention", "dispatch")


def derivation_options(command: Decorated) -> Decorated:
    """Add --without for the mechanisms of tiles, --refresh, --no-cache, --jobs and --dask."""
    return _options(
        command,
        MECHANISMS,
        "Derive times with this mechanism off, to see what it is worth; may be given several times. Recorded times stay.",
    )


def schedule_options(command: Decorated) -> Decorated:
    """Add --without for the mechanisms of tiles and of the event graph, --refresh, --no-cache, --jobs and --dask."""
    return _options(
        command,
        (*MECHANISMS, *EFFECTS),
        "Score with this mechanism off, to see what it is worth; may be given several times. Contention and dispatch work on schedules, "
        "the others on derived times: recorded times stay.",
    )


def _options(command: Decorated, names: Sequence[str], about_without: str) -> Decorated:
    without = click.option("--without", type=click.Choice(names), multiple=True, help=about_without)
    refresh = click.option("--refresh", is_flag=True, help="Derive times anew and replace what the cache holds of them.")
    no_cache = click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of derived times.")
    jobs = click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Do up to N things side by side; by default one for each core that may be used. The result is the same.",
    )
    return without(refresh(no_cache(jobs(dask_option(command)))))


def dask_option(command: Decorated) -> Decorated:
    """Add --dask."""
    return click.option(
        "--dask",
        metavar="ADDRESS",
        help="Have the workers of the Dask scheduler at tcp://host:port do them instead; needs the extra megasolve[dask].",
    )(command)


def asked_derivation(without: Sequence[str], *, refresh: bool, no_cache: bool) -> Derivation:
    """Return how missing times are derived; nothing on disk is touched yet."""
    if refresh and no_cache:
        raise click.UsageError("--refresh writes the cache and --no-cache does not: say one of them")

    from megasolve.simulate.expand.setup import Mechanisms
    from megasolve.solver import Cache, Derivation, cache_folder

    cache = None if no_cache else Cache(cache_folder(os.environ), refresh=refresh)
    return Derivation(Mechanisms().without(*(name for name in without if name in MECHANISMS)), cache)


@contextmanager
def deriving(
    without: Sequence[str] = (),
    *,
    refresh: bool = False,
    no_cache: bool = False,
    jobs: int | None = None,
    dask: str | None = None,
    bar: Bar | None = None,
) -> Iterator[Derivation]:
    """Yield how missing times are derived, side by side and with progress on stderr; on leaving no process and no progress is left.

    Whoever has more to show shows it in its own *bar*.
    """
    derivation = asked_derivation(without, refresh=refresh, no_cache=no_cache)

    from megasolve.report import one_line
    from megasolve.solver import TooManyTimes

    shown = bar or Bar()

    def warn(line: str) -> None:
        shown.clear()
        click.echo(f"Warning: {one_line(line)}", err=True)

    executor = asked_executor(jobs, dask, warn)
    try:
        yield replace(derivation, pool=executor, watch=shown.show)
    except TooManyTimes as error:
        raise Refusal(str(error)) from None
    finally:
        executor.close()
        shown.clear()


def asked_executor(jobs: int | None, dask: str | None, warn: Callable[[str], None]) -> Executor:
    """Return who works: processes of this machine, *jobs* of them, or the workers of the scheduler at the address *dask*."""
    from megasolve.solver import ProcessPool

    if dask is None:
        return ProcessPool(jobs, warn=warn)
    if jobs is not None:
        raise click.UsageError("--jobs is of this machine, and --dask of a cluster: say one of them")
    import logging

    from megasolve.solver.pool.cluster import Cluster, UnusableCluster

    # What goes wrong is said here, in one line.
    logging.disable(logging.CRITICAL)
    try:
        return Cluster(dask, warn=warn)
    except ModuleNotFoundError as error:
        raise Refusal(f"--dask needs what is not installed ({error.name}): pip install 'megasolve[dask]'") from None
    except UnusableCluster as unusable:
        raise Refusal(f"--dask: {unusable}") from None


def asked_effects(without: Sequence[str]) -> Effects:
    """Return which mechanisms of the event graph are on."""
    from megasolve.simulate import Effects

    return Effects().without(*(name for name in without if name in EFFECTS))


def warn_of_cache(derivation: Derivation) -> None:
    """Say on stderr that derived times could not be kept, where that is so; the result does not depend on it."""
    warnings = [derivation.cache.warning if derivation.cache is not None else None, _compiling_warning()]
    for warning in filter(None, warnings):
        from megasolve.report import one_line

        click.echo(f"Warning: {one_line(warning)}", err=True)


def _compiling_warning() -> str | None:
    """Return what kept tiles from being scheduled by compiled code that is kept, if anything did; None where nothing was scheduled."""
    engine = sys.modules.get("megasolve.simulate.tiles.engine")
    warning: str | None = engine.warning() if engine is not None else None
    return warning
