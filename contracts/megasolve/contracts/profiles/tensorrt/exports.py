"""What ``trtexec`` exports: the profile of layers, their description, and the times of whole runs.

The writers are ``sampleReporting.cpp`` of TensorRT 7.0 to 10.16: ``medianMs`` came with 8.4, names of the times changed with 7.2 and 8.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median_low
from typing import Any

from ...model.base import PS_PER_US
from ..errors import ProfileRefused
from ..execution import Execution, Format, Granularity, Kernel, KernelShape, Site, Summary
from ..text.source import ProfileSource
from .json_text import milliseconds, read_json, refused_entry

_NOT_KERNELS = "a layer is not a kernel: one may be several launches, or one launch the whole network"
_SUM = "the times of layers add up to more than a run takes, as each is measured apart: take the latency from --exportTimes"


def read_tensorrt_profile(source: ProfileSource) -> Execution:
    """Return the layers of ``--exportProfile``, each as the sum over the iterations that entry 0 counts.

    Raises
    ------
    ProfileRefused
        It is no such JSON, has no count or no layers, or a time is missing, negative or no number.
    """
    entries = _array(source)
    count = _count(source, entries)
    layers = tuple(_layer(source, row, entry, count) for row, entry in enumerate(entries[1:], 1))
    if not layers:
        raise ProfileRefused(source.file, "has a count but no layers; export it again with --separateProfileRun")
    idle = sum(layer.total_ps == 0 for layer in layers)
    return Execution(
        source.file,
        source.sha256,
        Format.TENSORRT_PROFILE,
        Granularity.LAYER,
        summaries=layers,
        versions={"tool": "trtexec", "iterations": str(count)},
        notes=(_NOT_KERNELS, _SUM, *_profile_notes(count, idle)),
    )


def read_tensorrt_layers(source: ProfileSource) -> Execution:
    """Return the layers of ``--exportLayerInfo``: names without times, in the order of the engine.

    Raises ProfileRefused where it is no such JSON, has no layers, or one has no name.
    """
    document = read_json(source)
    layers = document.get("Layers") if isinstance(document, dict) else None
    if not isinstance(layers, list) or not layers:
        raise ProfileRefused(source.file, "has no layers under Layers; export it again with --exportLayerInfo")
    names = [_layer_name(source, row, layer) for row, layer in enumerate(layers)]
    return Execution(
        source.file,
        source.sha256,
        Format.TENSORRT_LAYERS,
        Granularity.LAYER,
        kernels=tuple(Kernel(KernelShape(name), Site(), None, None, row) for row, name in enumerate(names)),
        versions={"tool": "trtexec"},
        notes=(_NOT_KERNELS, "layer information has no times: import what --exportProfile writes", *_shape_profile_notes(names)),
    )


def read_tensorrt_times(source: ProfileSource) -> Execution:
    """Return the compute times of ``--exportTimes``, one a run of the engine.

    Raises ProfileRefused where it is no such JSON, has no runs, or a time is missing, negative or no number.
    """
    runs = _array(source, _run)
    if not runs:
        raise ProfileRefused(source.file, "has no runs; export it again with --exportTimes")
    times_ps = tuple(_run_ps(source, row, run) for row, run in enumerate(runs))
    median = f"{median_low(times_ps) / PS_PER_US:,.1f}"
    return Execution(
        source.file,
        source.sha256,
        Format.TENSORRT_TIMES,
        Granularity.LAYER,
        iterations_ps=times_ps,
        versions={"tool": "trtexec", "iterations": str(len(times_ps))},
        notes=(f"{len(times_ps):,} runs of the whole engine, a median of {median} us each: they tell no layer from another",),
    )


def _array(source: ProfileSource, kept: Callable[[dict[str, Any]], object] | None = None) -> Sequence[Any]:
    document = read_json(source, kept)
    if not isinstance(document, list):
        raise ProfileRefused(source.file, "is no array, as trtexec writes them")
    return document


def _object(source: ProfileSource, row: int, entry: object) -> Mapping[str, Any]:
    if not isinstance(entry, dict):
        raise refused_entry(source, row, "is no object")
    return entry


def _count(source: ProfileSource, entries: Sequence[Any]) -> int:
    count = _object(source, 0, entries[0]).get("count") if entries else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise refused_entry(source, 0, 'is not {"count": iterations} with at least one iteration')
    return count


def _layer(source: ProfileSource, row: int, entry: object, count: int) -> Summary:
    layer = _object(source, row, entry)
    name = layer.get("name")
    if not isinstance(name, str) or not name:
        raise refused_entry(source, row, "has no name")
    try:
        return Summary(
            KernelShape(name),
            count,
            milliseconds("timeMs", layer.get("timeMs")),
            row,
            mean_ps=milliseconds("averageMs", layer.get("averageMs")),
            median_ps=milliseconds("medianMs", layer["medianMs"]) if "medianMs" in layer else None,
        )
    except ValueError as error:
        raise refused_entry(source, row, str(error)) from None


def _profile_notes(count: int, idle: int) -> Iterator[str]:
    if count == 1:
        yield "the profile has one iteration, so its medians are single times"
    if idle:
        yield f"{idle} layers take no time, as they launch nothing"


def _layer_name(source: ProfileSource, row: int, layer: object) -> str:
    name = layer.get("Name") if isinstance(layer, dict) else layer
    if not isinstance(name, str) or not name:
        raise refused_entry(source, row, "is no layer: it has no name")
    return name


def _run(entry: dict[str, Any]) -> tuple[int] | ValueError:
    """Return all that is kept of a run, in a form that no plain number has, or what is wrong with it."""
    try:
        return (milliseconds("computeMs", entry.get("computeMs")),)
    except ValueError as error:
        return error


def _run_ps(source: ProfileSource, row: int, run: object) -> int:
    if isinstance(run, tuple):
        time_ps: int = run[0]
        return time_ps
    raise refused_entry(source, row, str(run) if isinstance(run, ValueError) else "is no object")


def _shape_profile_notes(names: Sequence[str]) -> Iterator[str]:
    others = sum(name.endswith("]") and " [profile " in name for name in names)
    if others:
        yield f"{others} of the layers belong to further shape profiles of the same engine"
