"""The contract file: what one compiled kernel is, holds and needs, one file per kernel; and what one that nobody built would be like."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from .base import (
    TAG,
    Budget,
    Bytes,
    CostPs,
    Count,
    CountOrZero,
    EntryName,
    Frozen,
    GapPs,
    Ignored,
    Name,
    ObjectName,
    Relative,
    Sha256,
    Text,
    Tree,
    counts_of,
    list_or_word,
)
from .device import LaunchKind
from .programs.operators import Block, HandOff, Tensors

Backend = Literal["conventional", "megakernel"]
Looped = Literal["repeat", "steps"]
DERIVED = "derived"


def _number_or_word(value: object) -> str:
    # A number in quotes is told as one that should have none.
    is_word = isinstance(value, str) and not value[:1].isdigit()
    return TAG + ("word" if is_word else "number")


_InFlight = Annotated[Bytes, Field(ge=1), Tag(TAG + "number")]
InFlight = Annotated[_InFlight | Annotated[Literal["derived"], Tag(TAG + "word")], Discriminator(_number_or_word)]
PolicyKind = Literal["serial", "fixed", "dynamic", "partition", "streams"]


class Role(Frozen):
    """Warps of one role in a warp-specialised kernel; *registers* is what `setmaxnreg` leaves each of its threads."""

    name: Name
    threads: Count
    registers: Count


class Launch(Frozen):
    """The launch shape of the entry. *registers* is the compiled count per thread; *unverified* says why it is unknown."""

    threads: Count | None = None
    registers: Count | None = None
    roles: tuple[Role, ...] = ()
    ctas_per_sm: Count = 1
    cluster_ctas: Count = 1
    cooperative: bool = False
    shared_bytes: Bytes = 0
    unverified: Text | None = None


class Dispatch(Frozen):
    """What one launch of this entry costs, by kind; a figure given here replaces the device's, it never adds to it.

    A negative *gap_us* says by how much each conventional kernel starts before the one ahead of it has ended. *dependent* kernels of a
    graph are launched while the one ahead still runs (programmatic dependent launch): their gap is their own, not that of plain nodes.
    *ramp_us* is what each of them takes beside its work; times that do not hold it, such as derived ones, get it added.
    """

    kind: LaunchKind
    host_waits: bool
    host_ps: CostPs | None = Field(None, alias="host_us")
    exposed_ps: CostPs | None = Field(None, alias="exposed_us")
    gap_ps: GapPs | None = Field(None, alias="gap_us")
    dependent: bool = False
    ramp_ps: CostPs | None = Field(None, alias="ramp_us")

    @property
    def holds_launch_cost(self) -> bool:
        """Whether *gap_ps* was measured before each kernel of a stream: launch costs are then in it, unless they are stated."""
        return self.gap_ps is not None and self.kind != "graph"


class Partition(Frozen):
    """A contract that partitions SMs says by which mechanism; a plain CTA budget inside a persistent kernel needs none."""

    mechanism: Literal["green_context", "mps"]
    same_split: bool = False
    percentage: Annotated[int, Field(ge=1, le=100)] | None = None


class Placement(Frozen):
    """What makes the CTAs of an entry with several per SM fill one SM before the next: *packed* says it in words.

    A cluster, one launch whose roles share SMs, or an SM partition does so; by itself the hardware takes the emptiest SM.
    """

    packed: Text


class Storage(Frozen):
    """What stays on chip and what is forwarded inside the entry, and the call and storage policy by name."""

    policy: Name | None = None
    on_chip: tuple[Name, ...] = ()
    forwarded: tuple[Name, ...] = ()


class DataCosts(Frozen):
    """What it takes until a tile sees the data of another worker, by hand-off; microseconds."""

    counter: CostPs | None = None
    flag: CostPs | None = None
    shared: CostPs | None = None


def _number_or_mapping(value: object) -> str:
    return TAG + ("mapping" if isinstance(value, Mapping | DataCosts) else "number")


DataPs = Annotated[Annotated[CostPs, Tag(TAG + "number")] | Annotated[DataCosts, Tag(TAG + "mapping")], Discriminator(_number_or_mapping)]


class Synchronization(Frozen):
    """How the CTAs of the entry wait for each other, and what one wait costs.

    *barriers_per_cta* lists how often each CTA (or each class of CTAs) meets the grid barrier: the counts must be equal.
    *ordered* says that waiting CTAs come after the ones they wait for and that CTAs are dispatched in that order.
    *measured_on* names the device that the cost is from; it is no part of the context.

    In place of one cost a contract states what each kind of edge costs: *data_us* until a tile sees that what it waits for is there,
    *queue_us* from the end of a tile to the begin of the next one on the same worker, *task_us* what every tile takes beside its work.
    In static *order* the tile at position p of the program runs on worker p mod W. None of these is a part of the context.
    """

    kind: Literal["none", "grid_barrier", "counters"]
    cost_ps: CostPs = Field(0, alias="cost_us")
    measured_on: Name | None = None
    queue_ps: CostPs | None = Field(None, alias="queue_us")
    data_ps: DataPs | None = Field(None, alias="data_us")
    task_ps: CostPs | None = Field(None, alias="task_us")
    order: Literal["dynamic", "static"] = "dynamic"
    barriers_per_cta: tuple[CountOrZero, ...] = ()
    ordered: bool = False

    @property
    def edge_costs(self) -> Mapping[str, int | DataCosts | None]:
        """The costs of edges and tasks by their keys; all of them None where one cost a wait stands for all."""
        return {"queue_us": self.queue_ps, "data_us": self.data_ps, "task_us": self.task_ps}

    @property
    def prices_edges(self) -> bool:
        """Whether edges and tasks have costs of their own, in place of one cost a wait."""
        return any(cost is not None for cost in self.edge_costs.values())

    def data_cost_ps(self, hand_off: HandOff) -> int | None:
        """Return what a wait for data costs that is handed on so; None where that is not stated."""
        if isinstance(self.data_ps, DataCosts):
            found: int | None = getattr(self.data_ps, hand_off)
            return found
        return self.data_ps


class Build(Frozen):
    """Compiler, flags and register limit: part of the context, because another build is another kernel."""

    compiler: Text
    flags: tuple[str, ...] = ()
    register_limit: Count | None = None


class Source(Frozen):
    """Where the kernel's code is; records carry the same hash and are stale when it changes.

    Without a hash of its own it has that of the manifest `sources.sha256` beside the file.
    """

    file: Text
    symbol: Text | None = None
    sha256: Sha256 | None = None


class Observed(Frozen):
    """Which kernels of a profile are launches of this entry: patterns of their names, `*` and `?` as in file names."""

    kernels: Annotated[tuple[Text, ...], Field(min_length=1)]


class Contract(Frozen):
    """One kernel: its entry, members, launch, budgets, geometry, storage, synchronization and source.

    *programs* says what one call of a member executes: blocks of operators, in program order. *workload* names what compiles and launches
    the kernel to time it; only measuring imports it. *workspace_bytes* is the device memory that the entry keeps for itself, beside
    weights and state. *in_flight_bytes* are what the loads of one CTA can have under way at a time, as stated or by its geometry; they
    are no part of the context. *stays_in_l2* names the tensors that are in L2 at their next use where all that is touched between fits; no
    part of the context, either. *devices* are the devices that the kernel was built for; on any other one the entry does not exist.
    """

    megasolve: Literal["contract/v1"]
    entry: EntryName
    backend: Backend
    members: Annotated[tuple[Name, ...], Field(min_length=1)]
    title: Text | None = None
    implementation: Name | None = None
    order: CountOrZero | None = None
    devices: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    kernels: Count = 1
    grid_ctas: Count | None = None
    budgets_ctas: tuple[Budget, ...] | None = None
    budgets_clusters: tuple[Budget, ...] | None = None
    launch: Launch
    dispatch: Dispatch
    loops_on_device: bool | None = None
    loops_over: tuple[Looped, ...] | None = None
    policies: tuple[PolicyKind, ...] | None = None
    partition: Partition | None = None
    workspace_bytes: Bytes | None = None
    placement: Placement | None = None
    in_flight_bytes: InFlight | None = None
    stays_in_l2: tuple[Tensors, ...] = ()
    geometry: Mapping[str, Any] | None = None
    storage: Storage | None = None
    synchronization: Synchronization | None = None
    build: Build | None = None
    source: Source | None = None
    observed: Observed | None = None
    workload: ObjectName | None = None
    programs: Mapping[str, Annotated[tuple[Block, ...], Field(min_length=1)]] = Field(default_factory=dict)
    notes: Text | None = None
    ignore: tuple[Ignored, ...] = ()

    def is_built_for(self, device: str) -> bool:
        """Whether the entry exists on the device of this name; without *devices* it does on all."""
        return self.devices is None or device in self.devices

    @property
    def loops_over_steps(self) -> bool | None:
        """Whether one launch goes on over the steps; None where the contract does not say."""
        return self.loops_on_device if self.loops_over is None else "steps" in self.loops_over

    @property
    def loops_over_repeats(self) -> bool:
        """Whether one launch goes on over the repeats of the block that it holds."""
        return "repeat" in (self.loops_over or ())

    @property
    def budgets(self) -> tuple[int, ...]:
        """The supported budgets in CTAs, largest first; a budget in clusters counts all CTAs of them."""
        return tuple(sorted({ctas for _, ctas in self.stated_budgets}, reverse=True))

    @property
    def stated_budgets(self) -> tuple[tuple[tuple[str | int, ...], int], ...]:
        """Every supported budget in CTAs as it is written, with the path of the count, or of the range, that states it."""
        key, budgets, size = "budgets_ctas", self.budgets_ctas, 1
        if budgets is None:
            key, budgets, size = "budgets_clusters", self.budgets_clusters or (), self.launch.cluster_ctas
        return tuple(((key, index), count * size) for index, budget in enumerate(budgets) for count in counts_of(budget))

    @property
    def observed_kernels(self) -> tuple[str, ...]:
        """The patterns of the names that a profile gives to launches of this entry: as declared, else the symbol of its source."""
        if self.observed is not None:
            return self.observed.kernels
        symbol = None if self.source is None else self.source.symbol
        return () if symbol is None else (symbol,)

    @property
    def context(self) -> Mapping[str, Tree]:
        """κ: the fields that a timing depends on, as authored; an absent field matches only an absent one."""
        parts = {"launch", "geometry", "storage", "synchronization", "build"}
        # Figures of the schedule, or where one is from, tell no kernel from another.
        origins = {"launch": {"unverified"}, "synchronization": {"measured_on", "queue_ps", "data_ps", "task_ps", "order"}}
        # What is not known passes through, and is told where it is looked at.
        return self.model_dump(by_alias=True, include=parts, exclude_unset=True, exclude=origins, warnings=False)


CALIBRATED = "calibrated"
_LEAST, _MOST = Decimal("0.01"), Decimal(100)


def _efficiency(value: object) -> Decimal | str:
    if value == CALIBRATED:
        return CALIBRATED
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        raise PydanticCustomError("efficiency_type", "expected a number, or calibrated", {})
    number = Decimal(str(value))
    if not _LEAST <= number <= _MOST:
        raise PydanticCustomError("efficiency_range", "expected a number from 0.01 to 100, or calibrated", {})
    return number


_Groups = Annotated[tuple[Name, ...], Field(min_length=1), Tag(TAG + "list")]
Fused = Annotated[Annotated[Literal["any"], Tag(TAG + "word")] | _Groups, Discriminator(list_or_word)]
Efficiency = Annotated[
    Decimal | Literal["calibrated"],
    BeforeValidator(_efficiency),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0.01, "maximum": 100}, {"const": CALIBRATED}]}),
]


class AssumedLaunch(Frozen):
    """The launch shape; by default the largest of each among the kernels that are fused, where they say it."""

    threads: Count | None = None
    registers: Count | None = None
    shared_bytes: Bytes | None = None
    ctas_per_sm: Count = 1


class AssumedDispatch(Frozen):
    """What one launch costs; figures that are left out are those of the device for its kind."""

    kind: LaunchKind
    host_waits: bool = False
    host_ps: CostPs | None = Field(None, alias="host_us")
    exposed_ps: CostPs | None = Field(None, alias="exposed_us")


class Assumption(Frozen):
    """Which groups may be *fuse*d into one megakernel, or any that can be a region, and what it would be like.

    Its tiles run at *efficiency* times the speed of today's kernels, or as long as the calibrated programs of their contracts say, and
    between two stages lies one wait. *loops_over* says over what a launch stays; by default both ways are tried for a block. The output
    of operators that stay *on_chip* is neither stored nor loaded again. *accuracy* is how far the times may be off.
    """

    fuse: Fused
    launch: AssumedLaunch = Field(default_factory=AssumedLaunch)
    dispatch: AssumedDispatch | None = None
    loops_over: tuple[Looped, ...] | None = None
    wait_ps: CostPs = Field(0, alias="wait_us")
    efficiency: Efficiency = Decimal(1)
    on_chip: tuple[Name, ...] = ()
    accuracy: Relative | None = None


class Assumptions(Frozen):
    """A file of assumptions, for any spec."""

    megasolve: Literal["assume/v1"]
    assume: Annotated[tuple[Assumption, ...], Field(min_length=1)]
    ignore: tuple[Ignored, ...] = ()
