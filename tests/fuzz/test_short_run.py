"""A short run of the fuzzer: the same random inputs each time, none of which breaks anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.campaign import Tally, run_inputs
from tests.fuzz.inputs import KINDS, drawn_input

SEED = 2026
# Models are planned and shipped specs are large; the others end at the door more often than not.
SOME = {"spec": 25, "contract": 25, "records": 25, "device": 25, "beside": 20, "model": 5, "shipped": 3, "words": 150}
MANY = 60


@pytest.mark.parametrize("kind", KINDS)
def test_no_input_of_a_short_run_breaks_an_invariant(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEGASOLVE_CACHE_DIR", str(tmp_path / "cache"))
    tally = Tally()
    run_inputs((drawn_input(KINDS[kind], SEED, index) for index in range(SOME.get(kind, MANY))), tally, keep_in=None)
    assert [f"{fault.again}: {fault.message}" for fault in tally.faults] == []
    assert tally.accepted[kind] > 0 or kind == "shipped"
