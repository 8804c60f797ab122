"""The verifier: sound programs pass, and each way to be wrong is found before any launch, with the instruction and the operator."""

from __future__ import annotations

from dataclasses import replace

import pytest

from megasolve.gpu.programs.group_calls import serial_calls
from megasolve.gpu.programs.instructions import InstructionProgram
from megasolve.gpu.programs.operation import Operation
from megasolve.gpu.programs.operations import OPERATIONS
from megasolve.gpu.programs.ordering import ancestors
from megasolve.gpu.programs.verify import ProgramFault, ProgramGrid, faults
from tests.support.kernels.bare_programs import BARE_LAYOUT, bare, barrier_program, finishes, one_cta_each, program_of
from tests.support.kernels.streamlet import compiled, shipped, small, split_streams, with_instruction

CALLS = serial_calls(small().spec.value)
MODEL, PROGRAM = compiled(small(), "P_B_L_C", 3, CALLS)
SPLIT = compiled(small(), "P_B_L_C", 3, split_streams(small().spec.value))[1]
GRID = ProgramGrid(8, 8)


def found(program: InstructionProgram, grid: ProgramGrid = GRID) -> tuple[ProgramFault, ...]:
    return faults(program, MODEL.layout, grid)


def index_of(text: str, program: InstructionProgram = PROGRAM) -> int:
    return next(index for index in range(len(program)) if str(program.origin(index)) == text)


def with_argument(index: int, name: str, value: int) -> InstructionProgram:
    one = PROGRAM.instruction(index)
    arguments = list(one.arguments)
    arguments[one.operation.arguments.index(name)] = value
    return with_instruction(PROGRAM, index, arguments=tuple(arguments))


@pytest.mark.parametrize("batch", [1, 4, 32])
def test_the_shipped_programs_are_sound_on_any_number_of_ctas(batch: int) -> None:
    model, program = compiled(shipped(), "P_B_L_C", batch, split_streams(shipped().spec.value))
    assert faults(program, model.layout, ProgramGrid(132, 132, 88)) == ()
    whole = compiled(shipped(), "B_L", batch, serial_calls(shipped().spec.value, ["B", "L"])[:2])[1]
    assert faults(whole, model.layout, ProgramGrid(132, 1, cooperative=False)) == ()


@pytest.mark.parametrize("entry", ["P", "P_B", "P_B_L", "B", "B_L", "B_L_C", "L", "L_C", "C", "B_L_128", "P_B_L_C_512"])
def test_the_program_of_every_entry_is_sound(entry: str) -> None:
    members = next(document.value.members for document in small().contracts if document.value.entry == entry)
    model, program = compiled(small(), entry, 2, serial_calls(small().spec.value, members))
    assert faults(program, model.layout, GRID) == ()


@pytest.mark.parametrize("resident", [1, 2, 7])
def test_tickets_finish_with_any_number_of_resident_ctas(resident: int) -> None:
    assert found(PROGRAM, ProgramGrid(8, resident, cooperative=False)) == ()


def test_a_split_finishes_only_with_ctas_of_both_pools_unless_they_start_in_order() -> None:
    assert found(SPLIT, ProgramGrid(8, 8, x_ctas=5)) == ()
    assert found(SPLIT, ProgramGrid(8, 4, x_ctas=5, cooperative=False)) == ()
    fault = found(SPLIT, ProgramGrid(8, 3, x_ctas=5, cooperative=False))[0]
    assert fault.kind == "deadlock"
    assert "codes of C1 in layer 0): deadlock: waits for counter" in fault.message
    assert "(sample of L3 in layer 0), which no CTA takes (3 of 8 CTAs resident" in fault.message
    assert found(SPLIT, ProgramGrid(8, 3, x_ctas=5, cooperative=False, ordered=True)) == ()


def test_a_pool_without_ctas_never_runs_its_stream() -> None:
    (fault,) = found(SPLIT, ProgramGrid(8, 8, x_ctas=8))
    assert fault.kind == "deadlock"
    assert f"instruction {SPLIT.y.start} (codes of C1 in layer 0): never taken: its pool has no CTA that starts" in fault.message


