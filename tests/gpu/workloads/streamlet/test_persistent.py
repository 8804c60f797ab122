"""Instruction programs: the tiles and counters of the tile programs that are scheduled, with operands, and counters between calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from megasolve.gpu.errors import GpuError
from megasolve.gpu.programs.executions import executions, tile_programs
from megasolve.gpu.programs.group_calls import Call, Streams, serial_calls
from megasolve.gpu.programs.instructions import Instruction, InstructionProgram
from megasolve.gpu.workloads.streamlet.conventional import conventional_contracts, launches_of
from megasolve.gpu.workloads.streamlet.model import model_of
from megasolve.gpu.workloads.streamlet.persistent import compile_program
from megasolve.gpu.workloads.streamlet.trials import differences, largest_distance, trial
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.tile import Tile
from tests.support.judges.tile_interpreter import Stuck, run_launches, run_program
from tests.support.kernels.streamlet import compiled, entry_of, shipped, small, split_streams, with_instruction

SPEC = small().spec.value
WHOLE = serial_calls(SPEC)


def instructions_of(program: InstructionProgram) -> list[Instruction]:
    return [program.instruction(index) for index in range(len(program))]


@pytest.mark.parametrize("entry", ["P_B_L_C", "P_B_L_C_128"])
@pytest.mark.parametrize("batch", [1, 4])
def test_a_program_has_the_tiles_that_are_scheduled_and_no_others(entry: str, batch: int) -> None:
    study = shipped()
    tiles = tile_programs(study, entry_of(study, entry), batch)
    _, program = compiled(study, entry, batch, serial_calls(study.spec.value))
    found = Counter(program.origin(index).call for index in range(len(program)))
    assert found == {call: tiles[call.group].tile_count for call in serial_calls(study.spec.value)}


def test_every_counter_gets_as_many_arrivals_as_are_waited_for() -> None:
    _, program = compiled(small(), "P_B_L_C", 4, WHOLE)
    arrivals = Counter(int(counter) for counter in program.signals)
    assert {int(counter): int(target) for counter, target in program.waits} == arrivals
    assert set(arrivals) == set(range(program.counters))


def test_counters_inside_a_call_are_those_of_its_tile_program() -> None:
    tiles = tile_programs(small(), entry_of(small(), "L"), 4)["L"]
    _, program = compiled(small(), "L", 4, [Call("L", 2)])
    awaited = Counter(name for tile in tiles.prologue.tiles for name in tile.waits)
    targets = dict(tiles.prologue.counters)
    assert sorted(targets[name] for name in awaited.elements()) == sorted(int(target) for _, target in program.waits)


@pytest.mark.parametrize("batch", [1, 3, 9])
@pytest.mark.parametrize("ctas", [1, 7])
def test_a_program_computes_what_the_reference_does(batch: int, ctas: int) -> None:
    model, program = compiled(small(), "P_B_L_C", batch, WHOLE)
    asked = trial(model, WHOLE, seed=batch)
    arenas = asked.before.copied()
    counters = run_program(arenas, program, ctas=ctas, seed=ctas)
    assert differences(arenas, asked.expected) == ()
    assert largest_distance(arenas, asked.expected) < 1e-5
    assert counters == np.bincount(program.signals, minlength=program.counters).tolist()


@pytest.mark.parametrize("x_ctas", [1, 4])
def test_two_pools_of_one_launch_compute_the_same(x_ctas: int) -> None:
    model, program = compiled(small(), "P_B_L_C", 3, split_streams(SPEC))
    assert program.streams(x_ctas).tolist()[-1] == x_ctas
    asked = trial(model, WHOLE, seed=5)
    arenas = asked.before.copied()
    run_program(arenas, program, ctas=6, x_ctas=x_ctas, seed=x_ctas)
    assert differences(arenas, asked.expected) == ()


def test_a_second_chunk_waits_for_its_steps_and_keeps_the_samples_of_the_first() -> None:
    calls = [*WHOLE, Call("C", 2)]
    model, program = compiled(small(), "P_B_L_C", 2, calls)
    asked = trial(model, calls, seed=1)
    assert not np.isnan(np.asarray(asked.expected.view("samples"), np.float64)[:2]).any()
    arenas = asked.before.copied()
    run_program(arenas, program, ctas=5)
    assert differences(arenas, asked.expected) == ()


@pytest.mark.parametrize("batch", [1, 3, 9])
def test_conventional_launches_compute_the_same(batch: int) -> None:
    model = model_of(SPEC, batch)
    asked = trial(model, WHOLE, seed=2)
    arenas = asked.before.copied()
    run_launches(arenas, [launch for call in WHOLE for launch in launches_of(small(), model, call)])
    assert differences(arenas, asked.expected) == ()


def test_kernels_that_repeat_alike_take_turns_layer_by_layer() -> None:
    names = [(launch.origin.operator, launch.origin.layer) for launch in launches_of(small(), model_of(SPEC, 1), Call("P"))]
    layer = ["norm_1", "qkv", "rotary", "append", "attention", "o", "norm_3", "up", "gate", "down"]
    assert names == [
        ("embed", 0),
        *((name, 0) for name in layer),
        *((name, 1) for name in layer),
        *((name, 0) for name in ("norm_f", "logits", "sample")),
    ]


def test_the_launches_of_one_contract_are_the_kernels_that_it_counts() -> None:
    model = model_of(SPEC, 4)
    for contract in conventional_contracts(small(), "B"):
        launches = launches_of(small(), model, Call("B", 2), [contract])
        assert len(launches) == contract.kernels
        assert {launch.entry for launch in launches} == {contract.entry}


def test_a_product_of_few_rows_goes_without_tensor_cores() -> None:
    for batch, name in ((8, "matvec"), (9, "matmul")):
        _, program = compiled(small(), "L", batch, [Call("L")])
        assert name in {one.operation.name for one in instructions_of(program)}


def test_an_instruction_has_the_words_that_the_kernels_read() -> None:
    _, program = compiled(small(), "L", 3, [Call("L")])
    word, one = program.words[1], program.instruction(1)
    assert program.words.shape == (len(program), 32)
    assert word[:6].tolist() == [one.operation.code, *word[1:3], *word[3:5], one.origin]
    assert word[6:8].tolist() == [0, 0]
    assert word[8 : 8 + len(one.arguments)].tolist() == list(one.arguments)
    assert str(program.origin(1)) == "norm_f of L1 in layer 0"


def test_a_launch_of_its_own_runs_one_stream_of_a_shared_program() -> None:
    _, program = compiled(small(), "P_B_L_C", 3, split_streams(SPEC))
    assert program.streams_of_pool(program.y, 4).tolist() == [0, 0, program.y.start, len(program.y), 0, 0, 4]


def test_first_tiles_of_a_call_wait_for_all_last_tiles_of_the_calls_before() -> None:
    _, program = compiled(small(), "B_L", 4, [Call("B", 1), Call("L", 1), Call("B", 2)])
    ones = instructions_of(program)
    starts = [one for index, one in enumerate(ones) if str(program.origin(index)) == "embed of B2 in layer 0"]
    ends = [one for index, one in enumerate(ones) if str(program.origin(index)) == "sample of L1 in layer 0"]
    (counter,) = {wait for one in starts for wait in one.waits}
    assert counter[1] == len(ends) == 4
    assert all(counter[0] in one.signals for one in ends)


def test_without_its_waits_a_program_is_wrong() -> None:
    model, program = compiled(small(), "P_B_L_C", 2, WHOLE)
    asked = trial(model, WHOLE, seed=3)
    words = program.words.copy()
    words[:, 2] = 0
    arenas = asked.before.copied()
    with np.errstate(invalid="ignore"):
        run_program(arenas, replace(program, words=words), ctas=6, seed=1)
    assert differences(arenas, asked.expected) != ()


def test_a_counter_that_never_opens_is_seen_when_a_program_is_run() -> None:
    model, program = compiled(small(), "L", 2, [Call("L")])
    asked = trial(model, [Call("L")], 0, WHOLE[:2])
    last = len(program) - 1
    ((counter, target),) = program.instruction(last).waits
    stuck = with_instruction(program, last, waits=((counter, target + 1),))
    with pytest.raises(Stuck, match=f"all wait: instructions {last} .sample of L1 in layer 0"):
        run_program(asked.before.copied(), stuck)


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ([Call("B", 7)], r"call B7: the model has room for 6 of 'B'; raise the symbol 'steps'"),
        ([Call("B", 0)], "call B0: the model has room for 6"),
        ([Call("C", 3)], "call C3: the model has room for 2 of 'C'"),
        ([Call("X")], "has no group 'X'"),
        ([Call("L")], "no entry runs group 'L'; there are programs of B"),
        ([Call("B"), Call("B")], "a call stands twice among B1, B1"),
    ],
)
def test_calls_that_nothing_can_run_are_refused(calls: list[Call], message: str) -> None:
    with pytest.raises(GpuError, match=message):
        compiled(small(), "B", 1, calls)


def test_an_operator_that_the_model_does_not_have_is_refused() -> None:
    tiles = {"L": TileProgram(TileSection((Tile("topk", 1, spans=((0, 1), (0, 1), (0, 1))),)))}
    with pytest.raises(GpuError, match=r"group 'L' has no operator 'topk'; the kernels know norm_f, logits, sample"):
        compile_program(model_of(SPEC, 1), SPEC, tiles, Streams((Call("L"),)))


def test_tiles_without_a_place_have_no_operands() -> None:
    with pytest.raises(GpuError, match="a tile of 'norm_f' has no place in its output"):
        list(executions(TileProgram(TileSection((Tile("norm_f", 1),)))))
