"""Mechanisms of the event graph (paper, Table I), switched off by name: each changes the score in the stated direction."""

from __future__ import annotations

import pytest

from megasolve.contracts import load_spec, shipped_specs
from megasolve.simulate import Effects
from megasolve.solver import Explanation, explain, solve

SPLIT = "m:P/m:B+L/m:C@dynamic:88/44"
NH_TTS = load_spec(shipped_specs() / "nh_tts.yaml")


def score_of(candidate: str, effects: Effects) -> int:
    (result,) = solve(NH_TTS, batches=[32], effects=effects).results
    (found,) = [row.score_ps for row in result.ranking if row.id == candidate]
    assert isinstance(found, int)
    return found


def test_without_contention_a_split_takes_what_its_slower_side_takes_alone() -> None:
    assert score_of(SPLIT, Effects()) == 42_520_000_000
    # 37.753 ms to step r and the second launch, then one step of 3.130 + 8 x 0.177 ms on 88 CTAs.
    assert score_of(SPLIT, Effects(contention=False)) == 37_753_000_000 + 3_130_000_000 + 8 * 177_000_000


def test_without_dispatch_a_serial_cut_costs_nothing() -> None:
    cut, joined = "m:P/m:B+L+C@serial", "m:P+B+L+C@serial"
    assert score_of(cut, Effects()) == score_of(joined, Effects()) + 50_000_000
    free = Effects().without("dispatch")
    assert score_of(cut, free) == score_of(joined, free)


def test_without_dispatch_a_graph_has_no_gaps() -> None:
    conventional = "c:P/c:B/c:L/c:C@serial"
    service_ps = 12_600_000_000 + 8 * (11_250_000_000 + 8 * 520_000_000) + 2 * 1_290_000_000
    assert score_of(conventional, Effects(dispatch=False)) == service_ps


def test_what_is_off_is_said() -> None:
    off = Effects().without("contention", "dispatch")
    assert solve(NH_TTS, batches=[1], effects=off).without == ("contention", "dispatch")
    explained = explain(NH_TTS, SPLIT, batch=1, effects=off)
    assert isinstance(explained, Explanation)
    assert explained.without == ("contention", "dispatch")


def test_an_unknown_mechanism_is_refused() -> None:
    with pytest.raises(ValueError, match="no mechanism 'magic'; there are contention, dispatch"):
        Effects().without("magic")