def test_every_dropped_wait_is_found_unless_other_waits_imply_it() -> None:
    order = range(len(PROGRAM))
    instructions = [PROGRAM.instruction(index) for index in order]
    places = [(index, wait) for index, one in enumerate(instructions) for wait in range(len(one.waits))]
    implied = 0
    for index, wait in places[::23]:
        waits = instructions[index].waits
        dropped = with_instruction(PROGRAM, index, waits=waits[:wait] + waits[wait + 1 :])
        if not found(dropped):
            implied += 1
            changed = [dropped.instruction(number) for number in order]
            assert ancestors(changed, order) == ancestors(instructions, order)
    assert implied < len(places[::23]) / 10


def test_a_dropped_wait_is_called_a_race_with_the_tensor_and_both_operators() -> None:
    index = index_of("norm_3 of P1 in layer 0")
    fault = found(with_instruction(PROGRAM, index, waits=()))[0]
    assert (fault.kind, fault.instruction) == ("race", index)
    assert fault.message.startswith(f"instruction {index} (norm_3 of P1 in layer 0): races with instruction ")
    assert "one of them writes, and neither waits for the other" in fault.message
    assert "(embed of P1 in layer 0) for element 0 of P.x" in fault.message


@pytest.mark.parametrize(("change", "ending"), [(1, "it never opens"), (-1, "it opens before the last of them")])
def test_a_wrong_target_is_found(change: int, ending: str) -> None:
    index = index_of("embed of B2 in layer 0")
    ((counter, target),) = PROGRAM.instruction(index).waits
    (fault,) = found(with_instruction(PROGRAM, index, waits=((counter, target + change),)))
    assert fault.kind == "counter"
    who = f"instruction {index} (embed of B2 in layer 0)"
    assert fault.message == f"{who}: waits for {3 + change} arrivals at counter {counter}, which gets 3: {ending}"


@pytest.mark.parametrize(("change", "text"), [(-1, "which gets 2: it never opens"), (1, "which gets 4: it opens before")])
def test_a_missing_and_a_doubled_arrival_are_found(change: int, text: str) -> None:
    index = index_of("sample of L1 in layer 0")
    signals = PROGRAM.instruction(index).signals
    fault = found(with_instruction(PROGRAM, index, signals=signals[1:] if change < 0 else signals * 2))[0]
    assert (fault.kind, text in fault.message) == ("counter", True)


def test_a_counter_that_nothing_waits_for_any_more_is_found() -> None:
    index = index_of("sample of L5 in layer 0")
    (wait,) = PROGRAM.instruction(index).waits
    waiting = [number for number in range(len(PROGRAM)) if wait in PROGRAM.instruction(number).waits]
    program = PROGRAM
    for number in waiting:
        program = with_instruction(program, number, waits=())
    assert f"counter {wait[0]} gets" in found(program)[0].message
    assert "nothing waits for it: a wait was dropped" in found(program)[0].message


def test_an_instruction_that_waits_for_itself_is_a_deadlock() -> None:
    index = index_of("gate of P1 in layer 1")
    one = PROGRAM.instruction(index)
    counter = one.signals[0]
    total = sum(counter in PROGRAM.instruction(number).signals for number in range(len(PROGRAM)))
    fault = found(with_instruction(PROGRAM, index, waits=(*one.waits, (counter, total))))[0]
    assert fault.kind == "deadlock"
    assert (
        f"instruction {index} (gate of P1 in layer 1): deadlock: waits for counter {counter} (0 of 1 arrivals): missing is its own"
        in fault.message
    )


def test_one_that_waits_for_a_later_ticket_needs_another_cta_to_take_that() -> None:
    program = program_of([bare([(0, 1)], place=1), bare([], [0], place=2)])
    assert faults(program, BARE_LAYOUT, ProgramGrid(2, 2)) == ()
    (fault,) = faults(program, BARE_LAYOUT, ProgramGrid(1, 1))
    assert "waits for counter 0 (0 of 1 arrivals): missing is instruction 1 (bare of B1 in layer 0), which no CTA takes" in fault.message


def test_what_all_ctas_share_waits_for_nothing_that_one_pool_runs() -> None:
    program = program_of([bare([(0, 1)], place=1)], x=[bare([], [0], place=2)])
    (fault,) = faults(program, BARE_LAYOUT, ProgramGrid(4, 4, x_ctas=2))
    assert fault.kind == "deadlock"
    assert "all CTAs share it, but it waits for instruction 1 (bare of B1 in layer 0) of one pool" in fault.message


