"""The front door of the tile level: operators to tiles, tiles to a schedule.

It stands apart from the package's own, because planning from records needs none of it and should not wait for its import.
"""

from .events.waves import opaque_compute_ps, opaque_ps
from .expand.expansion import expand
from .expand.setup import DeviceRates, ExpansionError, Mechanisms, TooManyTiles, device_rates, tile_machine
from .tiles.bounds import LowerBounds, lower_bounds, queued_bytes
from .tiles.machine import TileMachine
from .tiles.outcome import TileDeadlock, TileSchedule, TileSpan
from .tiles.program import TileProgram, TileSection
from .tiles.scheduler import schedule_tiles
from .tiles.tile import Tile
from .tiles.why import OperatorTime, Why, why

__all__ = [
    "DeviceRates",
    "ExpansionError",
    "LowerBounds",
    "Mechanisms",
    "OperatorTime",
    "Tile",
    "TileDeadlock",
    "TileMachine",
    "TileProgram",
    "TileSchedule",
    "TileSection",
    "TileSpan",
    "TooManyTiles",
    "Why",
    "device_rates",
    "expand",
    "lower_bounds",
    "opaque_compute_ps",
    "opaque_ps",
    "queued_bytes",
    "schedule_tiles",
    "tile_machine",
    "why",
]
