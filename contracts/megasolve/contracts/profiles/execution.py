"""One model of an execution behind every profile format: which kernels ran, when, where and in what shape.

Every time is a whole number of picoseconds, read from the decimal text of the file and never through a float. What a file does not
say is None, never 0: a column without values tells as much as a missing one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import Any, NamedTuple

Dim3 = tuple[int, int, int]

RECOVERED = "recovered:"
"""How notes begin that say what was done to a damaged file."""


class Format(Enum):
    """The formats that are read; the value is how users see it."""

    NSYS_SQLITE = "nsys sqlite"
    NSYS_GPU_TRACE = "nsys cuda_gpu_trace CSV"
    NSYS_EXEC_TRACE = "nsys cuda_kern_exec_trace CSV"
    NSYS_KERN_SUM = "nsys cuda_gpu_kern_sum CSV"
    KINETO = "Kineto trace"
    TENSORRT_PROFILE = "TensorRT profile"
    TENSORRT_LAYERS = "TensorRT layer information"
    TENSORRT_TIMES = "TensorRT times"
    NCU_DETAILS = "ncu details CSV"
    NCU_RAW = "ncu raw CSV"


class Granularity(Enum):
    """What one row of the file stands for: a kernel, a whole graph replay whose kernels are hidden, or a layer of an engine."""

    KERNEL = "kernel"
    GRAPH = "graph"
    LAYER = "layer"


@dataclass(frozen=True, slots=True)
class KernelShape:
    """What every launch of one kernel configuration shares; one object for all of them.

    *shared_bytes* is static plus dynamic shared memory; formats that give only the sum leave the parts None. A format that rounds it
    says by how many bytes it may be off in *shared_tolerance_bytes*. Formats that give a grid or a block only as a product have it in
    *grid_ctas* or *block_threads*, and no sides.
    """

    name: str
    grid: Dim3 | None = None
    block: Dim3 | None = None
    registers: int | None = None
    static_shared_bytes: int | None = None
    dynamic_shared_bytes: int | None = None
    shared_bytes: int | None = None
    shared_tolerance_bytes: int = 0
    cluster_ctas: int | None = None
    grid_ctas: int | None = None
    block_threads: int | None = None

    @property
    def ctas(self) -> int | None:
        """The thread blocks of the grid."""
        return self.grid_ctas if self.grid is None else prod(self.grid)

    @property
    def threads(self) -> int | None:
        """The threads of a block."""
        return self.block_threads if self.block is None else prod(self.block)


@dataclass(frozen=True, slots=True)
class Site:
    """Where a kernel ran; one object for all kernels of a stream. *process* tells equal correlation numbers apart."""

    device: int | None = None
    context: int | None = None
    stream: int | None = None
    process: int | None = None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """The CUDA graph that a kernel was replayed in: the graph's number and the captured node's, as far as the file has them."""

    graph: int | None = None
    node: int | None = None


# Tuples: a profile may have millions of spans and kernels, and a frozen dataclass takes three times as long to make.
class Span(NamedTuple):
    """An annotation of the host (NVTX range, user annotation, step marker), a capture window or profiler overhead."""

    name: str
    start_ps: int
    end_ps: int
    process: int | None = None
    thread: int | None = None


class LaunchCall(NamedTuple):
    """When the host called for a launch; one object for all kernels of a graph's launch."""

    start_ps: int
    end_ps: int


Operands = tuple[tuple[Any, ...], ...]
"""The sizes of each operand of an operator: of a tensor its sides, of a list of tensors those of each; () for what has none."""


class OperatorCall(NamedTuple):
    """One call of an operator of the framework, by *number*: its *operands* with their *types*, and *concrete* values of what is no tensor.

    One object for all kernels that it launched.
    """

    number: int
    name: str
    operands: Operands
    types: tuple[str, ...] = ()
    concrete: tuple[str, ...] = ()


class Captured(NamedTuple):
    """A launch that was captured into a graph (number *capture* of the file) and ran nowhere; *kernel* is the name of what it launches."""

    capture: int
    kernel: str | None
    operator: OperatorCall | None = None


class Interval(NamedTuple):
    """Time of a copy or fill on *device*, or of a call in which the host waited for the device (of no device in particular)."""

    start_ps: int
    end_ps: int
    device: int | None = None


class Kernel(NamedTuple):
    """One launch of a kernel. *ranges* are the annotations around its launch call, outermost first: one object for each of them.

    *row* is the row, event or line of the file that it stands on, for messages. A kernel that was profiled one by one (ncu) has no
    start, and its duration is no run time. *hbm_bytes* may be off by *hbm_tolerance_bytes* where the file rounds them. *operator* is what
    launched it, where the file recorded shapes, and *modules* are the layers of the model around that, outermost first.
    """

    shape: KernelShape
    site: Site
    start_ps: int | None
    duration_ps: int | None
    row: int
    correlation: int | None = None
    graph: GraphNode | None = None
    ranges: tuple[Span, ...] = ()
    hbm_bytes: int | None = None
    hbm_tolerance_bytes: int = 0
    call: LaunchCall | None = None
    operator: OperatorCall | None = None
    modules: tuple[str, ...] = ()

    @property
    def end_ps(self) -> int | None:
        """The end, where start and duration are known."""
        return None if self.start_ps is None or self.duration_ps is None else self.start_ps + self.duration_ps