def test_two_that_wait_for_each_other_never_finish() -> None:
    program = program_of([bare([(1, 1)], [0], place=1), bare([(0, 1)], [1], place=2)])
    assert ["which waits, too" in fault.message for fault in faults(program, BARE_LAYOUT, ProgramGrid(8, 8))] == [True, True]


@pytest.mark.parametrize(
    ("origin", "argument", "value", "text"),
    [
        ("norm_1 of P1 in layer 0", "y", 10**6, "y is elements 1000000 to"),
        ("norm_1 of P1 in layer 0", "x", -32, "x is elements -32 to"),
        ("norm_1 of P1 in layer 0", "weight", 10**6, "of weights, which has"),
        ("norm_1 of P1 in layer 0", "rows", 0, "norm: rows 0, at least 1"),
        ("norm_1 of P1 in layer 0", "ldy", 1, "y has rows of 32 elements that overlap: they begin 1 apart"),
        ("embed of B1 in layer 0", "ids_first", 10**6, "ids_first is elements"),
        ("o of P1 in layer 0", "m", 65, "65 rows, at most 64"),
        ("o of B1 in layer 0", "m", 9, "matvec: 9 rows, at most 8"),
        ("o of P1 in layer 0", "k", 12, "k 12 is no multiple of 8"),
        ("append of B1 in layer 0", "position_first", 11, "position_first + tokens 12, at most capacity 11"),
        ("attention of B1 in layer 0", "kv_tokens", 12, "kv_tokens 12, at most capacity 11"),
        ("attention of P1 in layer 0", "heads", 3, "head_first + heads 3, at most kv_heads 2"),
        ("step of B1 in layer 0", "head_count", 5, "head_first + head_count 5, at most heads 4"),
        ("gate of P1 in layer 0", "function", 4, "elementwise: no function has number 4"),
        ("rotary of P1 in layer 0", "head_dim", 7, "rotary: head_dim 7 is no multiple of 2"),
        ("upsample_1 of C1 in layer 0", "cols", 9, "col_first + cols 9, at most c_out 8"),
        ("upsample_1 of C1 in layer 0", "t_in", 0, "conv_transpose1d: t_in 0, at least 1"),
    ],
)
def test_arguments_outside_the_arenas_and_beyond_the_kernels_are_found(origin: str, argument: str, value: int, text: str) -> None:
    index = index_of(origin)
    reported = found(with_argument(index, argument, value))
    assert {fault.kind for fault in reported} == {"arguments"}
    assert reported[0].message.startswith(f"instruction {index} ({origin}): ")
    assert text in reported[0].message


def test_an_operation_that_the_entry_does_not_hold_is_found() -> None:
    held = set(OPERATIONS) - {"step"}
    reported = faults(PROGRAM, MODEL.layout, GRID, held)
    assert {fault.kind for fault in reported} == {"range"}
    assert "(step of B1 in layer 0): the entry has no 'step', only attention_decode" in reported[0].message
    assert faults(PROGRAM, MODEL.layout, GRID, OPERATIONS) == ()


def test_an_unknown_code_is_found() -> None:
    program = with_instruction(PROGRAM, 5, operation=Operation(31, "unknown", (), ""), arguments=())
    assert [fault.message for fault in found(program)] == [f"instruction 5 ({PROGRAM.origin(5)}): no operation has code 31"]


def test_numbers_outside_the_lists_of_the_program_are_found() -> None:
    words = PROGRAM.words.copy()
    words[3, 1], words[4, 5] = len(PROGRAM.waits), len(PROGRAM.origins)
    messages = [fault.message for fault in found(replace(PROGRAM, words=words))]
    assert messages == [
        f"instruction 3 ({PROGRAM.origin(3)}): its waits or signals lie outside the lists of the program",
        f"instruction 4: origin {len(PROGRAM.origins)}, expected 0 to {len(PROGRAM.origins) - 1}",
    ]
    (fault,) = found(replace(PROGRAM, counters=PROGRAM.counters - 1))
    assert fault.message == f"counter {PROGRAM.counters - 1}, expected 0 to {PROGRAM.counters - 2}"


