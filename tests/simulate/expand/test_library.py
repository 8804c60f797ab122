"""Products in tiles of a library: the choice fills the device, and is the same rule for all; held against published times."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks.published_derived import derived_us
from megasolve.contracts import Device, load_spec
from megasolve.contracts.files.library import Library
from megasolve.contracts.files.study import find_device
from megasolve.contracts.operators.library import library_efficiency
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import Mechanisms, device_rates, tile_machine
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.scheduler import schedule_tiles
from tests.support.command import CHECKOUT
from tests.support.planning.operators import HEAD, block, contract_with

KERNEL = HEAD.replace("megakernel", "conventional").replace("budgets_ctas: [132]\n", "")
LAYER = load_spec(CHECKOUT / "specs/published/qwen3_layer.yaml")
H100 = LAYER.device.value
RAMP_US = 0.4


@cache
def device(name: str) -> Device:
    """Return a shipped device."""
    found = find_device(Library(), str(CHECKOUT / f"specs/devices/{name}.yaml"))
    assert found is not None
    return found.value


def product(size: tuple[int, int, int], more: str = "", on: Device = H100, off: tuple[str, ...] = ()) -> tuple[int, float]:
    """Return how many tiles a product of so many rows, columns and depth has, and how many microseconds it takes with its ramp."""
    rows, columns, depth = size
    shape = f"{{m: {rows}, n: {columns}, k: {depth}}}"
    contract = contract_with(block(f"name: up, kind: matmul, shape: {shape}, library: true{more}"), head=KERNEL)
    mechanisms = Mechanisms().without(*off)
    program = expand(contract, "B", {"batch": 1}, device_rates(contract, on, on.sms), mechanisms)
    schedule = schedule_tiles(program, tile_machine(contract, on, on.sms, mechanisms))
    assert isinstance(schedule, TileSchedule)
    return program.tile_count, schedule.makespan_ps / 10**6 + RAMP_US


@pytest.mark.parametrize(
    ("size", "tiles"),
    # One wave of 64 x 128; of 128 x 128 there would be 64, half a device. A wide one takes the largest shape that fills whole waves.
    [((512, 2048, 1024), 128), ((512, 1024, 1024), 128), ((512, 3072, 1024), 128), ((8192, 8192, 8192), 2048)],
)
def test_the_tile_is_the_one_whose_waves_end_first(size: tuple[int, int, int], tiles: int) -> None:
    assert product(size)[0] == tiles


def test_a_deep_product_of_few_outputs_splits_its_sum() -> None:
    assert product((128, 1024, 8192))[0] > 2 * (1024 // 64)


def test_what_one_worker_draws_decides_how_many_take_part() -> None:
    size, limit = "{m: 1, n: 1024, k: 8192}", "in_flight_bytes: 24000\n"
    kernel = contract_with(block(f"name: up, kind: matmul, shape: {size}, library: true"), head=limit + KERNEL)
    slow = H100.model_copy(update={"hbm_latency_ps": 600_000})
    rates = device_rates(kernel, slow, slow.sms)
    counts = [expand(kernel, "B", {"batch": 1}, rates, Mechanisms().without(*off)).tile_count for off in ((), ("in_flight",))]
    assert counts[0] > slow.sms / 2 > counts[1]


@pytest.mark.parametrize(("columns", "depth"), [(6144, 4096), (12288, 5376), (43008, 5376)])
def test_up_to_128_rows_a_product_costs_what_its_weights_do(columns: int, depth: int) -> None:
    one, many = (product((rows, columns, depth))[1] for rows in (1, 128))
    assert many == pytest.approx(one, rel=0.06)
    # A tile that waits for its whole load before it computes would not be flat.
    assert product((128, columns, depth), off=("pipelining",))[1] > 1.1 * many


# vllm-project/vllm pull requests 17126 and 49363, H100: N 6144, K 4096; N 12288 and 43008, K 5376. 20071, B200: N 6144, K 4096.
# zzc0721/torch-performance-test-data issues 79, H100, 96 and 124, RTX 5090: squares. openinfer-project/openinfer, serving-perf-5090.md at
# 17a1927c: products of 1,024 rows on an RTX 5090.
@pytest.mark.parametrize(
    ("name", "size", "published_us", "within"),
    [
        *(("h100_sxm", (rows, 6144, 4096), us, 0.17) for rows, us in ((1, 20.0), (16, 20.6), (64, 20.1), (128, 20.9), (256, 23.7))),
        *(("h100_sxm", (rows, 12288, 5376), us, 0.07) for rows, us in ((1, 46.0), (16, 45.4), (64, 46.3), (128, 48.0))),
        *(("h100_sxm", (rows, 43008, 5376), us, 0.11) for rows, us in ((1, 150.6), (16, 153.2), (128, 162.3), (256, 199.5))),
        *(("h100_sxm", (n, n, n), us, 0.07) for n, us in ((2048, 25.4), (4096, 174.3), (8192, 1378.7), (10240, 2983.9))),
        *(("rtx_5090", (1024, n, k), us, 0.19) for n, k, us in ((9728, 2560, 234), (2560, 4096, 94), (2560, 9728, 223))),
        *(("rtx_5090", (n, n, n), us, 0.15) for n, us in ((2048, 100.5), (4096, 755.0), (8192, 4679.0))),
        *(("b200", (rows, 6144, 4096), us, 0.12) for rows, us in ((1, 8.5), (64, 8.0), (128, 8.8), (256, 11.7), (512, 20.0), (1024, 37.4))),
    ],
)
def test_products_of_libraries_take_what_was_published(name: str, size: tuple[int, int, int], published_us: float, within: float) -> None:
    assert product(size, on=device(name))[1] == pytest.approx(published_us, rel=within)


# Public rates of long products, as parts of the dense one, on an H100 (the same issue).
@pytest.mark.parametrize(("rows", "share"), [(2048, 0.68), (4096, 0.80), (8192, 0.81)])
def test_long_products_reach_the_public_rates(rows: int, share: float) -> None:
    flops, dense = 2 * rows**3, 989.4e6
    assert flops / product((rows, rows, rows))[1] / dense == pytest.approx(share, rel=0.06)


@pytest.mark.parametrize("name", ["a100", "rtx_4090", "rtx_5090", "l4", "b200"])
def test_a_library_launches_what_fits_the_device(name: str) -> None:
    on, size = device(name), (4096, 4096, 4096)
    # The rates of the largest tile, less what the last wave leaves unused.
    dense = on.dense_flops_per_s or 0
    least_us = 2 * 4096**3 / (float(library_efficiency({"m": 128, "n": 256}, 2, dense / on.sms)) * dense) * 10**6
    assert least_us < product(size, on=on)[1] < 1.4 * least_us
    assert product((64, 64, 4096), ", element_bytes: 4", on)[0] >= 1


def test_a_tile_beside_the_library_is_what_it_has_without() -> None:
    size, own = (256, 2048, 1024), ", tile: [{m: 128, n: 128}], efficiency: 0.4, staging_bytes: 65536"
    assert product(size, own) == product(size)
    tiles, us = product(size, own, off=("library",))
    assert tiles == 2 * 16
    assert us > 128 * 128 * 2 * 1024 * 132 / 989.4e6 / 0.4
    # Nobody knows another one, so it stays.
    assert product(size, off=("library",)) == product(size)


def test_a_stated_efficiency_replaces_that_of_the_tile() -> None:
    assert product((8192, 8192, 8192), ", efficiency: 0.4")[1] > 1.5 * product((8192, 8192, 8192))[1]


def test_a_layer_of_13_kernels_takes_what_was_published_on_an_h100() -> None:
    assert derived_us(LAYER, "X_graph", "X", batch=1) == pytest.approx(80.84, rel=0.10)


def test_a_tile_of_ones_own_overlaps_its_load_where_the_contract_says_so() -> None:
    shape = "{m: 128, n: 4096, k: 4096}"
    operator = f"name: up, kind: matmul, shape: {shape}, tile: [{{m: 128, n: 64}}], efficiency: 0.4, staging_bytes: 65536"

    def us(more: str, *off: str) -> float:
        contract = contract_with(block(operator + more), head=HEAD)
        mechanisms = Mechanisms().without("prefetch", *off)
        program = expand(contract, "B", {"batch": 1}, device_rates(contract, H100, H100.sms), mechanisms)
        schedule = schedule_tiles(program, tile_machine(contract, H100, H100.sms, mechanisms))
        assert isinstance(schedule, TileSchedule)
        return schedule.makespan_ps / 10**6

    assert us(", pipelined: true") < us("")
    assert us(", pipelined: true", "pipelining") == us("")


def test_the_layer_on_an_a100_takes_what_was_published() -> None:
    on_a100 = load_spec(CHECKOUT / "specs/published/qwen3_layer.yaml", device="a100")
    assert derived_us(on_a100, "X_graph", "X", batch=1) == pytest.approx(180.1, rel=0.10)


def test_without_l2_the_layer_loads_its_weights_beside_what_it_computes() -> None:
    (contract,) = (one.value for one in LAYER.contracts)
    rates, symbols = device_rates(contract, H100, H100.sms), {"tokens": 512, "batch": 1}

    def us(*off: str) -> float:
        on = tile_machine(contract, H100, H100.sms)
        schedule = schedule_tiles(expand(contract, "X", symbols, rates, Mechanisms().without(*off)), on)
        assert isinstance(schedule, TileSchedule)
        return schedule.makespan_ps / 10**6

    weights_us = 2 * 1024 * (2048 + 1024 + 1024 + 2048 + 3 * 3072) * 10**6 / H100.hbm_sustained_bytes_per_s
    assert 0 < us("l2") - us() < weights_us
    assert us("l2", "pipelining") - us("pipelining") > weights_us
