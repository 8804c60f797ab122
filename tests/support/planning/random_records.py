"""Random studies whose records are nearly of their calls: of another shape, batch, budget, context, entry, precision or device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from megasolve.contracts import Document, Record, Records, Study, asked_calls
from tests.support.planning.programs import operator
from tests.support.planning.studies import PROVENANCE, SHAPE, Fields, conventional, group, megakernel, spec, study

BUDGETS = (140, 132, 88, 44)


@st.composite
def recorded_studies(draw: st.DrawFn) -> Study:
    """Draw a study of a producer and a windowed consumer, some with programs, and with records that may miss a call narrowly."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    bare = study(_spec(random), _contracts(random), [])
    fields = [_record(random, dict(one.key.record_fields)) for one in asked_calls(bare) if random.random() < 0.7]
    records = Records(megasolve="records/v1", records=tuple(Record.model_validate(one, by_alias=True, by_name=False) for one in fields))
    document: Document[Records] = Document("records.yaml", records, bare.spec.places)
    return replace(bare, records=(document,))


def _spec(random: Random) -> Fields:
    shapes = {"shapes": {"rows": 2}} if random.random() < 0.5 else {}
    window = {"left_context_frames": random.choice((0, 2))} if random.random() < 0.8 else {}
    later = {"next_chunk": random.choice((2, 4))} if random.random() < 0.6 else {}
    objectives = ("first_publication", "producer_step", *(("chunk_interval",) if later else ()))
    return spec(
        [group("B", "producer", **shapes), group("C", "consumer", **window)],
        batches=random.choice(([1], [1, 4])),
        stream={"first_chunk": 2, "lookahead": random.choice((0, 1)), **later},
        objective=random.choice(objectives),
        budget_pairs=[{"producer_ctas": 88, "consumer_ctas": 44}],
    )


def _contracts(random: Random) -> list[Fields]:
    runs = [run for run in (["B"], ["C"], ["B", "C"]) if random.random() < 0.8]
    found = [megakernel(*run, budgets=_budgets(random), loops_on_device="B" in run or None, **_more(random, run)) for run in runs]
    found += [conventional(name, **_more(random, [name])) for name in "BC" if random.random() < 0.8]
    return [{key: value for key, value in one.items() if value is not None} for one in found]


def _budgets(random: Random) -> list[int]:
    return [budget for budget in BUDGETS if random.random() < 0.7] or [132]


def _more(random: Random, members: list[str]) -> Fields:
    programs = {name: [{"operators": [operator(name, compute_us=1)]}] for name in members if random.random() < 0.6}
    return {**({"programs": programs} if programs else {}), **({"geometry": {"tile": [16, 8]}} if random.random() < 0.3 else {})}


def _record(random: Random, fields: Fields) -> Fields:
    times = {"duration_us": random.randint(1, 9), "hbm_bytes": 0, "provenance": dict(PROVENANCE)}
    one: Fields = {**fields, **times}
    return random.choice(_CHANGES)(one) if random.random() < 0.5 else one


def _shapes(one: Fields, **changes: int) -> Fields:
    return {**one, "shapes": {**one.get("shapes", {}), **changes}}


def _launch(one: Fields, **changes: Any) -> Fields:
    return {**one, "context": {**one["context"], "launch": {**one["context"]["launch"], **changes}}}


_CHANGES: tuple[Callable[[Fields], Fields], ...] = (
    lambda one: _shapes(one, frames=one.get("shapes", {}).get("frames", 0) + 1),
    lambda one: _shapes(one, rows=3),
    lambda one: {key: value for key, value in one.items() if key != "shapes"},
    lambda one: {**one, "batch": 4 if one["batch"] == 1 else 2},
    lambda one: {**one, "budget_ctas": 44 if one["budget_ctas"] != 44 else 43},
    lambda one: {**one, "precision": "fp8"},
    lambda one: {**one, "device": "h200"},
    lambda one: {**one, "entries": ("other",)},
    lambda one: {**one, "entries": (*one["entries"], "other")},
    lambda one: _launch(one, threads=str(SHAPE["threads"])),
    lambda one: _launch(one, cooperative=1),
    lambda one: {**one, "context": {**one["context"], "geometry": {"tile": [16]}}},
    lambda one: {**one, "context": {**one["context"], "geometry": {"tile": {"0": 16, "1": 8}}}},
    lambda one: {**one, "context": {**one["context"], "geometry": None}},
    lambda one: {**one, "provenance": {**PROVENANCE, "kind": "tile-simulated", "fake": True}},
)
