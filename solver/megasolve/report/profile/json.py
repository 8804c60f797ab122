"""Profiles as JSON, `profiles/v1`: exact times, what is unknown as null, never a sum over files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import json_text
from ..text.numbers import us_text
from .text import summed_ps

if TYPE_CHECKING:
    from megasolve.contracts.observe import Observation, ObservedKernel, Outside
    from megasolve.contracts.profiles import Execution, KernelShape, ObservedDevice, Spent, Totals
    from megasolve.contracts.scaffold import Unused


def profiles_json(
    profiles: Sequence[tuple[Execution, Totals, Sequence[Spent]]],
    observations: Sequence[Observation] = (),
    unused: Sequence[Unused] = (),
    records: str | None = None,
    outside: Sequence[Sequence[Outside]] = (),
) -> str:
    """Return profiles, what they say about groups where that was asked for, and the file that records were written to.

    *outside* has for each profile the waits that no launch costs, where nothing else was asked for.
    """
    about = {"observations": list(map(_observation, observations)), "records": records}
    waits = outside or [()] * len(profiles)
    shown = [{**_profile(*one), "outside": list(map(outside_facts, of_it))} for one, of_it in zip(profiles, waits, strict=True)]
    unmatched = [{**_kernel(one.kernel), "because": one.because} for one in unused]
    return json_text({"megasolve": "profiles/v1", "profiles": shown, **about, "unmatched": unmatched})


def _profile(execution: Execution, totals: Totals, spent: Sequence[Spent]) -> JsonObject:
    return {
        "file": execution.file,
        "sha256": execution.sha256,
        "format": execution.format.value,
        "granularity": execution.granularity.value,
        "versions": dict(execution.versions),
        "devices": [_device(device) for device in execution.devices],
        "rank": execution.rank,
        "world_size": execution.world_size,
        "kernels": totals.kernels,
        "distinct_names": totals.distinct_names,
        "sum_us": _us(summed_ps(totals, spent)),
        "union_us": _us(totals.union_ps),
        "span_us": _us(totals.span_ps),
        "busy_us": [{"device": device, "busy_us": us_text(busy)} for device, busy in totals.busy_ps.items()],
        "hbm_bytes": totals.hbm_bytes,
        "hbm_tolerance_bytes": totals.hbm_tolerance_bytes,
        "graph_replays": len(execution.replays),
        "iterations_us": [us_text(iteration) for iteration in execution.iterations_ps],
        "dropped": dict(execution.dropped),
        "notes": list(execution.notes),
        "unfit": list(execution.unfit),
        "by_kernel": list(map(_spent, spent)),
    }


def _spent(one: Spent) -> JsonObject:
    traffic = {"hbm_bytes": one.hbm_bytes, "hbm_tolerance_bytes": one.hbm_tolerance_bytes}
    return {**_shape(one.shape), "launches": one.launches, "total_us": _us(one.total_ps), **traffic}


def _device(device: ObservedDevice) -> JsonObject:
    return {"number": device.number, "name": device.name, "sms": device.sms, "compute_capability": device.compute_capability}


def _shape(shape: KernelShape) -> JsonObject:
    return {
        "name": shape.name,
        "grid": None if shape.grid is None else list(shape.grid),
        "block": None if shape.block is None else list(shape.block),
        "ctas": shape.ctas,
        "threads": shape.threads,
        "registers": shape.registers,
        "static_shared_bytes": shape.static_shared_bytes,
        "dynamic_shared_bytes": shape.dynamic_shared_bytes,
        "shared_bytes": shape.shared_bytes,
        "shared_tolerance_bytes": shape.shared_tolerance_bytes,
        "cluster_ctas": shape.cluster_ctas,
    }


def _observation(observation: Observation) -> JsonObject:
    return {
        "files": [source.file for source in observation.sources],
        "device": None if observation.device is None else _device(observation.device),
        "rank": observation.rank,
        "steps": observation.steps,
        "span_samples_us": list(map(us_text, observation.span_samples_ps)),
        "outside_samples_us": list(map(us_text, observation.outside_samples_ps)),
        "outside": list(map(outside_facts, observation.outside)),
        "groups": [
            {
                "group": group.group,
                "occurrences": group.occurrences,
                "per_step": group.per_step,
                "in_steps": group.in_steps,
                "samples_us": list(map(us_text, group.samples_ps)),
                "gap_samples_us": list(map(us_text, group.gap_samples_ps)),
            }
            for group in observation.groups
        ],
        "kernels": [_kernel(kernel) for kernel in observation.kernels],
        "left_out": list(observation.left_out),
        "unattributed": [
            {**_shape(one.shape), "launches": one.launches, "total_us": us_text(one.total_ps), "because": one.because}
            for one in observation.unattributed
        ],
        "notes": list(observation.notes),
        "unfit": list(observation.unfit),
    }


def outside_facts(waits: Outside) -> JsonObject:
    """Return the waits before one kernel that no launch costs."""
    times: JsonObject = {"waits": len(waits.times_ps), "total_us": us_text(waits.total_ps), "usual_us": us_text(waits.usual_ps)}
    return {"before": waits.before, **times, "because": waits.because}


def _kernel(kernel: ObservedKernel) -> JsonObject:
    return {
        "group": kernel.group,
        **_shape(kernel.shape),
        "launches": kernel.launches,
        "samples_us": list(map(us_text, kernel.samples_ps)),
        "gap_samples_us": list(map(us_text, kernel.gap_samples_ps)),
        "hbm_bytes": kernel.hbm_bytes,
    }


def _us(time_ps: int | None) -> str | None:
    return None if time_ps is None else us_text(time_ps)
