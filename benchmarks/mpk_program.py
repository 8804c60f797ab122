"""The program of that kernel, task by task: as mirage-project/mirage builds the graph and puts it into the queues of the workers.

From python/mirage/mpk/models/qwen3_5/builder.py at 12af1d7c (operators, grids) and src/kernel/annotated_graph.cc (the order of operators:
by depth, then as they were built; what waits for one event stands together). The graph made so has as many tasks as the compiled one.
Run ``python -m benchmarks.mpk_program`` to write the contracts below specs/published again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from megasolve.contracts import Contract, shipped_specs
from megasolve.contracts.scaffold.words.yaml_text import flow

from .mpk_stages import DATA_US, EVENT_US, QUEUE_US, STAGES, TASK_US, WORKERS

LAYERS, BLOCK = 40, 4
"""Every fourth layer has attention in place of the recurrence."""

ROWS = 16
HEADS, SPLIT_WORKERS = 32, 128


@dataclass(frozen=True, slots=True)
class Build:
    """What is compiled: the *batch*, whether events cost their worker time, and what is changed.

    *fused* are the stages (`norm`, `silu`, `recurrent`) that take the quantizing behind them into their own tasks; *faster* scales the
    tasks of a stage.
    """

    batch: int
    has_events: bool = True
    fused: frozenset[str] = frozenset()
    faster: Mapping[str, float] = field(default_factory=dict)
    data_us: float = DATA_US
    queue_us: float = QUEUE_US
    workers: tuple[int, ...] = (136, WORKERS)


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: its *stage*, its tiles, the stages that it waits for in the same layer (*after*) and in the layer before (*past*).

    *opens* is how many of its tiles open an event when they are done, counted from the last one; *beside_us* is what a tile does for a
    stage that was fused into it.
    """

    name: str
    stage: str
    tiles: int
    after: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    is_rowwise: bool = False
    opens: int = 0
    beside_us: float = 0.0


