"""Ratios and their intervals: paired, over the blocks that both designs ran in."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy import stats

from megasolve.solver.evaluate.ratio import ratio_of
from megasolve.solver.evaluate.statistic import STATISTICS, UNITS, Statistic, StatisticName, Unit

Blocks = dict[str, list[int]]


def drawn(seed: int, blocks: int, most_runs: int = 6) -> tuple[Blocks, Blocks]:
    """Return two designs whose blocks are fast and slow together."""
    random = Random(seed)
    pace = {f"b{number}": random.uniform(0.8, 1.2) for number in range(blocks)}

    def design(level: float) -> Blocks:
        return {
            name: [round(level * slow * random.uniform(0.97, 1.03)) for _ in range(random.randint(1, most_runs))]
            for name, slow in pace.items()
        }

    return design(1.02e9), design(1e9)


def literal(blocks: list[list[int]], statistic: Statistic) -> float:
    """Return the statistic in the words of the documentation, in floats."""
    if statistic.name == "block_p95":
        return float(np.mean([np.quantile(runs, 0.95) for runs in blocks]))
    units = [float(np.mean(runs)) for runs in blocks] if statistic.unit == "block" else [float(run) for runs in blocks for run in runs]
    return float(np.mean(units) if statistic.name == "mean" else np.quantile(units, {"p50": 0.5, "p95": 0.95}[statistic.name]))


def literal_interval(some: Blocks, others: Blocks, statistic: Statistic, resamples: int) -> tuple[float, float]:
    """Resample in the words of the method: draw blocks, take the statistic of both designs, divide."""
    random, names = Random(7), list(some)
    ratios = []
    for _ in range(resamples):
        draw = [random.choice(names) for _ in names]
        ratios.append(literal([some[name] for name in draw], statistic) / literal([others[name] for name in draw], statistic))
    return float(np.quantile(ratios, 0.025)), float(np.quantile(ratios, 0.975))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", STATISTICS)
def test_the_interval_is_that_of_a_literal_resampling(name: StatisticName, unit: Unit) -> None:
    some, others = drawn(1, 25)
    statistic = Statistic(name, unit)
    found = ratio_of(some, others, statistic)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    low, high = literal_interval(some, others, statistic, 400)
    width = high - low
    assert found.low == pytest.approx(low, abs=0.3 * width)
    assert found.high == pytest.approx(high, abs=0.3 * width)
    assert found.value == statistic.of(some) / statistic.of(others)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_that_of_scipy(seed: int) -> None:
    some, others = drawn(seed, 12)
    one, other = ([float(np.quantile(runs, 0.95)) for runs in blocks.values()] for blocks in (some, others))
    expected = stats.bootstrap(
        (one, other),
        lambda x, y, axis: np.mean(x, axis=axis) / np.mean(y, axis=axis),
        n_resamples=20_000,
        paired=True,
        method="percentile",
        random_state=np.random.default_rng(1),
    ).confidence_interval
    found = ratio_of(some, others, Statistic("block_p95"))
    assert found is not None
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.05 * width)
    assert found.high == pytest.approx(expected.high, abs=0.05 * width)


def test_blocks_that_are_slow_for_both_do_not_widen_the_interval() -> None:
    some = {f"{n}": [1_010 * n] for n in range(1, 9)}
    others = {f"{n}": [1_000 * n] for n in range(1, 9)}
    found = ratio_of(some, others, Statistic())
    assert found is not None
    assert found.low == pytest.approx(1.01)
    assert found.high == pytest.approx(1.01)
    assert found.holds_one is False


def test_the_same_seed_gives_the_same_interval_and_another_one_nearly_that() -> None:
    some, others = drawn(3, 9)
    first, again, other = (ratio_of(some, others, Statistic("p95"), seed) for seed in (0, 0, 1))
    assert first == again != other


def test_only_blocks_that_both_ran_in_count() -> None:
    found = ratio_of({"a": [12], "b": [12], "c": [99]}, {"a": [10], "b": [10], "d": [1]}, Statistic())
    assert found is not None
    assert (found.value, found.blocks) == (Fraction(6, 5), 2)
    assert found.low == found.high == pytest.approx(1.2)


def test_one_block_gives_no_interval_and_none_no_ratio() -> None:
    found = ratio_of({"a": [12]}, {"a": [10]}, Statistic())
    assert found is not None
    assert (found.value, found.low, found.holds_one) == (Fraction(6, 5), None, None)
    assert ratio_of({"a": [12]}, {"b": [10]}, Statistic()) is None


def test_many_runs_are_resampled_in_parts() -> None:
    some, others = drawn(5, 20, most_runs=40)
    for statistic in (Statistic("p50"), Statistic("p95")):
        found = ratio_of(some, others, statistic)
        assert found is not None
        assert found.low is not None
        assert found.low < found.value < (found.high or 0)
