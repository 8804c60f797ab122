"""Compiled schedules: the same to the picosecond as in Python, wherever every number is proven to fit, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.simulate.tiles.compiled.folder import Unusable, is_whole, own_folder, publish, seal
from megasolve.simulate.tiles.compiled.loading import SWITCH, is_kept, loaded
from megasolve.simulate.tiles.compiled.proof import MOST, fits, largest
from megasolve.simulate.tiles.engine import run_tables
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock, TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tables.tables import tables_of
from megasolve.simulate.tiles.tile import Tile
from tests.support.judges.literal_tiles import Literal
from tests.support.simulation.tile_programs import Draw, machine, program, scheduled, tile, tile_machines, tile_programs

LONG = Draw(least_repeats=3, most_repeats=25)
KINDS = (Draw(), Draw(is_sound=False), LONG, replace(LONG, is_chained=True), replace(LONG, is_chained=True, most_tiles=9))


def both(tiles: TileProgram, on: TileMachine, **how: bool) -> Iterator[TileSchedule | TileDeadlock]:
    """Yield the schedule in Python, and compiled where numba is installed."""
    with pytest.MonkeyPatch.context() as patch:
        for switch in "01":
            patch.setenv(SWITCH, switch)
            yield schedule_tiles(tiles, on, **how)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS).flatmap(tile_programs), tile_machines(), st.sampled_from((None, 4, 12)), st.booleans())
def test_compiled_schedules_are_those_in_python(tiles: TileProgram, on: TileMachine, cramped: int | None, is_traced: bool) -> None:
    machine = on if cramped is None else replace(on, staging_bytes=cramped, prefetch=True)
    plain, compiled = both(tiles, machine, trace=is_traced)
    assert plain == compiled


@pytest.mark.parametrize("past", [-1, 0, 1, 10**6, 2**70])
def test_near_the_largest_number_at_it_and_past_it_a_schedule_is_exact(past: int) -> None:
    one = program(tile("a", w=3, out=2))
    spare = (MOST - largest(tables_of(one, machine()))) // 4
    tiles = program(replace(one.prologue.tiles[0], compute_ps=spare + past), tile("a", w=3, out=2))
    assert fits(tables_of(tiles, machine())) == (largest(tables_of(tiles, machine())) < MOST)
    plain, compiled = both(tiles, machine())
    assert plain == compiled
    (literal, _) = Literal(tiles, machine()).run()  # type: ignore[misc]
    assert isinstance(plain, TileSchedule)
    assert literal.computed_at == 3_000 + spare + past


@pytest.mark.parametrize("field", ["weight_bytes", "activation_bytes", "output_bytes", "staging_bytes", "compute_ps"])
@pytest.mark.parametrize("size", [2**59, 2**60 - 1, 2**60, 2**62, 2**63, 10**25])
def test_no_figure_is_too_large(field: str, size: int) -> None:
    figures: dict[str, Any] = {field: size}
    tiles = TileProgram(TileSection([replace(Tile("a", 1), **figures), Tile("a", 2, 3, 4, 5, 6)]))
    for on in (TileMachine(2, 10**9, prefetch=True), TileMachine(1, 10**9, staging_bytes=2 * size)):
        plain, compiled = both(tiles, on)
        assert plain == compiled
        assert isinstance(plain, TileSchedule)


def test_what_does_not_fit_is_never_run_compiled() -> None:
    assert fits(tables_of(program(tile("a", c=1)), machine()))
    assert not fits(tables_of(TileProgram(TileSection([Tile("a", 2**60 - 1)])), machine(3)))
    assert not fits(tables_of(TileProgram(TileSection([Tile("a", 1, signals=("b",))], (("b", 2**63),))), machine()))
    body = TileSection([Tile("a", 2**40, waits_before=("a",), signals=("a",))], (("a", 1),))
    assert fits(tables_of(TileProgram(body=body, repeats=10**5), machine()))
    assert not fits(tables_of(TileProgram(body=body, repeats=10**7), machine()))


def test_memory_grows_with_what_becomes_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("megasolve.simulate.tiles.engine.SPARE_CELLS", 1)
    body = TileSection([Tile("free", 3, 1, output_bytes=2)] * 40)
    assert len(set(map(str, both(TileProgram(body=body, repeats=300), machine(2))))) == 1


def test_compiled_code_is_used_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    assert loaded().run is not None
    monkeypatch.setenv(SWITCH, "1")
    ran = run_tables(tables_of(program(tile("a", c=1)), machine()), folds=True, traces=False)
    assert type(ran.cells).__name__ == "_Cells"
    assert scheduled(program(tile("a", c=1)), machine()).makespan_ps == 1_000


# The folder of compiled code.


@pytest.mark.parametrize("root", ["/" + 300 * "A", "/dev/null", "relative"])
def test_where_no_code_can_lie_none_is_kept(monkeypatch: pytest.MonkeyPatch, root: str) -> None:
    monkeypatch.setenv("MEGASOLVE_CACHE_DIR", root)
    assert is_kept.__wrapped__() is False


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    assert own_folder(tmp_path / "a/compiled").stat().st_mode & 0o777 == 0o700
    (tmp_path / "open").mkdir(mode=0o755)
    assert own_folder(tmp_path / "open").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_write_to_or_own_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(Unusable, match="others may write to"):
        own_folder(shared)
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="is no folder"):
        own_folder(tmp_path / "file")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(Unusable, match="is no folder"):
        own_folder(tmp_path / "link")
    monkeypatch.setattr("os.getuid", lambda: 1_234_567)
    with pytest.raises(Unusable, match="belongs to another user"):
        own_folder(tmp_path)


def test_only_what_was_written_whole_is_read(tmp_path: Path) -> None:
    made, folder = tmp_path / "made", tmp_path / "compiled"
    made.mkdir()
    (made / "code").write_bytes(b"code")
    assert not is_whole(made)
    seal(made)
    publish(made, folder)
    assert is_whole(folder)
    (folder / "more").write_bytes(b"")
    assert not is_whole(folder)
    (folder / "more").unlink()
    (folder / "code").write_bytes(b"edoc")
    assert not is_whole(folder)
    (folder / "sha256.json").write_text("[" * 100_000)
    assert not is_whole(folder)
    assert not is_whole(tmp_path / "nowhere")


def test_a_damaged_folder_is_replaced_and_a_whole_one_stays(tmp_path: Path) -> None:
    folder = tmp_path / "compiled"
    folder.mkdir()
    (folder / "half").write_bytes(b"")
    for name in ("first", "second"):
        made = tmp_path / name
        made.mkdir()
        (made / "code").write_text(name)
        seal(made)
        publish(made, folder)
    assert (folder / "code").read_text() == "first"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["compiled"]
