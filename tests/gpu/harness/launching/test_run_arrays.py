"""The arrays of runs: what is brought back before a run."""

from __future__ import annotations

import numpy as np

from megasolve.gpu.harness.launching.run_arrays import restored


def test_what_a_run_changes_and_reads_before_is_brought_back_and_nothing_else() -> None:
    nan = float("nan")
    before = {
        "state": np.array([[nan, nan, 1], [2, nan, nan]], np.float32),
        "read": np.ones(3, np.float32),
        "written": np.full(3, nan, np.float32),
        "tokens": np.zeros(4, np.int32),
    }
    expected = {name: array for name, array in before.items() if name != "read"}
    state, tokens = restored(before, expected)
    assert (state.name, state.content.tolist(), state.first_byte) == ("state", [1, 2], 8)
    assert (tokens.name, tokens.content.tolist(), tokens.first_byte) == ("tokens", [0] * 4, 0)
