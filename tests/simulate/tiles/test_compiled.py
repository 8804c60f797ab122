"""Compiled schedules: the same to the picosecond as in Python, wherever every number is proven to fit, and nowhere else."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.simulate.tiles.compiled.folder import Unusable, own_folder, read_code, write_code
from megasolve.simulate.tiles.compiled.loading import SWITCH, is_kept, loaded
from megasolve.simulate.tiles.compiled.proof import MOST, fits, largest
from megasolve.simulate.tiles.engine import prepare, run_tables
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileDeadlock, TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tables.tables import tables_of
from megasolve.simulate.tiles.tile import Tile
from tests.support.judges.literal_tiles import Literal
from tests.support.planning.operators import contract_of, expanded, stated
from tests.support.simulation.tile_programs import Draw, machine, program, scheduled, tile, tile_machines, tile_programs
from tests.support.toolchain import needs_compiler

LONG = Draw(least_repeats=3, most_repeats=25)
KINDS = (Draw(), Draw(is_sound=False), LONG, replace(LONG, is_chained=True), replace(LONG, is_chained=True, most_tiles=9))


def both(tiles: TileProgram, on: TileMachine, **how: bool) -> Iterator[TileSchedule | TileDeadlock]:
    """Yield the schedule in Python, and compiled where llvmlite is installed."""
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


@settings(max_examples=80, deadline=None)
@given(tile_programs(replace(LONG, has_opaque=False)), tile_machines(), st.sampled_from((None, 4, 7)), st.booleans())
def test_compiled_schedules_in_static_order_are_those_in_python(
    tiles: TileProgram, on: TileMachine, staging: int | None, is_traced: bool
) -> None:
    plain, compiled = both(tiles, replace(on, is_static=True, staging_bytes=staging), trace=is_traced)
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
    late = TileSection([Tile("a", 1, signals=("b",)), Tile("a", 1, waits=("b",))], (("b", 1),), {"b": 2**59})
    assert fits(tables_of(TileProgram(late), machine()))
    assert not fits(tables_of(TileProgram(late), machine(9)))
    assert not fits(tables_of(TileProgram(late), replace(machine(), queue_ps=2**60)))


def test_memory_grows_with_what_becomes_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("megasolve.simulate.tiles.engine.SPARE_CELLS", 1)
    body = TileSection([Tile("free", 3, 1, output_bytes=2)] * 40)
    assert len(set(map(str, both(TileProgram(body=body, repeats=300), machine(2))))) == 1


@needs_compiler
def test_compiled_code_is_used_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded().run is not None
    monkeypatch.setenv(SWITCH, "1")
    ran = run_tables(tables_of(program(tile("a", c=1)), machine()), folds=True, traces=False)
    assert type(ran.cells).__name__ == "_Cells"
    assert scheduled(program(tile("a", c=1)), machine()).makespan_ps == 1_000


@pytest.mark.parametrize(
    ("switch", "is_at_hand", "seconds", "is_asked"),
    [("", False, 1.0, False), ("", False, 10.0, True), ("", True, 0.1, True), ("0", True, 10.0, False)],
)
def test_code_is_made_beforehand_where_that_pays(
    monkeypatch: pytest.MonkeyPatch, switch: str, is_at_hand: bool, seconds: float, is_asked: bool
) -> None:
    asked: list[int] = []
    monkeypatch.setenv(SWITCH, switch)
    monkeypatch.setattr("megasolve.simulate.tiles.engine.is_kept", lambda: is_at_hand)
    monkeypatch.setattr("megasolve.simulate.tiles.engine.loaded", lambda: asked.append(1))
    prepare(seconds)
    assert bool(asked) == is_asked


@needs_compiler
def test_a_tile_takes_at_most_100_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "1")
    contract, on = contract_of(stated("wide", 200_000, weight_bytes=32_768, output_bytes=512)), machine(132)
    scheduled(expanded(contract), on)
    tracemalloc.start()
    tiles = expanded(contract)
    while_expanding = tracemalloc.get_traced_memory()[1]
    scheduled(tiles, on)
    at_most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert while_expanding <= at_most <= 100 * tiles.tile_count


# What is said where the code cannot be kept, or not be made.


@pytest.fixture(scope="module")
def machine_code() -> bytes:
    from megasolve.simulate.tiles.compiled.code import machine_code

    return machine_code()


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch, machine_code: bytes) -> list[int]:
    """Let what is compiled be at hand, and note how often it is."""
    times: list[int] = []

    def noted() -> bytes:
        times.append(1)
        return machine_code

    monkeypatch.setattr("megasolve.simulate.tiles.compiled.code.machine_code", noted)
    return times


def told(patch: pytest.MonkeyPatch, root: Path | str) -> tuple[bool, str]:
    """Return whether there is compiled code with the cache in *root*, and what is said of it."""
    patch.setenv("MEGASOLVE_CACHE_DIR", str(root))
    found = loaded.__wrapped__()
    return found.run is not None, found.warning or ""


@needs_compiler
def test_code_is_compiled_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiling: list[int]) -> None:
    assert told(monkeypatch, tmp_path) == (True, "")
    assert is_kept.__wrapped__()
    assert told(monkeypatch, tmp_path) == (True, "")
    assert len(compiling) == 1


@needs_compiler
@pytest.mark.parametrize("spoilt", [b"", b"not code\n", b"7" * 64 + b"\n" + bytes(4096)])
def test_damaged_or_foreign_code_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiling: list[int], spoilt: bytes
) -> None:
    assert told(monkeypatch, tmp_path) == (True, "")
    (file,) = (tmp_path / "compiled").iterdir()
    file.write_bytes(spoilt)
    assert not is_kept.__wrapped__()
    assert told(monkeypatch, tmp_path) == (True, f"compiled code in {file} was damaged, and is made again")
    assert told(monkeypatch, tmp_path) == (True, "")
    assert len(compiling) == 2


@needs_compiler
@pytest.mark.usefixtures("compiling")
@pytest.mark.parametrize(
    ("root", "said"),
    [
        ("/dev/null", "cannot use /dev/null/compiled: Not a directory"),
        ("/" + 300 * "A", f"cannot use /{300 * 'A'}/compiled: File name too long"),
    ],
)
def test_where_code_cannot_be_kept_each_run_compiles_and_says_so(monkeypatch: pytest.MonkeyPatch, root: str, said: str) -> None:
    assert told(monkeypatch, root) == (True, f"compiled code is not kept, so each run compiles it: {said}")


@needs_compiler
@pytest.mark.usefixtures("compiling")
def test_without_a_home_code_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert told(monkeypatch, "")[1].endswith("there is no home folder; name one in MEGASOLVE_CACHE_DIR")


def test_without_a_compiler_nothing_is_said_and_one_that_is_broken_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "megasolve.simulate.tiles.compiled.code", raising=False)
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    assert told(monkeypatch, tmp_path) == (False, "")
    assert not is_kept.__wrapped__()
    stub = tmp_path / "llvmlite.py"
    stub.write_text("raise OSError('libllvm.so: cannot open shared object file')")
    monkeypatch.delitem(sys.modules, "llvmlite")
    monkeypatch.syspath_prepend(str(tmp_path))
    said = "tiles are scheduled in Python, which is slower: they cannot be compiled here: libllvm.so: cannot open shared object file"
    assert told(monkeypatch, tmp_path) == (False, said)


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


@pytest.mark.parametrize("spoilt", [b"", b"code", b"\n", b"\xff\n" + bytes(99)])
def test_only_what_was_written_whole_and_for_the_same_is_read(tmp_path: Path, spoilt: bytes) -> None:
    file = tmp_path / "kernel.o"
    assert read_code(file, "this") is None
    write_code(file, "this", b"co\nde")
    assert read_code(file, "this") == b"co\nde"
    assert read_code(file, "that") is None
    file.write_bytes(file.read_bytes()[:-1])
    assert read_code(file, "this") is None
    file.write_bytes(spoilt)
    assert read_code(file, "this") is None
    assert read_code(tmp_path, "this") is None