def test_streams_hold_every_instruction_once() -> None:
    (fault,) = found(replace(PROGRAM, common=range(len(PROGRAM) - 1)))
    assert fault.message == f"the streams do not hold each of the {len(PROGRAM)} instructions once"


@pytest.mark.parametrize(
    ("grid", "text"),
    [
        (ProgramGrid(9, 8), "a cooperative grid of 9 CTAs > 8 resident at a time"),
        (ProgramGrid(8, 8, x_ctas=9), "pool X has 9 of 8 CTAs; expected 0 to 8"),
        (ProgramGrid(0, 8), "0 CTAs of which 8 are resident; at least 1 of each"),
    ],
)
def test_grids_that_cannot_be_launched_are_refused(grid: ProgramGrid, text: str) -> None:
    assert text in found(PROGRAM, grid)[0].message


def messages(found: tuple[ProgramFault, ...]) -> list[str]:
    return [fault.message for fault in found]


def test_c14_a_grid_that_is_too_large_is_refused_and_never_made_smaller() -> None:
    model, program = compiled(small(), "P_B_L_C", 1, serial_calls(small().spec.value))
    (fault,) = faults(program, model.layout, ProgramGrid(216, 132))
    assert fault.kind == "grid"
    assert "a smaller one is another design: declare a budget of at most 132 and measure that" in fault.message
    assert faults(program, model.layout, ProgramGrid(132, 132)) == ()


@pytest.mark.parametrize(("ctas", "resident", "is_sound"), [(128, 112, False), (112, 112, True), (112, 56, False), (56, 56, True)])
def test_c17_a_grid_barrier_needs_every_cta_resident(ctas: int, resident: int, is_sound: bool) -> None:
    program = barrier_program([1] * ctas)
    assert faults(program, BARE_LAYOUT, ProgramGrid(ctas, ctas)) == ()
    assert finishes(program, one_cta_each(ctas, 2), resident) is is_sound


def test_c17_the_same_barrier_taken_by_tickets_finishes_with_what_is_resident() -> None:
    arrivals = [bare([], [0], place=cta) for cta in range(128)]
    after = [bare([(0, 128)], [], place=128 + cta) for cta in range(128)]
    assert faults(program_of([*arrivals, *after]), BARE_LAYOUT, ProgramGrid(128, 112, cooperative=False)) == ()


def test_c20_waiting_ctas_that_come_first_leave_no_room_for_those_that_they_wait_for() -> None:
    producers, ctas, resident = 18_000, 20_480, 1_280
    consumers = ctas - producers
    producing = [bare([], [0], place=index) for index in range(producers)]
    consuming = [bare([(0, producers)], [], place=producers + index) for index in range(consumers)]
    assert not finishes(program_of([*consuming, *producing]), one_cta_each(ctas, 1), resident)
    assert finishes(program_of([*producing, *consuming]), one_cta_each(ctas, 1), resident)
    assert not finishes(program_of([*producing, *consuming]), one_cta_each(ctas, 1), resident, ordered=False)
    assert finishes(program_of([*consuming[:1_000], *producing]), one_cta_each(producers + 1_000, 1), resident)


def test_c20_tickets_in_topological_order_finish_whatever_is_resident() -> None:
    producing = [bare([], [0], place=index) for index in range(1_500)]
    consuming = [bare([(0, 1_500)], [], place=1_500 + index) for index in range(548)]
    assert faults(program_of([*producing, *consuming]), BARE_LAYOUT, ProgramGrid(2_048, 128, cooperative=False)) == ()
    assert faults(program_of([*consuming, *producing]), BARE_LAYOUT, ProgramGrid(2_048, 128, cooperative=False))[0].kind == "deadlock"


def test_c21_ctas_that_meet_a_barrier_unequally_often_leave_the_others_waiting() -> None:
    found = faults(barrier_program([4, 7, 7, 2]), BARE_LAYOUT, ProgramGrid(4, 4))
    assert {fault.kind for fault in found} == {"counter"}
    assert messages(found)[0].endswith("waits for 4 arrivals at counter 2, which gets 3: it never opens")
    assert faults(barrier_program([7, 7, 7, 7]), BARE_LAYOUT, ProgramGrid(4, 4)) == ()
