"""Statistics of measured times: exact, and equal to what others compute."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, integers, lists, text
from scipy import stats

from megasolve.solver.evaluate.statistic import STATISTICS, UNITS, Statistic, mean, quantile

TIMES = lists(integers(1, 10**12), min_size=1, max_size=40)
BLOCKS = dictionaries(text(max_size=2), TIMES, min_size=1, max_size=6)


@given(TIMES)
def test_quantiles_are_those_of_numpy_and_of_the_standard_library(times: list[int]) -> None:
    for statistic, fraction in ((Statistic("p50"), Fraction(1, 2)), (Statistic("p95"), Fraction(19, 20))):
        exact = quantile(times, fraction)
        assert float(exact) == pytest.approx(float(np.quantile(times, float(fraction))), rel=1e-12)
        assert statistic.of({"a": times}) == exact
    if len(times) > 1:
        assert float(quantile(times, Fraction(19, 20))) == pytest.approx(
            statistics.quantiles(times, n=20, method="inclusive")[-1], rel=1e-12
        )
    assert quantile(times, Fraction(1, 2)) == Fraction(statistics.median([Fraction(time) for time in times]))


@given(TIMES)
def test_quantiles_are_those_of_scipy(times: list[int]) -> None:
    assert float(quantile(times, Fraction(19, 20))) == pytest.approx(stats.scoreatpercentile(times, 95), rel=1e-12)


@given(BLOCKS)
def test_a_statistic_over_blocks_counts_each_block_once_and_one_over_runs_each_run(blocks: dict[str, list[int]]) -> None:
    means = [Fraction(sum(times), len(times)) for times in blocks.values()]
    runs = [time for times in blocks.values() for time in times]
    assert Statistic("mean", "block").of(blocks) == sum(means, Fraction(0)) / len(means)
    assert Statistic("mean").of(blocks) == Fraction(sum(runs), len(runs))
    assert Statistic("p50", "block").of(blocks) == quantile(means, Fraction(1, 2))


@given(BLOCKS)
def test_the_statistic_of_the_paper_is_the_mean_of_the_p95_of_each_block(blocks: dict[str, list[int]]) -> None:
    tails = [quantile(times, Fraction(19, 20)) for times in blocks.values()]
    assert Statistic("block_p95").of(blocks) == mean(tails) == Statistic("block_p95", "block").of(blocks)


def test_a_block_with_one_run_is_that_run() -> None:
    for name in STATISTICS:
        for unit in UNITS:
            assert Statistic(name, unit).of({"a": [7]}) == 7