def layer(build: Build, kind: str) -> Iterator[Operator]:
    """Yield the operators of one layer in the order of the queues; *kind* is `gdn` or `attention`."""
    rows = build.batch
    first = ("norm_in",) if "norm" in build.fused else ("quantize_in",)
    yield from _opening(build, kind)
    if kind == "gdn":
        split = max(1, SPLIT_WORKERS // (HEADS * rows))
        yield Operator("ba", "linear", 1, ("norm_in",))
        yield Operator("qkv", "dense", 128, first, opens=1)
        yield Operator("z", "dense", 128, first)
        yield Operator("conv", "conv", 8 * rows, ("qkv",), opens=1)
        shared_us = quantizing_us(build) / HEADS if "recurrent" in build.fused else 0.0
        yield Operator("mix", "recurrent", HEADS * rows * split, ("conv", "z", "ba"), opens=1, beside_us=shared_us)
    else:
        # Each key-value head waits for its half of the columns, and so there are two events.
        yield Operator("qkv", "dense", 144, first, opens=2)
        yield Operator("mix", "attention", 2 * rows, ("qkv",), opens=1)
    is_fused = kind == "gdn" and "recurrent" in build.fused
    if not is_fused:
        yield Operator("quantize_out", "quantize", ROWS, ("mix",), opens=1)
    yield Operator("out", "dense", 128, ("mix",) if is_fused else ("quantize_out",), opens=1)
    yield Operator("norm_post", "norm", ROWS, ("out",), opens=1)
    yield from _experts(build)


def _opening(build: Build, kind: str) -> Iterator[Operator]:
    if "norm" in build.fused:
        yield Operator("norm_in", "norm", ROWS, past=("combine",), is_rowwise=True, opens=1, beside_us=quantizing_us(build))
        return
    yield Operator("norm_in", "norm", ROWS, past=("combine",), is_rowwise=True, opens=1 if kind == "gdn" else ROWS)
    yield Operator("quantize_in", "quantize", ROWS, ("norm_in",), is_rowwise=kind == "attention", opens=1)


def _experts(build: Build) -> Iterator[Operator]:
    yield Operator("router", "linear", 32, ("norm_post",), opens=1)
    yield Operator("quantize_moe", "quantize", ROWS, ("norm_post",))
    yield Operator("quantize_shared", "quantize", ROWS, ("norm_post",), opens=1)
    yield Operator("topk", "topk", 1, ("router",), opens=1)
    yield from (Operator(f"gate_up_{part}", "dense", 8, ("quantize_shared",), opens=1) for part in range(4))
    yield Operator("w13", "w13", 256, ("topk", "quantize_moe"), opens=1)
    parts = tuple(f"silu_shared_{part}" for part in range(4))
    yield from (Operator(name, "silu", 1, (f"gate_up_{part}",), opens=int(part == 3)) for part, name in enumerate(parts))
    is_fused = "silu" in build.fused
    shared_us = quantizing_us(build) / 8 if is_fused else 0.0
    acts = tuple(f"silu_{row}" for row in range(ROWS))
    for row, name in enumerate(acts):
        yield Operator(name, "silu", 8, ("w13",), opens=int(not is_fused or row == ROWS - 1), beside_us=shared_us)
    yield Operator("quantize_down", "quantize", ROWS, parts, opens=1)
    if not is_fused:
        yield from (Operator(f"quantize_act_{row}", "quantize", 1, (name,), opens=int(row == ROWS - 1)) for row, name in enumerate(acts))
    yield Operator("down", "dense", 32, ("quantize_down",), opens=1)
    yield Operator("w2", "w2", 256, acts if is_fused else tuple(f"quantize_act_{row}" for row in range(ROWS)))
    yield Operator("gate", "gate", ROWS, ("down",), opens=1)
    yield Operator("combine", "combine", ROWS, ("w2", "gate"), opens=ROWS)


def quantizing_us(build: Build) -> float:
    """Return what a quantizing task does beside what every task costs: so much longer is a task that does it, too."""
    return STAGES[build.batch]["quantize"].mean_us - TASK_US


def blocks(build: Build) -> tuple[Mapping[str, object], ...]:
    """Return the blocks of the program: what begins it, four layers ten times, and the head."""
    body = [_written(build, one, place) for place in range(BLOCK) for one in layer(build, "attention" if place == BLOCK - 1 else "gdn")]
    head = (
        Operator("norm_final", "norm", ROWS, (f"combine_{BLOCK - 1}",), is_rowwise=True, opens=1),
        Operator("lm_head", "linear", 970, ("norm_final",), opens=1),
        Operator("argmax", "argmax", 128, ("lm_head",), opens=1),
        Operator("reduce", "reduce", 1, ("argmax",), opens=1),
    )
    begin = Operator("embed", "embed", 1, opens=1)
    return (
        {"operators": (_mapped(build, begin),)},
        {"repeat": LAYERS // BLOCK, "operators": tuple(body)},
        {"operators": tuple(_mapped(build, one) for one in head)},
    )


def contract_of(build: Build, *, entry: str = "D_mpk") -> Contract:
    """Return the contract of the kernel."""
    return Contract.model_validate(drafted(build, entry=entry), by_alias=True, by_name=False)


def drafted(build: Build, *, entry: str = "D_mpk") -> Mapping[str, object]:
    """Return the contract as it is written."""
    synchronization = {"kind": "counters", "order": "static", "data_us": build.data_us, "queue_us": build.queue_us, "task_us": 0}
    return {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "megakernel",
        "members": ("D",),
        "title": f"one decode step at batch {build.batch} as tasks in one persistent kernel",
        "budgets_ctas": build.workers,
        "launch": {"unverified": "255 registers a thread and 208 CTAs of which 128 work are published; threads and shared memory are not"},
        "dispatch": {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0},
        "loops_on_device": True,
        "synchronization": {**{key: _exact(value) for key, value in synchronization.items()}, "measured_on": "b200"},
        "programs": {"D": blocks(build)},
    }


def contract_text(build: Build) -> str:
    """Return the file of the contract."""
    draft = drafted(build)
    source = "# mirage-project/mirage, demo/qwen3_5/accept/opt/m4i8; written by python -m benchmarks.mpk_program, which says how."
    lines = [source, *(f"{key}: {flow(value)}" for key, value in draft.items() if key != "programs"), "programs:", "  D:"]
    for block in blocks(build):
        repeat = f"repeat: {block['repeat']}\n      " if "repeat" in block else ""
        lines.append(f"    - {repeat}operators:")
        operators = block["operators"]
        assert isinstance(operators, tuple)
        lines += [f"        - {flow(operator)}" for operator in operators]
    return "".join(f"{line}\n" for line in lines)


def _written(build: Build, one: Operator, place: int) -> Mapping[str, object]:
    """Return an operator of the layer at *place* of a block: the layer before its first one is the last of the block before."""
    here = replace(one, name=f"{one.name}_{place}", after=tuple(f"{name}_{place}" for name in one.after), past=())
    past = [f"{name}_{(place - 1) % BLOCK}" for name in one.past]
    return _mapped(build, here, past, is_first=place == 0)


def _mapped(build: Build, one: Operator, past: list[str] | None = None, *, is_first: bool = False) -> Mapping[str, object]:
    pattern = {"pattern": "same"} if one.is_rowwise else {}
    after: list[Mapping[str, object]] = [{"operator": name, **pattern} for name in one.after]
    for name in past or ():
        after += [{"operator": "embed"}, {"operator": name, **pattern, "previous": True}] if is_first else [{"operator": name, **pattern}]
    return {
        "name": one.name,
        "kind": "explicit",
        "tiles": one.tiles,
        "compute_us": times_us(build, one),
        **({"after": tuple(after)} if after else {}),
    }


def times_us(build: Build, one: Operator) -> Decimal | tuple[Decimal, ...]:
    """Return how long each tile takes: the first ones work, the others find nothing, and all of a stage add up to what was published."""
    tasks = [time * build.faster.get(one.stage, 1.0) for time in _task_times(build, one)]
    if build.has_events:
        tasks = [time + EVENT_US[build.batch] * (place >= len(tasks) - one.opens) for place, time in enumerate(tasks)]
    tasks = [time + one.beside_us for time in tasks]
    exact = tuple(map(_six_places, tasks))
    return exact[0] if len(set(exact)) == 1 else exact


def _task_times(build: Build, one: Operator) -> Iterator[float]:
    stage = STAGES[build.batch][one.stage]
    if one.stage == "dense" and build.batch == 1:
        # The narrow products of the shared expert are the short ones: as many of them as are counted as without work.
        others = (stage.work_us - (stage.tasks - 32 * LAYERS) * stage.live_us) / (32 * LAYERS)
        yield from [others if one.name.startswith("down") else stage.live_us] * one.tiles
        return
    working = _working(build, one)
    if working in (0, one.tiles) and not stage.live % stage.tasks:
        yield from [stage.mean_us] * one.tiles
        return
    alike = LAYERS * WORKING_SITES[one.stage] * _working_at(build, one.stage)
    others = (stage.work_us - alike * stage.live_us) / (stage.tasks - alike) if stage.tasks > alike else stage.mean_us
    yield from [stage.live_us] * working + [others] * (one.tiles - working)


WORKING_SITES = {"quantize": 6, "silu": 1, "w13": 1, "w2": 1, "gate": 1, "combine": 1, "conv": 0, "dense": 0}
"""In how many places of a layer tasks of a stage are told apart by whether they work."""


def _working_at(build: Build, stage: str) -> int:
    return int(STAGES[build.batch][stage].live / LAYERS / max(1, WORKING_SITES.get(stage, 1)))


def _working(build: Build, one: Operator) -> int:
    """Return how many tiles of *one* work: the first ones, as experts are ordered; of stages by row those of row 0."""
    if not WORKING_SITES.get(one.stage):
        return 0
    if one.name.startswith(("silu", "quantize_act")):
        is_first = one.name.startswith(("silu_0", "quantize_act_0"))
        return min(one.tiles, _working_at(build, one.stage)) if is_first else 0
    return min(one.tiles, _working_at(build, one.stage))


def _exact(value: object) -> object:
    return _six_places(value) if isinstance(value, float) else value


def _six_places(value: float) -> Decimal:
    return Decimal(f"{value:.6f}").normalize()


def main() -> None:
    """Write the contracts."""
    for batch in STAGES:
        path = Path(shipped_specs(), "published", f"mpk_qwen35_bs{batch}", "contracts", "D_mpk.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contract_text(Build(batch)), encoding="utf-8")


if __name__ == "__main__":
    main()
