"""What runs under the race detector: a child process calls these with what its parent asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.support.standin.cpu_device import CpuDevice
from tests.support.standin.probes import THREADS


def chain(request: dict[str, Any]) -> dict[str, bool]:
    """Run a chain of blocks of which each waits for the one before it, if they do wait."""
    return {"right": _chain(CpuDevice(Path(request["library"])), request["blocks"], request["seed"], waits=request["waits"])}


def turn(request: dict[str, Any]) -> dict[str, bool]:
    """Turn the values of blocks through shared memory."""
    return {"right": _turn(CpuDevice(Path(request["library"])), request["blocks"], request["seed"], slots=request["blocks"])}


def sound(request: dict[str, Any]) -> dict[str, bool]:
    """Run both with several numbers of blocks and of slots."""
    device, seed = CpuDevice(Path(request["library"])), request["seed"]
    chains = [_chain(device, blocks, seed + blocks) for blocks in (1, 2, 5)]
    # One block does all in its own order, so that it needs no wait.
    chains.append(_chain(device, 1, seed, waits=False))
    turns = [_turn(device, 4, seed + slots, slots=slots) for slots in (1, 3)]
    return {"right": all(chains + turns)}


def _chain(device: CpuDevice, blocks: int, seed: int, *, waits: bool = True) -> bool:
    values = np.full(blocks * THREADS, np.nan, np.float32)
    device.launch("probe_chain", [np.zeros(1, np.uint32), values, int(waits)], grid=blocks, block=THREADS, cooperative=True)
    assert device.run(blocks, seed=seed).is_done
    return bool((values.reshape(blocks, THREADS) == np.arange(1, blocks + 1)[:, None]).all())


def _turn(device: CpuDevice, blocks: int, seed: int, *, slots: int) -> bool:
    values = np.arange(blocks * THREADS, dtype=np.float32)
    expected = np.roll(values.reshape(blocks, THREADS), -1, axis=1).ravel()
    device.launch("probe_turn", [values], grid=blocks, block=THREADS, shared_bytes=4 * THREADS)
    assert device.run(slots, seed=seed).is_done
    return bool((values == expected).all())