@dataclass(frozen=True, slots=True)
class Summary:
    """Many launches (or iterations of a layer) that the file gives only in sum."""

    shape: KernelShape
    instances: int
    total_ps: int
    row: int
    mean_ps: int | None = None
    median_ps: int | None = None
    minimum_ps: int | None = None
    maximum_ps: int | None = None


@dataclass(frozen=True, slots=True)
class GraphReplay:
    """One replay of a CUDA graph as a single row: its kernels are in no table, so it is opaque."""

    site: Site
    start_ps: int
    duration_ps: int
    row: int
    graph: int | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """The launches of kernels and graphs that the host called for.

    Of all *calls*, no kernel is in the file for those *captured* into a graph, and for those *lost*.
    """

    calls: int
    captured: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class ObservedLimits:
    """What a profiler says of the limits of a GPU, None where it does not; *generation* is its compute capability, of whichever maker."""

    generation: str | None = None
    threads_per_warp: int | None = None
    ctas_per_sm: int | None = None
    threads_per_sm: int | None = None
    threads_per_cta: int | None = None
    registers_per_sm: int | None = None
    registers_per_cta: int | None = None
    shared_bytes_per_sm: int | None = None
    shared_bytes_per_cta: int | None = None
    l2_bytes: int | None = None
    memory_bytes: int | None = None
    memory_bytes_per_s: int | None = None


@dataclass(frozen=True, slots=True)
class ObservedDevice:
    """A GPU as the profiler describes it; *limits* are no part of which one it is."""

    number: int
    name: str | None = None
    sms: int | None = None
    compute_capability: str | None = None
    limits: ObservedLimits = field(default=ObservedLimits(), compare=False)


@dataclass(frozen=True, slots=True)
class Execution:
    """Everything that one profile says about what ran.

    *kernels* are in order of start (those without one in the order of the file). *annotations*, *captures* and *overheads* are spans
    of host time on the same clock. *iterations_ps* are whole runs of an engine (TensorRT times). *dropped* counts what was left
    out, by reason; *notes* are sentences for the user. *copies* are those of the device, *synchronizations* calls in which the host waited
    for it, and *called* what it launched, None where the file has no calls; *captured* are the launches that went into graphs. *unfit* says
    why nothing can be planned from it, although it may be shown. *versions* names the tool, its schema and the like; nothing in here comes
    from the environment, the host or the user of the profiled process.
    """

    file: str
    sha256: str
    format: Format
    granularity: Granularity
    kernels: tuple[Kernel, ...] = ()
    summaries: tuple[Summary, ...] = ()
    replays: tuple[GraphReplay, ...] = ()
    annotations: tuple[Span, ...] = ()
    captures: tuple[Span, ...] = ()
    overheads: tuple[Span, ...] = ()
    iterations_ps: tuple[int, ...] = ()
    devices: tuple[ObservedDevice, ...] = ()
    rank: int | None = None
    world_size: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    copies: tuple[Interval, ...] = ()
    synchronizations: tuple[Interval, ...] = ()
    called: Called | None = None
    captured: tuple[Captured, ...] = ()
    unfit: tuple[str, ...] = ()

    @property
    def is_timeline(self) -> bool:
        """Whether kernels have a start and a run time; a file of summaries or of single profiled kernels is none."""
        return self.format in _TIMELINES

    @property
    def is_capture(self) -> bool:
        """Whether it is the trace of a capture: what was captured ran nowhere in it."""
        return len(self.captured) > len(self.kernels)

    @property
    def is_recovered(self) -> bool:
        """Whether anything in it was recovered, so that the file as it stands is refused."""
        return any(note.startswith(RECOVERED) for note in self.notes)

    @property
    def is_profiled(self) -> bool:
        """Whether kernels were profiled one by one (ncu): what they need is measured, but their times are no run times."""
        return self.format in _PROFILED

    def shapes(self) -> Iterator[KernelShape]:
        """Yield the shape of every kernel or summary, in order."""
        yield from (kernel.shape for kernel in self.kernels)
        yield from (summary.shape for summary in self.summaries)


_PROFILED = frozenset({Format.NCU_DETAILS, Format.NCU_RAW})
_TIMELINES = frozenset({Format.NSYS_SQLITE, Format.NSYS_GPU_TRACE, Format.NSYS_EXEC_TRACE, Format.KINETO})
