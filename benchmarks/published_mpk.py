"""One model built two ways on a B200: MPK's persistent kernel, task by task, and the graphs of vLLM, stage by stage (checks K1 to K8)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache

from megasolve.contracts import PS_PER_US, Contract, Synchronization
from megasolve.simulate.tiling import TileSchedule, device_rates, expand, lower_bounds, schedule_tiles, tile_machine
from megasolve.solver import solve

from .mpk_program import Build, contract_of
from .mpk_stages import BATCHES, STAGES, WORKERS
from .published_derived import NoTime, derived_us, shipped_study
from .published_premises import with_operators
from .published_row import Mark, Published, Row

MPK = "mirage-project/mirage, demo/qwen3_5/accept/opt: Qwen3.5-35B-A3B-FP8 on a B200"
STEP = Published("K1", MPK, "us")
STEPS_US = {1: 5781.4, 8: 8272.9, 16: 10257.4}
"""With the profiler on, as the times of the tasks are."""

ONE = Published("K2", MPK, "us")
ONE_COST_US = Decimal("1.637")
"""The wait of the Llama fit on an H100, which every counter cost before."""

MORE_WORKERS = 136
AS_PUBLISHED = "task times by stage and 1.15 and 1.57 us an edge as published for each batch; nothing is fitted"
SPREAD = "tasks of one stage differ: the path by their own times is 9.8 % longer at batch 8 than by means"


@cache
def step_us(batch: int, workers: int = WORKERS) -> float:
    """Return the simulated step of the shipped contract at *batch*."""
    study = shipped_study(f"published/mpk_qwen35_bs{batch}")
    return derived_us(study, "D_mpk", "D", batch=batch, workers=workers)


def built_us(build: Build, workers: int = WORKERS) -> float:
    """Return the simulated step of another build."""
    return scheduled_us(contract_of(build), build.batch, workers)


def scheduled_us(contract: Contract, batch: int, workers: int = WORKERS) -> float:
    """Return the simulated step of *contract* at *batch*.

    Raises
    ------
    NoTime
        The schedule deadlocks.
    """
    device = shipped_study("published/mpk_qwen35_bs1").device.value
    rates = device_rates(contract, device, workers)
    schedule = schedule_tiles(expand(contract, "D", {"batch": batch}, rates), tile_machine(contract, device, workers))
    if not isinstance(schedule, TileSchedule):
        raise NoTime(str(schedule))
    return schedule.makespan_ps / PS_PER_US


def mpk_rows() -> list[Row]:
    """Return K1 to K5 and K8: the step, its bounds, more workers, fusions, and a gain inside."""
    return [*_step_rows(), *_constant_rows(), *_bound_rows(), *_worker_rows(), *_fusion_rows(), *inside_rows()]


def _step_rows() -> list[Row]:
    why = {8: SPREAD}
    return [
        STEP.predicted(
            f"step at batch {batch}, 128 workers",
            theirs,
            step_us(batch),
            basis=AS_PUBLISHED,
            reason=why.get(batch, ""),
            before=scheduled_us(_one_cost(Build(batch, has_events=False)), batch),
        )
        for batch, theirs in STEPS_US.items()
    ]


def _one_cost(build: Build) -> Contract:
    """Return the contract as it was written before edges had costs of their own: one cost a counter, tiles on any free worker."""
    # However many counters it takes to write an event down, it was one wait.
    once = with_operators(contract_of(build), lambda one: one.model_copy(update={"waits": min(1, len(one.after))}))
    return once.model_copy(update={"synchronization": Synchronization.model_validate({"kind": "counters", "cost_us": ONE_COST_US})})


def _constant_rows() -> list[Row]:
    """K2: one cost of every wait, fitted to batch 1."""
    constant = fitted_wait_us()
    basis = f"one cost of {constant:.3f} us for both kinds of edges, from batch 1"
    rows = []
    for batch, theirs in STEPS_US.items():
        ours = built_us(Build(batch, data_us=constant, queue_us=constant))
        row = ONE.fitted if batch == 1 else ONE.predicted
        rows.append(row(f"step at batch {batch} with one constant", theirs, ours, basis=basis))
    return rows


@cache
def fitted_wait_us() -> float:
    """Return the one cost of every wait that reproduces batch 1, to a nanosecond."""
    low, high = 0.0, 2.0
    while high - low > 0.0005:
        middle = round((low + high) / 2, 4)
        if built_us(Build(1, data_us=middle, queue_us=middle)) > STEPS_US[1]:
            high = middle
        else:
            low = middle
    return round(low, 3)


BOUND = Published("K3", MPK, "us")
WORK_US = {1: 262570.5, 8: 555859.2, 16: 779952.3}
PATH_US = {1: 4138.3, 8: 4803.0, 16: 5484.2}


def _bound_rows() -> list[Row]:
    """K3: all tasks together with what events cost, and the longest path with neither waits nor events."""
    work = ((f"all tasks at batch {batch}, worker time", theirs, bounds_us(Build(batch))[1]) for batch, theirs in WORK_US.items())
    bare = {batch: Build(batch, has_events=False, data_us=0.0, queue_us=0.0) for batch in BATCHES}
    paths = ((f"longest path at batch {batch}", theirs, bounds_us(bare[batch])[0]) for batch, theirs in PATH_US.items())
    return [BOUND.predicted(*row) for row in (*work, *paths)]


def bounds_us(build: Build) -> tuple[float, float]:
    """Return the longest path and the sum of all tasks."""
    contract, device = contract_of(build), shipped_study("published/mpk_qwen35_bs1").device.value
    program = expand(contract, "D", {"batch": build.batch}, device_rates(contract, device, 1))
    bounds = lower_bounds(program, tile_machine(contract, device, 1))
    return bounds.path_ps / PS_PER_US, bounds.work_ps / PS_PER_US


CHANGE = Published("K4", MPK, "")


def percent_row(of: Published, figure: str, theirs: float, ours: float, *, basis: str = "", reason: str = "") -> Row:
    """Return the row of a change in percent; an error relative to a change says nothing, so there is none."""
    return Row(of.table, figure, f"{theirs:+.2f} %", f"{ours:+.2f} %", Mark.PREDICTED, of.source, basis=basis, reason=reason)


def _worker_rows() -> list[Row]:
    basis = "task times of 128 workers; measured as waves of whole requests, whose other parts change otherwise"
    change = {batch: (step_us(batch, MORE_WORKERS) / step_us(batch) - 1) * 100 for batch in BATCHES}
    figure = "136 workers in place of 128, batch"
    others = (
        Row(CHANGE.table, f"{figure} {batch}", "not measured", f"{change[batch]:+.2f} %", Mark.PREDICTED, CHANGE.source, basis="not judged")
        for batch in BATCHES[:2]
    )
    return [*others, percent_row(CHANGE, f"{figure} 16", -6.21, change[16], basis=basis)]


ARMS = {
    "F, activation and quantizing": (frozenset({"silu"}), (3.2, 0.3, 0.6)),
    "N, norm and quantizing": (frozenset({"norm"}), (1.6, -0.3, -1.4)),
    "G, recurrence and quantizing": (frozenset({"recurrent"}), (1.8, 0.2, -0.1)),
    "S, all three": (frozenset({"silu", "norm", "recurrent"}), (2.6, 2.1, 0.4)),
}
FUSION = Published("K5", MPK, "")
SHORTER = "a chain with fewer tasks is shorter here; how much longer a fused task holds its worker is not in the times of arm A"


def _fusion_rows() -> list[Row]:
    """K5: how much faster each arm is, from the tasks of arm A: a fused task does both without the cost of a second one."""
    rows = []
    for arm, (fused, published) in ARMS.items():
        for batch, theirs in zip(BATCHES, published, strict=True):
            gain = (step_us(batch) / built_us(Build(batch, fused=fused)) - 1) * 100
            rows.append(
                percent_row(FUSION, f"gain of {arm}, batch {batch}", theirs, gain, reason=SHORTER if abs(theirs - gain) > 1 else "")
            )
    return rows


INSIDE = Published("K8", MPK, "")
BODIES = {"w13": (18.087, 19.238, -19.88, -7.40), "w2": (11.788, 12.822, -13.55, -12.18)}
STEP_CHANGE = -0.23
UPPER = "a gain alone is an upper bound: inside, a task's loads share memory with other stages, which a time per task does not know"


def inside_rows() -> list[Row]:
    """K8: two kernels that are faster alone, as tasks: what a task costs beside its body stays."""
    faster = {stage: 1 + body / task * alone / 100 for stage, (body, task, alone, _) in BODIES.items()}
    rows = [
        percent_row(INSIDE, f"{stage} as a task, {alone:.1f} % faster alone", inside, (faster[stage] - 1) * 100, reason=UPPER)
        for stage, (_, _, alone, inside) in BODIES.items()
    ]
    change = (built_us(Build(16, faster=faster), MORE_WORKERS) / built_us(Build(16), MORE_WORKERS) - 1) * 100
    return [*rows, percent_row(INSIDE, "step with both, batch 16, 136 workers", STEP_CHANGE, change, reason=UPPER)]


CUT = Published("K6", MPK, "stages")
GRAPHS = Published("K7", "the same, vLLM 0.25.1 with CUDA graphs", "us")
GRAPH_STEPS_US = {1: 3502.0, 8: 4727.0, 16: 5301.0}
KERNEL_SUM_US = {1: 5140.3, 8: 6656.3, 16: 7175.7}
"""The sum of all kernels of a step, which is no duration: two streams overlap."""

SPAN_US = {
    "dense": (1528.4, 1353.5),
    "linear": (875.6, 609.27),
    "w13": (683.5, 336.56),
    "w2": (406.6, 300.66),
    "topk": (372.3, 147.86),
    "combine": (250.6, 174.1),
    "silu": (188.0, 273.64),
    "gate": (239.1, 429.61),
    "quantize": (547.7, 559.28),
    "conv": (180.6, 89.61),
    "recurrent": (221.9, 163.65),
    "attention": (639.1, 133.57),
    "norm": (202.0, 557.82),
}
LEFT_TO_GRAPHS = frozenset({"dense", "linear", "w13", "w2", "topk", "combine", "conv", "recurrent", "attention"})


def cut_rows() -> list[Row]:
    """Return K6, of which stages the graph is quicker at batch 1, stage by stage, and K7."""
    quicker = {stage: mega - graph for stage, (mega, graph) in SPAN_US.items() if graph < mega}
    assert quicker.keys() <= STAGES[1].keys()
    told = ", ".join(sorted(quicker, key=lambda stage: -quicker[stage])[:2])
    basis = f"spans of the stages in the megakernel, sums of kernels in the graphs; most on {told}"
    return [
        CUT.predicted("stages that graphs run quicker, batch 1", len(LEFT_TO_GRAPHS), len(quicker), basis=basis),
        *_graph_rows(),
    ]


def _graph_rows() -> list[Row]:
    basis = "kernels by stage; the shared expert on a second stream inside the step (specs/published/vllm_qwen35), where both fit; no gaps"
    reason = "the kernels were timed under a profiler, which alone adds 2 %; what else overlaps is not published"
    return [
        GRAPHS.predicted(f"step of the graphs at batch {batch}", theirs, graph_step_us(batch), basis=basis, reason=reason)
        for batch, theirs in GRAPH_STEPS_US.items()
    ]


def graph_step_us(batch: int) -> float:
    """Return the step of the graphs with the shared expert on a second stream, as the shipped spec has it."""
    return planned_steps_us(batch)["c:mixer/c:routed/c:shared/c:combine/c:head@streams:inside"]


@cache
def planned_steps_us(batch: int) -> Mapping[str, float]:
    """Return the step of each candidate of the graphs."""
    (result,) = solve(shipped_study("published/vllm_qwen35"), batches=[batch]).results
    return {row.id: float(row.score_ps / PS_PER_US) for row in result.ranking}
