from __future__ import annotations

from dataclasses import replace

from megasolve.contracts.observe.join import Match, join
from megasolve.contracts.profiles import KernelShape
from tests.support.profiles.executions import profiled, shape


def test_a_kernel_gains_resources_and_traffic() -> None:
    seen = shape("ns::gemm<(int)128>", registers=168, static_shared_bytes=1024, dynamic_shared_bytes=0, shared_bytes=1024)
    ran = shape("ns::gemm<128>")
    found = join([ran], [profiled((seen, 4096))])
    assert found.matches == {ran: Match(replace(seen, name=ran.name), 4096)}
    assert (found.only_timeline, found.only_profiled, found.notes) == ((), (), ())


def test_a_name_without_namespaces_is_found_too() -> None:
    ran = shape("void internal::gemvx::kernel<(int)7, (bool)0>(T1)")
    assert join([ran], [profiled((shape("void kernel<7, 0>(T1)"), 10))]).matches[ran].hbm_bytes == 10


def test_a_name_without_template_arguments_is_found_too() -> None:
    ran = shape("void at::vectorized<(int)4, float>(T1)")
    assert join([ran], [profiled((shape("vectorized"), 10))]).matches[ran].hbm_bytes == 10


def test_other_template_arguments_are_another_kernel() -> None:
    ran, seen = shape("void f<(int)4>(T1)"), shape("void f<(int)8>(T1)")
    found = join([ran], [profiled((seen, 10))])
    assert (found.matches, found.only_timeline, found.only_profiled) == ({}, (ran,), (seen,))


def test_another_grid_is_another_launch() -> None:
    small, large = shape("gemm", 64), shape("gemm", 132)
    found = join([small, large], [profiled((large, 10))])
    assert list(found.matches) == [large]
    assert found.only_timeline == (small,)


def test_what_matches_nothing_is_listed_on_both_sides_in_order() -> None:
    found = join([shape("a"), shape("b"), shape("c")], [profiled((shape("x"), 1), (shape("b"), 1)), profiled((shape("w"), 1))])
    assert found.only_timeline == (shape("a"), shape("c"))
    assert found.only_profiled == (shape("x"), shape("w"))


def test_pitfall_21_two_kernels_that_differ_in_namespace_only_share_no_match() -> None:
    ran = [shape("one::kernel<1>"), shape("two::kernel<1>")]
    found = join(ran, [profiled((shape("kernel<1>"), 10))])
    assert found.matches == {}
    assert len(found.only_profiled) == 1
    assert found.notes[0].startswith("'one::kernel<1>' (grid 132x1x1, block 128x1x1) cannot be told from other kernels")


def test_a_kernel_without_a_grid_matches_where_only_one_launch_shape_is_known() -> None:
    ran = KernelShape("gemm")
    assert join([ran], [profiled((shape("gemm", 64), 10))]).matches[ran].hbm_bytes == 10
    several = join([ran], [profiled((shape("gemm", 64), 10), (shape("gemm", 132), 20))])
    assert several.matches == {}
    assert "cannot be told from other kernels" in several.notes[0]


def test_a_grid_known_as_a_product_alone_tells_launches_apart() -> None:
    small, large = shape("gemm", 64), shape("gemm", 132)
    seen = KernelShape("gemm", grid_ctas=132, block_threads=128)
    assert list(join([small, large], [profiled((seen, 10))]).matches) == [large]
    other = KernelShape("gemm", grid_ctas=132, block_threads=256)
    assert not join([small, large], [profiled((other, 10))]).matches


def test_of_several_launches_the_lower_median_counts_and_it_is_said() -> None:
    ran = shape("gemm")
    found = join([ran], [profiled((ran, 30), (ran, 10), (ran, 20), (ran, 40))])
    assert found.matches[ran].hbm_bytes == 20
    assert found.notes == ("'gemm' (grid 132x1x1, block 128x1x1): 4 launches in ncu moved 10 to 40 bytes; the lower median counts",)


def test_unmeasured_traffic_stays_unknown() -> None:
    ran = shape("gemm")
    assert join([ran], [profiled((shape("gemm", registers=40), None))]).matches[ran] == Match(shape("gemm", registers=40), None)


def test_resources_that_launches_disagree_on_stay_unknown() -> None:
    ran = shape("gemm")
    found = join([ran], [profiled((shape("gemm", registers=40), 1), (shape("gemm", registers=48), 1))])
    assert found.matches[ran].shape.registers is None


def test_a_kernel_compiled_otherwise_gives_nothing() -> None:
    ran = shape("gemm", registers=40)
    found = join([ran], [profiled((shape("gemm", registers=255), 10))])
    assert found.matches[ran] == Match(ran, None)
    assert found.notes == (
        "'gemm' (grid 132x1x1, block 128x1x1): ncu saw other resources (registers 255 instead of 40); nothing of it was taken",
    )


def test_pitfall_27_rounded_shared_memory_is_no_contradiction() -> None:
    ran = shape("gemm", shared_bytes=2000, shared_tolerance_bytes=500)
    assert join([ran], [profiled((shape("gemm", shared_bytes=2400), 10))]).matches[ran].hbm_bytes == 10
    assert join([ran], [profiled((shape("gemm", shared_bytes=2600), 10))]).matches[ran].hbm_bytes is None
