"""Field cases on the launching side: what a program or a grid is refused for before anything is launched."""

from __future__ import annotations

import pytest

from megasolve.gpu.programs.group_calls import serial_calls
from megasolve.gpu.programs.verify import ProgramFault, ProgramGrid, faults, grid_faults
from tests.support.kernels.bare_programs import BARE_LAYOUT, bare, barrier_program, finishes, one_cta_each, program_of
from tests.support.kernels.streamlet import compiled, small


def messages(found: tuple[ProgramFault, ...]) -> list[str]:
    return [fault.message for fault in found]


def test_c12_a_grid_in_clusters_is_counted_in_ctas_before_it_is_compared() -> None:
    (fault,) = grid_faults(ProgramGrid.of_clusters(66, 2 * 2, resident=132))
    assert fault.message.startswith("a cooperative grid of 264 CTAs > 132 resident at a time")
    assert list(grid_faults(ProgramGrid.of_clusters(33, 2 * 2, resident=132))) == []


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
