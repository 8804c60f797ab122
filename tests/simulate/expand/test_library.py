"""Products in tiles of a library: the choice fills the device, and is the same rule for all; held against published times."""

from __future__ import annotations

from fractions import Fraction

import pytest

from benchmarks.published_derived import derived_us
from megasolve.contracts import load_spec
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import Mechanisms, device_rates, tile_machine
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.scheduler import schedule_tiles
from tests.support.command import CHECKOUT
from tests.support.planning.operators import HEAD, block, contract_with

KERNEL = HEAD.replace("megakernel", "conventional").replace("budgets_ctas: [132]\n", "")
LAYER = load_spec(CHECKOUT / "specs/published/qwen3_layer.yaml")
H100 = LAYER.device.value
RAMP_US = 0.862


def product(rows: int, columns: int, depth: int, more: str = "") -> tuple[int, float]:
    """Return how many tiles a product has on an H100, and how many microseconds it takes with its ramp."""
    shape = f"{{m: {rows}, n: {columns}, k: {depth}}}"
    contract = contract_with(block(f"name: up, kind: matmul, shape: {shape}, library: true{more}"), head=KERNEL)
    program = expand(contract, "B", {"batch": 1}, device_rates(contract, H100, H100.sms))
    schedule = schedule_tiles(program, tile_machine(contract, H100, H100.sms))
    assert isinstance(schedule, TileSchedule)
    return program.tile_count, schedule.makespan_ps / 10**6 + RAMP_US


@pytest.mark.parametrize(
    ("size", "tiles"),
    # One wave of 64 x 128; of 128 x 128 there would be 64, half a device. A wide one takes the largest shape that fills whole waves.
    [((512, 2048, 1024), 128), ((512, 1024, 1024), 128), ((512, 3072, 1024), 96), ((8192, 8192, 8192), 2048)],
)
def test_the_tile_is_the_one_whose_waves_end_first(size: tuple[int, int, int], tiles: int) -> None:
    assert product(*size)[0] == tiles


def test_a_short_product_splits_its_sum() -> None:
    assert product(1, 6144, 4096)[0] == (6144 // 64) * (4096 // 512)


@pytest.mark.parametrize("rows", [1, 16, 64])
def test_few_rows_cost_what_the_weights_do(rows: int) -> None:
    assert product(rows, 12288, 5376)[1] == pytest.approx(product(1, 12288, 5376)[1], rel=0.08)


# vllm-project/vllm pull requests 17126 and 49363, H100: N 6144, K 4096 and N 12288, K 5376; zzc0721/torch-performance-test-data issue 79.
@pytest.mark.parametrize(
    ("size", "published_us", "within"),
    [
        ((1, 6144, 4096), 20.0, 0.15),
        ((64, 6144, 4096), 20.1, 0.05),
        ((1, 12288, 5376), 46.0, 0.06),
        ((64, 12288, 5376), 46.3, 0.05),
        ((2048, 2048, 2048), 25.4, 0.15),
        ((4096, 4096, 4096), 174.3, 0.10),
        ((8192, 8192, 8192), 1378.7, 0.05),
    ],
)
def test_products_of_libraries_take_what_was_published(size: tuple[int, int, int], published_us: float, within: float) -> None:
    assert product(*size)[1] == pytest.approx(published_us, rel=within)


def test_a_stated_efficiency_replaces_that_of_the_tile() -> None:
    assert product(8192, 8192, 8192, ", efficiency: 0.4")[1] > 1.5 * product(8192, 8192, 8192)[1]


def test_a_layer_of_13_kernels_takes_what_was_published_on_an_h100() -> None:
    assert derived_us(LAYER, "X_graph", "X", batch=1) == pytest.approx(80.84, rel=0.10)


def test_without_l2_the_layer_is_slower_by_its_weights() -> None:
    (contract,) = (one.value for one in LAYER.contracts)
    rates, symbols = device_rates(contract, H100, H100.sms), {"tokens": 512, "batch": 1}
    times = []
    for off in ((), ("l2",)):
        schedule = schedule_tiles(expand(contract, "X", symbols, rates, Mechanisms().without(*off)), tile_machine(contract, H100, H100.sms))
        assert isinstance(schedule, TileSchedule)
        times.append(schedule.makespan_ps)
    weights_ps = Fraction(2 * 1024 * (2048 + 1024 + 1024 + 2048 + 3 * 3072) * 10**12, H100.hbm_sustained_bytes_per_s)
    assert times[1] - times[0] > weights_ps
