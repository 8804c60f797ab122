"""The next legal value beside each launch limit: what is named fits, and one unit more does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from megasolve.contracts.check.rules import limit as limit_rules
from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.lighter import registers_for, shared_bytes_for, threads_for, what_would_fit
from megasolve.contracts.limits.occupancy import occupancy
from tests.support.planning.launches import device, launch, megakernel

H100 = device()
per_sm = st.integers(1, 32)


def because(shape: dict[str, int], budget: int = 1, **figures: int) -> str:
    """Return the one reason why this launch is refused on an H100 with other *figures*."""
    (fault,) = launch_faults(device(**figures), megakernel(launch(**shape)), budget)
    return fault.message


@given(threads=st.integers(1, 1024), ctas=per_sm)
def test_the_registers_that_are_named_fit_and_one_more_does_not(threads: int, ctas: int) -> None:
    registers = registers_for(H100, threads, ctas)
    assume(registers)
    assert occupancy(H100, launch(threads, registers)).by["registers"] >= ctas
    assert registers == 255 or occupancy(H100, launch(threads, registers + 1)).by["registers"] < ctas


@given(ctas=per_sm)
def test_the_block_and_the_shared_memory_that_are_named_fit_and_one_more_does_not(ctas: int) -> None:
    threads, shared_bytes = threads_for(H100, ctas), shared_bytes_for(H100, ctas)
    assert shared_bytes is not None
    assert occupancy(H100, launch(threads)).by["threads"] >= ctas
    assert threads == 1024 or occupancy(H100, launch(threads + 1)).by["threads"] < ctas
    assert occupancy(H100, launch(shared_bytes=shared_bytes)).by["shared"] >= ctas
    assert occupancy(H100, launch(shared_bytes=shared_bytes + 1)).by["shared"] < ctas


@given(threads=st.integers(32, 1024), registers=st.integers(16, 255), shared_bytes=st.integers(0, 232448), ctas=per_sm)
def test_a_launch_made_as_light_as_it_says_is_no_longer_refused(threads: int, registers: int, shared_bytes: int, ctas: int) -> None:
    said = what_would_fit(H100, launch(threads, registers, shared_bytes=shared_bytes), ctas)
    figures = [re.search(pattern, said) for pattern in (r"([\d,]+) threads", r"(\d+) registers", r"([\d,]+) B")]
    named = [int(found[1].replace(",", "")) if found else None for found in figures]
    lighter = launch(named[0] or threads, named[1] or registers, shared_bytes=shared_bytes if named[2] is None else named[2])
    assert occupancy(H100, lighter).ctas_per_sm >= ctas


@pytest.mark.parametrize(("ctas", "registers"), [(3, 80), (4, 64)])
def test_c93_the_registers_at_which_so_many_blocks_fit_are_said(ctas: int, registers: int) -> None:
    said = because({"threads": 256, "registers": 127, "ctas_per_sm": ctas, "shared_bytes": 16384})
    assert said.endswith(f"; {ctas} per SM need a compiled entry with at most {registers} registers")


def test_every_figure_that_is_too_large_is_named() -> None:
    said = because({"threads": 1024, "registers": 64, "ctas_per_sm": 3, "shared_bytes": 80000}, registers_per_sm=131072)
    block, registers, shared = (
        "blocks of at most 672 threads",
        "a compiled entry with at most 40 registers",
        "at most 76,800 B of shared memory",
    )
    assert said.endswith(f"; 3 per SM need {block}, {registers} and {shared} a CTA")


def test_more_blocks_than_an_sm_has_slots_for_are_never_reached() -> None:
    assert because({"threads": 32, "registers": 16, "ctas_per_sm": 40}).endswith("; no launch has more than 32 CTAs per SM on h100")


def test_shared_memory_names_what_is_legal_where_the_limit_per_cta_is_not() -> None:
    loose = {"shared_bytes_per_cta": 233472}
    assert because({"shared_bytes": 232449}, **loose).endswith("; at most 232,448 B are legal")
    assert because({"shared_bytes": 240000}, **loose).endswith("; at most 232,448 B are legal")
    assert because({"shared_bytes": 240000}).endswith("> 232,448 B per CTA on h100, 7,552 B too many")


def test_a_block_above_the_limit_of_a_cta_is_never_offered_a_variant() -> None:
    found = [one.message for one in launch_faults(H100, megakernel(launch(4096, 200)), 1)]
    assert any("a 1,024-thread variant needs a compiled entry with at most 64 registers" in one for one in found)


def test_the_largest_legal_grid_is_whole_clusters() -> None:
    shape = {"cluster_ctas": 16}
    (fault,) = launch_faults(device(clusters=({"cluster_ctas": 16, "active_clusters": 200},)), megakernel(launch(**shape)), 160)
    assert "= 132 on h100; the largest legal grid is 128 CTAs" in fault.message


def test_the_largest_legal_grid_is_no_more_than_the_clusters_that_are_co_resident() -> None:
    found = launch_faults(device(clusters=({"cluster_ctas": 16, "active_clusters": 7},)), megakernel(launch(cluster_ctas=16)), 160)
    assert ["the largest legal grid is 112 CTAs" in found[0].message, "7 x 16 = 112 CTAs" in found[1].message] == [True, True]


def test_where_no_role_alone_can_give_way_the_count_for_all_is_said() -> None:
    roles = tuple({"name": name, "threads": 128, "registers": 240} for name in ("a", "b", "c"))
    (fault,) = limit_rules.roles_within_allocation(megakernel(launch(384, 80, roles=roles)))
    assert fault.message.endswith("lower several roles: all of them fit at 80")
