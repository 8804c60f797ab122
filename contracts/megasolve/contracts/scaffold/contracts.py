"""One conventional contract for each kernel that a profile shows, or for several that no contract could tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from ..model.contract import Contract
from ..model.device import LaunchKind
from ..profiles.execution import Execution, KernelShape
from ..profiles.wording import launch_sizes
from .cutting.programs import program
from .runs import KernelRun, typical
from .words.names import entry_names

IMPLEMENTATION = "profiled"


def run_contracts(runs: Sequence[KernelRun], kind: LaunchKind) -> tuple[Contract, ...]:
    """Return one contract for each of *runs*, in their order.

    Launches cost nothing but the gaps that were measured before them: what a host does in between is in those gaps.
    """
    entries = entry_names([run.kernels[0] for run in runs])
    drafts = zip(runs, entries, _orders(runs), gaps_per_launch_ps(runs), strict=True)
    return tuple(Contract.model_validate(_draft(*draft, kind), by_alias=True, by_name=False) for draft in drafts)


def launch_kind(executions: Sequence[Execution]) -> LaunchKind:
    """Return how most kernels reached the device: replayed by a graph, or launched one by one."""
    kernels = [kernel for execution in executions if execution.is_timeline for kernel in execution.kernels]
    replayed = sum(kernel.graph is not None for kernel in kernels)
    return "graph" if 2 * replayed > len(kernels) else "stream"


def gaps_per_launch_ps(runs: Sequence[KernelRun]) -> tuple[int, ...]:
    """Return the gap before each launch of every run, so that all gaps together come as near to their sum as they can.

    A gap of a whole step seldom divides by its launches; what rounding leaves over goes to the next run, those with most launches
    first, so that the last ones, launched once, take up nearly all of it.
    """
    gaps = [0] * len(runs)
    left = 0
    for index in sorted(range(len(runs)), key=lambda index: -runs[index].launches):
        run = runs[index]
        wanted = typical(run.gap_samples_ps) + left
        # Only what overlaps has a negative gap: rounding leaves none.
        least = None if typical(run.gap_samples_ps) < 0 else 0
        gap_ps = round(Fraction(wanted, run.launches)) if run.gap_samples_ps else 0
        gaps[index] = gap_ps if least is None else max(least, gap_ps)
        left = wanted - gaps[index] * run.launches
    return tuple(gaps)


def _orders(runs: Sequence[KernelRun]) -> tuple[int, ...]:
    """Return the place of each run among those of its group, from 0."""
    orders: dict[str, int] = {}
    return tuple(_next(orders, run.group) for run in runs)


def _next(orders: dict[str, int], group: str) -> int:
    orders[group] = orders.get(group, -1) + 1
    return orders[group]


def _draft(run: KernelRun, entry: str, order: int, gap_ps: int, kind: LaunchKind) -> Mapping[str, object]:
    return {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "conventional",
        "members": (run.group,),
        "implementation": IMPLEMENTATION,
        "order": order,
        "kernels": run.launches,
        **({} if run.shape.ctas is None else {"grid_ctas": run.shape.ctas}),
        "launch": dict(_launch(run.shape)),
        "dispatch": {"kind": kind, "host_waits": False, "host_us": 0, "exposed_us": 0, "gap_us": Decimal(gap_ps).scaleb(-6)},
        "observed": {"kernels": (run.shape.name,)},
        **({"programs": {run.group: blocks}} if (blocks := program(run.computed, run.shape.ctas)) else {}),
        "notes": _notes([kernel.shape for kernel in run.kernels]),
    }


def _notes(shapes: Sequence[KernelShape]) -> str:
    sizes = sorted((size for shape in shapes for size in launch_sizes(shape)), key=lambda size: not size.startswith("grid"))
    return "; ".join([shapes[0].name, *dict.fromkeys(sizes)])


def _launch(shape: KernelShape) -> Iterator[tuple[str, object]]:
    """Yield what is known of the launch, and why the rest is not."""
    figures = {"threads": shape.threads, "registers": shape.registers, "shared_bytes": shape.shared_bytes}
    yield from ((key, figure) for key, figure in figures.items() if figure is not None)
    if shape.cluster_ctas is not None and shape.cluster_ctas > 1:
        yield "cluster_ctas", shape.cluster_ctas
    if unknown := [key.replace("_bytes", " memory") for key, figure in figures.items() if figure is None]:
        yield "unverified", f"the profile does not say: {', '.join(unknown)}"
