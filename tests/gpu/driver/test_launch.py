"""What the driver refuses before anything is launched, with the figures; cases from the field, on played devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.standin.probes import THREADS, wide_cubin
from tests.support.standin.stand_ins import in_child, stand_in, value_of
from tests.support.toolchain import needs_stand_in

pytestmark = needs_stand_in


# More than half of the shared memory of an SM, so that one block has it for itself.
ONE_PER_SM_BYTES = 116 * 1024


def attempts(folder: Path, device: str, shapes: list[tuple[int, int, int, bool]], registers: int = 32, **changes: Any) -> list[Any]:
    """Return what becomes of launches (CTAs, threads, shared bytes, cooperative) of a kernel of so many registers."""
    cubin, played = folder / f"{registers}.cubin", stand_in(device, **changes)
    cubin.write_bytes(wide_cubin(f"sm_{played.device.compute_capability.replace('.', '')}", registers))
    seen: list[Any] = value_of(in_child("attempts", folder, played, cubins=[str(cubin)], kernel="wide", shapes=shapes))
    return seen


def test_c01_a_block_whose_registers_no_sm_holds_is_refused_with_the_figures_and_half_of_it_runs(tmp_path: Path) -> None:
    full, half = attempts(tmp_path, "b200", [(1, 512, 0, False), (1, 256, 0, False)], registers=156, name="b300", sms=152)
    assert full["error"] == "DoesNotFit"
    assert "no SM of STAND-IN b300 holds one block of 512 threads x 156 registers (79,872 of 65,536)" in full["message"]
    assert "compile a variant with launch bounds" in full["message"]
    assert (half["ctas_per_sm"], half["resident_ctas"]) == (1, 152)


def test_c08_shared_memory_beyond_the_limit_of_the_very_device_is_refused_with_the_overshoot(tmp_path: Path) -> None:
    hopper = [1_179_648, 263_356, 13 * 16 * 1024]
    first, second, third = attempts(tmp_path, "h200", [(1, THREADS, shared, False) for shared in hopper])
    assert "1,179,648 B of shared memory > 232,448 B per block on STAND-IN h200, 947,200 B too many" in first["message"]
    assert "30,908 B too many" in second["message"]
    assert third["error"] is None
    consumer = [211_968, 13 * 16 * 1024, 5 * 16 * 1024]
    first, second, third = attempts(tmp_path, "rtx_5090", [(1, THREADS, shared, False) for shared in consumer])
    assert "211,968 B of shared memory > 101,376 B per block on STAND-IN rtx_5090, 110,592 B too many" in first["message"]
    assert second["error"] == "DoesNotFit"
    assert third["error"] is None


def test_c09_a_cooperative_grid_that_fits_one_device_is_refused_on_a_smaller_one(tmp_path: Path) -> None:
    grids = [(288 // experts, 960, 0, True) for experts in (2, 3, 4)]
    large = attempts(tmp_path, "h200", grids, registers=64)
    small = attempts(tmp_path, "h200", grids, registers=64, sms=78)
    assert [seen["error"] for seen in large] == ["DoesNotFit", None, None]
    assert [seen["error"] for seen in small] == ["DoesNotFit", "DoesNotFit", None]
    assert "144 CTAs must be resident at once, and STAND-IN h200 holds 132 (1 per SM x 132 SMs)" in large[0]["message"]
    assert "96 CTAs must be resident at once, and STAND-IN h200 holds 78 (1 per SM x 78 SMs)" in small[1]["message"]


def test_c09_a_register_too_many_leaves_no_block_of_960_threads(tmp_path: Path) -> None:
    (seen,) = attempts(tmp_path, "h200", [(72, 960, 0, True)], registers=65)
    assert "no SM of STAND-IN h200 holds one block of 960 threads x 65 registers" in seen["message"]


def test_c12_c14_c17_what_must_be_resident_is_counted_in_blocks_and_never_made_smaller(tmp_path: Path) -> None:
    clusters, cluster_ctas = 66, 2 * 2
    shapes = [(ctas, THREADS, ONE_PER_SM_BYTES, True) for ctas in (clusters, clusters * cluster_ctas, 216, 132)]
    too_few, as_clusters, declared, legal = attempts(tmp_path, "h200", shapes)
    assert too_few["error"] is None
    assert "264 CTAs must be resident at once" in as_clusters["message"]
    assert "216 CTAs must be resident at once, and STAND-IN h200 holds 132" in declared["message"]
    assert "a smaller budget is another design and needs records of its own" in declared["message"]
    assert legal["resident_ctas"] == 132


def test_c17_a_grid_barrier_over_more_blocks_than_fit_is_refused_and_not_started(tmp_path: Path) -> None:
    shapes = [(ctas, 1024, 0, True) for ctas in (128, 112)]
    spinning, legal = attempts(tmp_path, "h200", shapes, registers=32, sms=56)
    assert "128 CTAs must be resident at once, and STAND-IN h200 holds 112 (2 per SM x 56 SMs)" in spinning["message"]
    assert legal["error"] is None
    spinning, legal = attempts(tmp_path, "h200", [(112, 1024, 0, True), (56, 1024, 0, True)], registers=33, sms=56)
    assert "holds 56 (1 per SM x 56 SMs)" in spinning["message"]
    assert legal["error"] is None
