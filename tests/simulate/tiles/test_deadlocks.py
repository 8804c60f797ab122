"""A tile schedule that stops says what its tiles wait for."""

from __future__ import annotations

from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.tile import Tile
from tests.support.simulation.tile_programs import machine, program, stopped, tile


def test_a_counter_with_too_few_arrivals_is_named_with_them() -> None:
    deadlock = stopped(program(tile("norm", c=2, to=("normed",)), tile("matmul", "normed", c=1), normed=2), machine())
    assert (deadlock.at_ps, deadlock.unfinished) == (2_000, 1)
    assert deadlock.waiting == ("matmul waits for 'normed' (1 of 2 arrivals)",)


def test_a_cycle_names_both_sides() -> None:
    deadlock = stopped(program(tile("left", "r", c=1, to=("l",)), tile("right", "l", c=1, to=("r",)), l=1, r=1), machine())
    assert deadlock.waiting == ("left waits for 'r' (0 of 1 arrivals)", "right waits for 'l' (0 of 1 arrivals)")


def test_a_tile_larger_than_the_staging_space_is_named_with_both() -> None:
    deadlock = stopped(program(tile("gate", c=1, staging=300)), machine(staging_bytes=200))
    assert deadlock.waiting == ("gate needs 300 bytes of staging, a worker has 200",)


def test_a_repeat_is_named_with_its_number() -> None:
    body = TileSection((Tile("step", 1, waits_before=("late",), signals=("late",)),), (("late", 2),))
    deadlock = stopped(TileProgram(body=body, repeats=3), machine())
    assert deadlock.waiting[0] == "step (repeat 2) waits for 'late' (1 of 2 arrivals)"


def test_only_a_few_waits_are_named() -> None:
    tiles = [tile(f"op{index}", "never", c=1) for index in range(50)]
    deadlock = stopped(program(*tiles, never=1), machine())
    assert deadlock.unfinished == 50
    assert len(deadlock.waiting) == 4
    assert str(deadlock).startswith("the tile schedule stops at 0 ps with 50 tiles left: op0 waits for 'never'")
