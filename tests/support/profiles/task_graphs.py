"""Task graphs of MPK and the tables of their times, built stage by stage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

NOTHING = 0x7FFFFFFFFFFFFFFE
TERMINATION, AHEAD, LAUNCHING, COUNTER, END = 911, 903, 902, 900, 910
NORM, LINEAR, ATTENTION, CONV, SILU, COMBINE, ARGMAX, EMBEDDING = 154, 253, 257, 234, 118, 261, 258, 101
NAMES = {
    NORM: "TASK_RMS_NORM_HOPPER",
    LINEAR: "TASK_LINEAR_SM100",
    ATTENTION: "TASK_ATTN_SM100",
    CONV: "TASK_GDN_CONV1D_SM100",
    SILU: "TASK_SILU_MUL",
    COMBINE: "TASK_MOE_MUL_SUM_ADD_SM100",
    ARGMAX: "TASK_ARGMAX_REDUCE_SM100",
    EMBEDDING: "TASK_EMBEDDING",
}

Task = tuple[int, int, int]
"""Type, event that it waits for, event at which it arrives."""


@dataclass(frozen=True)
class Stages:
    """Tasks stage by stage; the one event of each stage opens when all of its tasks have arrived."""

    stages: Sequence[tuple[int, int]]

    @property
    def tasks(self) -> list[Task]:
        return [(kind, NOTHING if not at else at + 1, at + 2) for at, (kind, tasks) in enumerate(self.stages) for _ in range(tasks)]

    @property
    def counts(self) -> Mapping[int, int]:
        counts: dict[int, int] = {}
        for kind, tasks in self.stages:
            counts[kind] = counts.get(kind, 0) + tasks
        return counts


def layered(layers: int, *, batch: int = 1, rows: int = 1) -> Stages:
    """Return a small model: per layer a norm, a product, attention for each request, a product, an activation."""
    layer = [(NORM, rows), (LINEAR, 6), (ATTENTION, 2 * batch), (LINEAR, 4), (SILU, 8)]
    return Stages([(EMBEDDING, 1), *(stage for _ in range(layers) for stage in layer), (NORM, rows), (LINEAR, 8), (ARGMAX, 1)])


def graph_text(tasks: Sequence[Task], *, ahead: bool = True, events: Sequence[Mapping[str, int]] = ()) -> str:
    """Return `task_graph.json` of *tasks*, with an event for each that they arrive at, or with *events*."""
    work = [_task(0, NOTHING, NOTHING), _task(10, NOTHING, 1), *(_task(*task) for task in tasks)]
    arrivals: dict[int, int] = {}
    for _, _, event in tasks:
        if event < NOTHING:
            arrivals[event] = arrivals.get(event, 0) + 1
    first = {"event_type": AHEAD if ahead else LAUNCHING, "num_triggers": 1, "first_task_id": 2, "last_task_id": len(work)}
    counters = [_event(COUNTER if ahead else LAUNCHING, arrivals.get(number, 0)) for number in range(2, max(arrivals, default=1) + 1)]
    every = list(events) or [_event(TERMINATION, 1), first, *counters, _event(END, 1)]
    return json.dumps({"all_events": every, "all_tasks": work, "first_tasks": [1]})


def times_text(
    counts: Mapping[int, Mapping[int, int]], means_us: Mapping[int, str], *, workers: int = 8, live: Mapping[int, Decimal] | None = None
) -> str:
    """Return a `pertask` table: *counts* of tasks by type and batch, each as long as *means_us*; *live* says how many are long."""
    batches = sorted({batch for of_it in counts.values() for batch in of_it})
    keys = ("n", "us", "perwkr_us", "mean_us", "nlong", "wallspan_us", "conc")
    lines = [",".join(["task_type", "name", "layer_type", *(f"{key}_bs{batch}" for batch in batches for key in keys)])]
    for kind, of_it in counts.items():
        cells = [str(kind), NAMES.get(kind, f"TASK_{kind}"), "stage"]
        for batch in batches:
            tasks, mean = of_it[batch], Decimal(means_us[kind])
            long = tasks * (live or {}).get(batch, Decimal(1)) if mean > 1 else 0
            cells += [f"{tasks}.0", f"{tasks * mean:.1f}", f"{tasks * mean / workers:.2f}", f"{mean:.2f}", f"{long:.1f}", "9.0", "2.0"]
        lines.append(",".join(cells))
    return "".join(f"{line}\n" for line in lines)


def steps_text(rows: Sequence[tuple[int, int, str]]) -> str:
    """Return a table of steps: of each how many requests it prefills and decodes, and its time in microseconds."""
    lines = ["iter,phase,n_live,n_prefill,n_decode,tokens,iter_us,n_tasks"]
    for number, (prefill, decode, time_us) in enumerate(rows):
        phase = "decode" if not prefill else "mixed"
        lines.append(f"{number},{phase},{prefill + decode},{prefill},{decode},{prefill + decode},{time_us},60")
    return "".join(f"{line}\n" for line in lines)


def _task(kind: int, waits: int, arrives: int) -> Mapping[str, object]:
    return {
        "task_type": kind,
        "variant_id": 0,
        "inputs": [{"base_ptr": "x", "offset": 0, "data_type": 941, "dims": [1, 64], "strides": [64, 1]}],
        "outputs": [],
        "trigger_event": arrives,
        "dependent_event": waits,
        "request_id": -1,
        "expert_offset": -1,
        "kv_idx": -1,
        "merge_task_offset": -1,
        "task_offset": -1,
    }


def _event(kind: int, triggers: int) -> Mapping[str, int]:
    return {"event_type": kind, "num_triggers": triggers, "first_task_id": 0, "last_task_id": 0}


MEANS_US = {EMBEDDING: "20.5", NORM: "1.4", LINEAR: "12.5", ATTENTION: "40.0", CONV: "5.5", SILU: "1.6", COMBINE: "4.4", ARGMAX: "2.3"}
LAYERS = 6


def sample_graph() -> str:
    """Return the graph of a small model at batch 1."""
    return graph_text(layered(LAYERS).tasks)


def sample_times(*, workers: int = 8, live: Mapping[int, Decimal] | None = None) -> str:
    """Return the times of the tasks of that model at batches 1 and 4, on *workers* workers."""
    graphs = {batch: layered(LAYERS, batch=batch).counts for batch in (1, 4)}
    counts = {kind: {batch: of_it[kind] for batch, of_it in graphs.items()} for kind in graphs[1]}
    return times_text(counts, MEANS_US, workers=workers, live=live)


def sample_mean_times() -> str:
    """Return those times with numbers of tasks that are means over steps: 67.9 and 67.5 products where the model has 68."""
    text = sample_times()
    for old, new in ((",68.0,", ",67.9,"), (",12.50,68.0,", ",12.50,67.5,"), (",850.0,106.25,", ",848.8,106.10,")):
        text = text.replace(old, new, 1)
    return text


def sample_steps() -> str:
    """Return steps of that model: one that prefills, and nine that decode one request."""
    return steps_text([(1, 0, "1210.5"), *((0, 1, f"{804 + step}.5") for step in range(9))])


def forked_graph() -> str:
    """Return a graph that schedulers launch as events fire: two stages side by side whose tasks take turns in it, and what joins them."""
    before, left, right = ((NORM, NOTHING, 2),), (LINEAR, 2, 3), (CONV, 2, 4)
    tasks = [*before, *(task for _ in range(4) for task in (left, right)), (SILU, 3, 5), (COMBINE, 4, 5), (ARGMAX, 5, 6)]
    return graph_text(tasks, ahead=False)


def forked_times() -> str:
    """Return the times of that graph at batches 1 and 4; those of batch 4 are of steps in which one request ran."""
    tasks = {NORM: (1, 1), LINEAR: (4, 4), CONV: (4, 16), SILU: (1, 1), COMBINE: (1, 1), ARGMAX: (1, 1)}
    counts = {kind: dict(zip((1, 4), of_it, strict=True)) for kind, of_it in tasks.items()}
    return times_text(counts, MEANS_US, workers=4, live={1: Decimal(1), 4: Decimal("0.25")})
