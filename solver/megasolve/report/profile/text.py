"""Profiles as text: what each file is, what it adds up to, and where its time goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.kernel_words import microseconds, shortened_name
from ..text.numbers import US, percent
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, aligned, indented, one_line

if TYPE_CHECKING:
    from megasolve.contracts.profiles import Execution, KernelShape, ObservedDevice, Spent, Totals

_LABEL_WIDTH = 10
_KINDS = {"kernel": "kernels", "graph": "kernels", "layer": "layers"}
_ROWS = {"kernel": "one row per kernel", "graph": "one row per graph replay, its kernels are hidden", "layer": "one row per layer"}
_COLUMNS = (
    Column("time (µs)", is_number=True),
    Column("share", is_number=True),
    Column("launches", is_number=True),
    Column("CTAs", is_number=True),
    Column("threads", is_number=True),
    Column("registers", is_number=True),
    Column("shared (B)", is_number=True),
)
_TRAFFIC = Column("HBM (B)", is_number=True)
_KERNEL = Column("kernel")


def profile_lines(execution: Execution, totals: Totals, spent: Sequence[Spent], top: int, *, paint: Paint = PLAIN) -> list[str]:
    """Return what one profile holds; *spent* are its kernels, of which the first *top* are listed."""
    head = f"{one_line(execution.file)}: {execution.format.value}, {_ROWS[execution.granularity.value]}"
    notes = [paint.yellow(f"NOTE: {one_line(note)}") for note in (*execution.notes, *unfit_notes(execution.unfit))]
    facts = [f"{label:<{_LABEL_WIDTH}} {text}" for label, text in _facts(execution, totals, summed_ps(totals, spent))]
    table = _top(spent, totals, top, paint)
    return [paint.bold(head), *indented([*facts, *notes]), *([""] if table else []), *indented(table)]


def unfit_notes(reasons: Iterable[str]) -> list[str]:
    """Return what is said of a profile that is shown, but from which nothing is planned."""
    return [f"for looking only, nothing is planned from it: {reason}" for reason in reasons]


def _facts(execution: Execution, totals: Totals, total_ps: int | None) -> Iterator[tuple[str, str]]:
    yield "sha256", execution.sha256
    if execution.versions:
        yield "versions", one_line(", ".join(f"{name} {version}" for name, version in execution.versions.items()))
    yield from (("device", device_text(device)) for device in execution.devices)
    if execution.rank is not None:
        yield "rank", f"{execution.rank}{'' if execution.world_size is None else f' of {execution.world_size}'}"
    if totals.kernels:
        yield _KINDS[execution.granularity.value], f"{totals.kernels:,} with {counted(totals.distinct_names, 'distinct name')}"
        yield "sum", "unknown, as no row has a time" if total_ps is None else microseconds(total_ps)
    yield from _times(execution, totals)
    if totals.hbm_bytes is not None:
        yield "HBM bytes", rounded_bytes(totals.hbm_bytes, totals.hbm_tolerance_bytes)
    if execution.dropped:
        yield "dropped", one_line(", ".join(f"{number:,} {reason}" for reason, number in execution.dropped.items()))


def _times(execution: Execution, totals: Totals) -> Iterator[tuple[str, str]]:
    if totals.union_ps is not None:
        yield "union", microseconds(totals.union_ps) + _busy(totals)
    if totals.span_ps is not None:
        yield "span", microseconds(totals.span_ps)
    if execution.replays:
        hidden = sum(replay.duration_ps for replay in execution.replays)
        yield (
            "replays",
            f"{counted(len(execution.replays), 'graph replay')} of {microseconds(hidden)}, whose kernels the file does not show",
        )
    if execution.iterations_ps:
        middle = sorted(execution.iterations_ps)[(len(execution.iterations_ps) - 1) // 2]
        yield "iterations", f"{len(execution.iterations_ps):,} of the whole engine, median {microseconds(middle)}"


def summed_ps(totals: Totals, spent: Sequence[Spent]) -> int | None:
    """Return the time of all rows, None where none has one: unknown is not zero."""
    return totals.sum_ps if any(one.total_ps is not None for one in spent) else None


def _busy(totals: Totals) -> str:
    if len(totals.busy_ps) < 2:
        return ""
    return f" (busy: {', '.join(f'device {device} {microseconds(busy)}' for device, busy in totals.busy_ps.items())})"


def device_text(device: ObservedDevice) -> str:
    """Return a GPU as its profiler describes it."""
    known = [f"{device.number}: {one_line(device.name or 'name not stated')}"]
    known += [] if device.sms is None else [counted(device.sms, "SM")]
    known += [] if device.compute_capability is None else [f"compute capability {one_line(device.compute_capability)}"]
    return ", ".join(known)


def _top(spent: Sequence[Spent], totals: Totals, top: int, paint: Paint) -> list[str]:
    if not spent or not top:
        return []
    # Only Nsight Compute knows memory traffic: in other files the column would be empty.
    has_traffic = any(one.hbm_bytes is not None for one in spent)
    columns = [*_COLUMNS, *([_TRAFFIC] if has_traffic else []), _KERNEL]
    lines = aligned(columns, [_row(one, totals, has_traffic=has_traffic) for one in spent[:top]], paint)
    more = len(spent) - top
    return [*lines, *([f"and {counted(more, 'more kernel')} or other launch shapes"] if more > 0 else [])]


def _row(one: Spent, totals: Totals, *, has_traffic: bool) -> list[str]:
    time = "" if one.total_ps is None else US.number(one.total_ps)
    share = percent(Fraction(one.total_ps, totals.sum_ps)) if one.total_ps is not None and totals.sum_ps else ""
    traffic = [] if not has_traffic else ["" if one.hbm_bytes is None else rounded_bytes(one.hbm_bytes, one.hbm_tolerance_bytes)]
    return [time, share, f"{one.launches:,}", *shape_cells(one.shape), *traffic, kernel_name(one.shape)]


def rounded_bytes(number: int, tolerance: int) -> str:
    """Return a number of bytes, with what it may be off by where the file rounds it."""
    return f"{number:,}" + (f" ± {tolerance:,}" if tolerance else "")


def shape_cells(shape: KernelShape) -> list[str]:
    """Return CTAs, threads, registers and shared memory; what is not known stays empty."""
    figures = (shape.ctas, shape.threads, shape.registers, shape.shared_bytes)
    return ["" if figure is None else f"{figure:,}" for figure in figures]


def kernel_name(shape: KernelShape) -> str:
    """Return the name of a kernel, cut where it is too long for a line."""
    return shortened_name(shape.name)
