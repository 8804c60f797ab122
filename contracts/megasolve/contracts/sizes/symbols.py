"""The symbols that the operators of a group are written over, and their values at one batch."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.programs.symbols import BATCH
from ..model.spec import GroupSpec, Spec

FRAMES = "frames"


def symbols_of(spec: Spec, group: str) -> frozenset[str]:
    """Return the names that expressions of *group* may use: the spec's symbols, `batch`, and the shapes of the group."""
    own = next((member for member in spec.groups if member.name == group), None)
    return frozenset({BATCH, *spec.symbols, *(_shapes_of(own) if own else ())})


def _shapes_of(group: GroupSpec) -> Iterator[str]:
    yield from group.shapes
    if group.left_context_frames is not None:
        yield FRAMES


def symbol_values(spec: Spec, group: str, batch: int, frames: int | None = None) -> dict[str, int]:
    """Return the symbols of *group* at *batch* with their values; *frames* is what one chunk decodes, where that varies."""
    shapes = next((dict(member.shapes) for member in spec.groups if member.name == group), {})
    decoded = {} if frames is None else {FRAMES: frames}
    return {**spec.symbols, **shapes, **decoded, BATCH: batch}
