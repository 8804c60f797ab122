"""A session with a model of the interpreter: what whole candidates and co-runs share on a device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from megasolve.contracts import Study

from ..driver import Context, Memory
from ..programs.arenas import Arenas
from ..workloads.streamlet.model import Model, model_of
from .counts import Counts
from .session import Session


@dataclass(frozen=True, slots=True)
class ArenaMemory:
    """The three arenas of a model on the device. Several may share their weights, which no kernel writes."""

    floats: Memory
    weights: Memory
    ids: Memory

    def upload(self, arenas: Arenas) -> None:
        """Fill floats and ids from the host; weights are uploaded once, by the session."""
        self.floats.upload(np.ascontiguousarray(arenas.floats, np.float32))
        self.ids.upload(arenas.ids)

    def download(self, like: Arenas) -> Arenas:
        """Return what the arenas hold now, laid out as *like*, whose weights they have."""
        floats, ids = self.floats.read(np.float32, len(like.floats)), self.ids.read(np.int32, len(like.ids))
        return Arenas(like.layout, floats, like.weights, ids)


class ModelSession(Session):
    """A session with the arenas of streamlet. Several sets of them, with the same weights, are there for launches to take in turn.

    Raises
    ------
    GpuError
        The spec is none that the kernels make, or the device has not enough memory for it.
    """

    def __init__(self, context: Context, study: Study, batch: int, counts: Counts) -> None:
        # Before anything is opened that would have to be given back.
        self.model: Model = model_of(study.spec.value, batch)
        super().__init__(context, study, batch, counts)
        sizes = self.model.layout.sizes
        # Weights are bfloat16, of 2 bytes, and there once; floats and ids have 4 bytes, and are there once a rotation.
        self.require_memory(2 * sizes["weights"] + 4 * counts.rotations * (sizes["floats"] + sizes["ids"]))
        weights = self.memory(2 * sizes["weights"])
        self.arenas = tuple(
            ArenaMemory(self.memory(4 * sizes["floats"]), weights, self.memory(4 * sizes["ids"])) for _ in range(counts.rotations)
        )
