"""Candidates that are asked for by their ids: which of them can run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from megasolve.contracts import Study, load_spec
from megasolve.solver import Derivation, runnable_candidates

ROWS = Path(__file__).parents[3] / "examples/workload/rows.yaml"


def found(study: Study, *names: str) -> tuple[list[str], list[str]]:
    """Return which of *names* run, and why others do not."""
    chosen = runnable_candidates(study, names, (1,), Derivation())
    return [one.id for one in chosen.by_batch.get(1, ())], [one.because for one in chosen.excluded]


def test_a_candidate_without_times_runs_where_there_is_one_way_to_run_it() -> None:
    asked = ("m:S/m:M@dynamic:8/4", "c:S/c:M@serial", "m:S+M@serial")
    runs, because = found(load_spec(ROWS), *asked)
    assert runs == list(asked[:2])
    assert because == ["MEM-01 no megakernel entry has exactly the groups S+M; entries exist for M, S"]


def test_where_two_entries_run_the_same_only_times_say_which_is_the_best() -> None:
    study = load_spec(ROWS)
    (own,) = (document for document in study.contracts if document.value.entry == "S")
    other = replace(own, value=own.value.model_copy(update={"entry": "S_wide"}))
    runs, because = found(replace(study, contracts=(*study.contracts, other)), "m:S/m:M@serial")
    assert runs == []
    assert because[0].startswith("EVI-01 no record of S on megakernel entry 'S")
