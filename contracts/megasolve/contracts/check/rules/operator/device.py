"""Rules for operators on a device: what a worker holds, at which rate it computes, and what no memory delivers."""

from __future__ import annotations

from collections.abc import Iterator

from ....limits.workers import worker_space_bytes
from ....model.base import PS_PER_SECOND
from ....model.contract import Contract
from ....model.device import Device
from ....model.findings import Fault, Severity
from ....model.programs.operators import ExplicitOperator, OpaqueOperator, ShapedOperator
from ....model.rules import RuleKind, rule
from ....model.wording import KeyPath, counted
from ....operators.work import staged_bytes, stored_bytes
from ....sizes.operators import AnyOperator, work_of
from ...subjects import DEVICE_SIZES
from ..wording import microseconds
from .known import Symbols, known_grids, known_size
from .paths import each_operator


@rule("OPR-19", "staging-exceeds-worker", "What a tile stages fits in the space of one worker.", RuleKind.LIMIT, on=DEVICE_SIZES)
def staging_exceeds(contract: Contract, device: Device, group: str, symbols: Symbols) -> Iterator[Fault]:
    """A tile that fits nowhere never starts. The space is the shared memory of the launch, or what a CTA can have."""
    space = worker_space_bytes(contract, device)
    whose = f"shared_bytes {space:,}" if contract.launch.shared_bytes == space else f"{space:,} B per CTA on {device.name}"
    for path, operator in each_operator(contract, group):
        for keys, stated, output in _held(operator, symbols):
            if max(stated, output) <= space:
                continue
            if stated >= output:
                what = f"a tile of '{operator.name}' stages {stated:,} B"
                message = f"{what} > {whose}; use a smaller tile, or state staging_bytes of its stages"
            else:
                message = f"a tile of '{operator.name}' holds {output:,} B of output until they are stored > {whose}; use a smaller tile"
            yield Fault(staging_exceeds, (*path, *keys), message)


def _held(operator: AnyOperator, symbols: Symbols) -> Iterator[tuple[KeyPath, int, int]]:
    """Yield what a tile of *operator* stages under each geometry, and its output, with the keys that decide it.

    A tile holds the larger of the two: the scheduler never lets it hold less than its output.
    """
    if isinstance(operator, ShapedOperator):
        yield from _held_shaped(operator, symbols)
    elif isinstance(operator, ExplicitOperator):
        yield from _held_explicit(operator)


def _held_shaped(operator: ShapedOperator, symbols: Symbols) -> Iterator[tuple[KeyPath, int, int]]:
    operator = operator.as_stated
    # A library launches only what fits.
    if operator.library:
        return
    stated = operator.staging_bytes
    yield from _stated(stated or ())
    for index, grid in enumerate(known_grids(operator, symbols)):
        work, keys = work_of(operator, symbols), ("tile", index) if operator.tile else ("shape",)
        if stated is None:
            yield keys, staged_bytes(work, grid), 0
        elif (output := stored_bytes(work, grid)) > stated[min(index, len(stated) - 1)]:
            yield keys, 0, output


def _held_explicit(operator: ExplicitOperator) -> Iterator[tuple[KeyPath, int, int]]:
    """Yield the largest of what its tiles hold; a list of the wrong length is another rule's."""
    stated, outputs = operator.staging_bytes, operator.output_bytes
    if stated is None:
        yield ("tiles",), max(_sums(operator)), 0
        return
    yield from _stated(stated)
    largest = max(outputs)
    if largest > max(stated):
        yield ("output_bytes", outputs.index(largest)) if len(outputs) > 1 else ("output_bytes",), 0, largest


def _stated(series: tuple[int, ...]) -> Iterator[tuple[KeyPath, int, int]]:
    yield from ((("staging_bytes", index) if len(series) > 1 else ("staging_bytes",), size, 0) for index, size in enumerate(series))


def _sums(operator: ExplicitOperator) -> list[int]:
    parts = (operator.weight_bytes, operator.activation_bytes, operator.output_bytes)
    longest = max(map(len, parts))
    return [sum(series[min(tile, len(series) - 1)] for series in parts) for tile in range(longest)]


@rule("OPR-21", "opaque-faster-than-physics", "No opaque kernel moves its HBM bytes faster than the peak bandwidth.", on=DEVICE_SIZES)
def opaque_too_fast(contract: Contract, device: Device, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Bytes over the peak bandwidth are the least time. The kernel may have been observed on a faster device: a warning."""
    peak = device.hbm_peak_bytes_per_s
    for path, operator in each_operator(contract, group):
        moved = known_size(operator.hbm_bytes, symbols, 0) if isinstance(operator, OpaqueOperator) else None
        if not isinstance(operator, OpaqueOperator) or moved is None:
            continue
        least_ps = -(-moved * PS_PER_SECOND // peak)
        if least_ps > operator.duration_ps:
            message = (
                f"{counted(moved, 'byte')} at the peak of {peak:,} bytes/s take {microseconds(least_ps)}, "
                f"'{operator.name}' says {microseconds(operator.duration_ps)}; count only bytes that pass HBM, or time it on {device.name}"
            )
            yield Fault(opaque_too_fast, (*path, "hbm_bytes"), message, severity=Severity.WARNING)


@rule("OPR-24", "no-compute-rate", "Where a tile has no time, the device has a dense rate to derive it from.", on=DEVICE_SIZES)
def rate_missing(contract: Contract, device: Device, group: str, symbols: Symbols) -> Iterator[Fault]:
    """Flops have no time on a device whose dense rate is unknown. Records may serve there instead, so it is a warning."""
    if device.dense_flops_per_s is not None:
        return
    for path, operator in each_operator(contract, group):
        is_timed = not isinstance(operator, ShapedOperator) or operator.compute_ps is not None or operator.compute_at
        if not is_timed and known_grids(operator, symbols) and work_of(operator, symbols).flops:
            message = f"'{operator.name}' has no compute_us, and {device.name} no dense_flops_per_s to derive it from; add one of the two"
            yield Fault(rate_missing, path, message, severity=Severity.WARNING)
