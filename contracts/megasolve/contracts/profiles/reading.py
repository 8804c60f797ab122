"""Reads profiles: recognizes each file, hands it to its importer, and keeps what may not be added up apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from ..files.yaml.collector import uncollected
from .captures import with_captures
from .errors import ProfileRefused
from .execution import Execution, Format
from .judging.fitness import judged
from .judging.impossible import refuse_impossible
from .ranks import rank_in_name
from .recognizing.recognize import recognize
from .text.source import ProfileSource, source


def read_profile(path: str | os.PathLike[str], *, recover: bool = False) -> Execution:
    """Return what the profile at *path* says ran; with *recover*, of a damaged one whatever can be used.

    Raises
    ------
    ProfileRefused
        The file cannot be read, is no profile of a known format, or one that cannot be trusted: damaged, or with what cannot have run.
    """
    named = source(path)
    try:
        with uncollected():
            execution = _importer(recognize(named), recover=recover)(named)
            refuse_impossible(execution)
            execution = judged(execution, recover=recover)
    except (OSError, MemoryError) as error:
        raise ProfileRefused(named.file, f"cannot be read: {getattr(error, 'strerror', None) or 'not enough memory'}") from None
    return replace(execution, rank=rank_in_name(named.file)) if execution.rank is None else execution


def format_of(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of the file at *path*, judged by how it begins; None where it is no profile, or cannot be read."""
    try:
        return recognize(source(path))
    except (ProfileRefused, OSError):
        return None


def read_profiles(paths: Iterable[str | os.PathLike[str]], *, recover: bool = False) -> tuple[Execution, ...]:
    """Return what each of *paths* says, in order; ranks run beside each other and are never merged.

    The capture of a graph beside a run says what the replays of it run, and is no execution of its own.

    Raises
    ------
    ProfileRefused
        As `read_profile`; and a file is there twice, or two timelines are of the same rank.
    """
    executions: list[Execution] = []
    for path in paths:
        execution = read_profile(path, recover=recover)
        for earlier in executions:
            _check_pair(earlier, execution)
        executions.append(execution)
    return with_captures(executions)


def _check_pair(earlier: Execution, later: Execution) -> None:
    if earlier.sha256 == later.sha256:
        raise ProfileRefused(later.file, f"has the same content as {earlier.file}; name each profile once")
    both_timelines = earlier.is_timeline and later.is_timeline
    if both_timelines and earlier.is_capture == later.is_capture and later.rank is not None and earlier.rank == later.rank:
        raise ProfileRefused(later.file, f"is of rank {later.rank}, as {earlier.file} is; import one recording of a rank at a time")


def _importer(of: Format, *, recover: bool) -> Callable[[ProfileSource], Execution]:
    """Return what reads format *of*; each importer is loaded when it is first needed."""
    match of:
        case Format.KINETO:
            from .kineto.trace import read_kineto

            return partial(read_kineto, recover=recover)
        case Format.NSYS_SQLITE:
            from .nsys.sqlite_export import read_nsys_sqlite

            return read_nsys_sqlite
        case Format.NSYS_GPU_TRACE | Format.NSYS_EXEC_TRACE | Format.NSYS_KERN_SUM:
            from .nsys.csv.stats import read_nsys_csv

            return read_nsys_csv
        case Format.NCU_DETAILS | Format.NCU_RAW:
            from .ncu.pages_csv import read_ncu_csv

            return read_ncu_csv
        case Format.TENSORRT_PROFILE | Format.TENSORRT_LAYERS | Format.TENSORRT_TIMES:
            return _tensorrt(of)


def _tensorrt(of: Format) -> Callable[[ProfileSource], Execution]:
    from .tensorrt import exports

    if of is Format.TENSORRT_PROFILE:
        return exports.read_tensorrt_profile
    return exports.read_tensorrt_layers if of is Format.TENSORRT_LAYERS else exports.read_tensorrt_times
