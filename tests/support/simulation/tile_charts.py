"""A small tile program, for tests of how its schedule is shown."""

from __future__ import annotations

from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.tile import Tile

MACHINE = TileMachine(workers=2, bandwidth_bytes_per_s=10**12)
# Three tiles of 100 ps that load 10 bytes, 10 ps each, and one that waits for them all.
ONE = Tile("gemm", compute_ps=100, weight_bytes=10, signals=("done",))
LAST = Tile("norm", compute_ps=50, waits=("done",))
PROGRAM = TileProgram(body=TileSection([ONE, ONE, ONE, LAST], [("done", 3)]), repeats=2)
