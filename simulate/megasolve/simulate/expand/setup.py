"""What an expansion is made for: the mechanisms that are on, the rates of the device, and the machine that runs the tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import PS_PER_SECOND
from megasolve.contracts.limits.workers import entry_registers, in_flight_bytes, worker_space_bytes
from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.device import Device
from megasolve.contracts.model.errors import MegasolveError

from ..events.switches import Switches
from ..tiles.machine import TileMachine


class ExpansionError(MegasolveError):
    """A program that cannot be expanded: a time, a rate or an operator is missing, or its grids do not fit together."""


class TooManyTiles(ExpansionError):
    """A program with more tiles, or more arrivals at counters, than the limit; *count* is how many there would be."""

    def __init__(self, what: str, count: int, limit: int) -> None:
        super().__init__(f"{count:,} {what} > {limit:,}; declare larger tiles, smaller shapes, or repeat a block instead of listing it")
        self.count = count
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Mechanisms(Switches):
    """The mechanisms that work on tiles, those of paper, Table I, first; each can be switched off by its name.

    *readiness*: tiles wait for tiles, not for whole operators. *prefetch*: weights are staged ahead. *forwarding*: forwarded
    tensors stay on chip. *port*: one SM pulls no more than its port lets through. *synchronization*: waits cost time.
    *one_geometry*: a region has one geometry per family. *register_limit*: only times at the entry's register limit count.
    *in_flight*: a CTA draws no more than it has under way per latency. *data_edges*, *queue_edges* and *task_cost*: what it costs to
    see the data of another worker, to turn to the next tile, and to run a tile at all, where the contract tells these apart; all are
    off with *synchronization*. *static_order*: tiles run where the contract says, not on the first free worker. *l2*: what stays in L2
    by the rule of `staying_of` does not pass the queue. *library*: products that come from a library have its tiles, not those that they
    state beside it. *pipelining*: such a tile, or one that is said to be pipelined, computes on what has come of its load.
    """

    readiness: bool = True
    prefetch: bool = True
    forwarding: bool = True
    port: bool = True
    synchronization: bool = True
    one_geometry: bool = True
    register_limit: bool = True
    in_flight: bool = True
    data_edges: bool = True
    queue_edges: bool = True
    task_cost: bool = True
    static_order: bool = True
    l2: bool = True
    library: bool = True
    pipelining: bool = True


@dataclass(frozen=True, slots=True)
class DeviceRates:
    """What expansion must know of the device.

    *workers* are the CTAs of the budget, *flops_per_s* the dense rate of one of them (None: unknown), *registers* what a
    thread of the entry can hold (None: the launch does not state its threads). *l2_bytes* is the size of the L2, where the contract counts
    on it; *space_bytes* what a worker can stage and *worker_bytes_per_s* what it can draw (None: without limit). *sm_flops_per_s* is the
    dense rate of a whole SM, by which libraries are fed.
    """

    workers: int
    bandwidth_bytes_per_s: int
    flops_per_s: Fraction | None = None
    registers: int | None = None
    l2_bytes: int | None = None
    space_bytes: int | None = None
    worker_bytes_per_s: Fraction | None = None
    sm_flops_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what one group's operators are sized and timed."""

    symbols: Mapping[str, int]
    rates: DeviceRates
    mechanisms: Mechanisms


def supported(contract: Contract, mechanisms: Mechanisms) -> Mechanisms:
    """Return those of *mechanisms* that *contract* can have: kernels end between operators, and a grid barrier is a barrier."""
    # Each operator is a kernel of its own: it starts when the one before has ended, and finds nothing on chip (section IV-B).
    if contract.backend == "conventional":
        return mechanisms.without("readiness", "prefetch", "forwarding", "synchronization", "one_geometry", "static_order")
    # All CTAs meet between operators, so no tile can start on what only some of them have finished.
    if contract.synchronization is not None and contract.synchronization.kind == "grid_barrier":
        return mechanisms.without("readiness")
    return mechanisms


def device_rates(contract: Contract, device: Device, workers: int) -> DeviceRates:
    """Return the rates of *device* for *workers* CTAs of *contract*."""
    dense = device.dense_flops_per_s
    # A worker has its share of an SM, not of the device: fewer workers do not make each of them faster.
    per_worker = None if dense is None else Fraction(dense, device.sms * contract.launch.ctas_per_sm)
    l2_bytes = device.l2_bytes if contract.stays_in_l2 else None
    under_way, latency_ps = in_flight_bytes(contract), device.hbm_latency_ps
    return DeviceRates(
        workers,
        device.hbm_sustained_bytes_per_s,
        per_worker,
        entry_registers(contract, device),
        l2_bytes,
        worker_space_bytes(contract, device),
        Fraction(under_way * PS_PER_SECOND, latency_ps) if under_way is not None and latency_ps else None,
        None if dense is None else dense / device.sms,
    )


def tile_machine(contract: Contract, device: Device, workers: int, mechanisms: Mechanisms | None = None) -> TileMachine:
    """Return what *workers* CTAs of *contract* run their tiles on.

    Waits cost nothing here: expansion adds what the contract charges for them to the tiles and their counters.
    """
    enabled = supported(contract, Mechanisms() if mechanisms is None else mechanisms)
    waiting = contract.synchronization if enabled.synchronization else None
    ordered = contract.synchronization if enabled.static_order else None
    return TileMachine(
        workers=workers,
        bandwidth_bytes_per_s=device.hbm_sustained_bytes_per_s,
        port_bytes_per_s=device.sm_bytes_per_s if enabled.port else None,
        per_port=contract.launch.ctas_per_sm,
        staging_bytes=worker_space_bytes(contract, device),
        latency_ps=device.hbm_latency_ps or 0,
        in_flight_bytes=in_flight_bytes(contract) if enabled.in_flight and device.hbm_latency_ps else None,
        l2_latency_ps=device.l2_latency_ps or 0,
        queue_ps=waiting.queue_ps or 0 if waiting is not None and enabled.queue_edges else 0,
        prefetch=enabled.prefetch,
        is_static=ordered is not None and ordered.order == "static",
    )
