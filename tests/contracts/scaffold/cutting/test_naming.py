"""Modules of a layer, by the names that a trace recorded, or by its norms."""

from __future__ import annotations

from megasolve.contracts.scaffold.cutting.naming import PlaceName, kernel_names, modules

LAYER = ("Model_0", "Layer_3")


def test_modules_are_those_below_what_all_kernels_share() -> None:
    names = [PlaceName("norm", (*LAYER, "RMSNorm_0")), PlaceName("mm", (*LAYER, "Attention_1", "Linear_2")), PlaceName("add", LAYER)]
    assert list(modules(names)) == [("RMSNorm", 1), ("Attention", 2)]
    assert list(kernel_names(names)) == ["RMSNorm.norm", "Attention.mm", "add"]


def test_a_repeat_that_ends_in_the_next_layer_is_cut_alike() -> None:
    names = [PlaceName("mm", (*LAYER, "MLP_3", "Linear_1")), PlaceName("norm", ("Model_0", "Layer_4", "RMSNorm_8"))]
    assert list(modules(names)) == [("MLP", 1), ("RMSNorm", 1)]


def test_two_norms_in_a_row_are_two_modules() -> None:
    names = [PlaceName("norm", (*LAYER, f"RMSNorm_{number}")) for number in (1, 2)]
    assert list(modules([*names, PlaceName("mm", (*LAYER, "MLP_0"))])) == [("RMSNorm", 1), ("RMSNorm", 1), ("MLP", 1)]


def test_without_modules_a_layer_is_cut_before_its_norms() -> None:
    names = [PlaceName(name) for name in ("rms_norm", "gemm", "flash_fwd", "gemm", "fused_add_rms_norm", "gemm", "silu", "gemm")]
    assert list(modules(names)) == [("attention", 4), ("mlp", 4)]
