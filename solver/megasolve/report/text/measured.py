"""How reports say what was measured beside a score, which it never enters."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from .numbers import Ps, decimal_text, ratio_text, unit_of, us_text

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver.select.told.shown import PairBeside, RunBeside, ShownRun, SideBeside, WholeBeside


def measured_lines(measured: Sequence[RunBeside]) -> list[str]:
    """Return a line for each run: what was measured, and what is predicted of the same."""
    return list(map(_line, measured))


def measured_facts(measured: Sequence[RunBeside]) -> JsonObject:
    """Return the same as JSON has it; nothing where nothing was measured."""
    return {"measured": [_facts(one) for one in measured]} if measured else {}


def source_words(run: ShownRun) -> str:
    """Return where the times come from, and what to know before trusting them."""
    return "; ".join((f"{run.device}, {run.provenance.label}: {run.provenance.source} ({run.place})", *run.notes))


def times_words(side: SideBeside) -> tuple[str, str]:
    """Return the measured and the predicted times of one side: alone, beside the other one, and how many times longer that is."""
    return _times(side.alone_ps, side.beside_ps, side.side.slowdown), _times(
        side.predicted_alone_ps, side.predicted_beside_ps, side.predicted_slowdown
    )


def _line(one: RunBeside) -> str:
    from megasolve.solver.select.told.shown import PairBeside

    if not isinstance(one, PairBeside):
        return f"MEASURED as a whole, in no score: {_time(one.time_ps)}, predicted {_time(one.predicted_ps)}; {source_words(one.run)}"
    sides = "; ".join(f"{side.side.words} {measured}, predicted {said}" for side in _sides(one) for measured, said in [times_words(side)])
    return f"MEASURED beside each other, in no score: {sides}; {source_words(one.run)}"


def _sides(pair: PairBeside) -> tuple[SideBeside, SideBeside]:
    return pair.producer, pair.consumer


def _times(alone_ps: Ps | None, beside_ps: Ps | None, slowdown: Fraction | None) -> str:
    if alone_ps is None:
        return "unknown"
    times = "" if slowdown is None else f" ({decimal_text(slowdown, 2)} times)"
    return f"{_time(alone_ps)} alone, {_time(beside_ps)} beside{times}"


def _time(time_ps: Ps | None) -> str:
    return "unknown" if time_ps is None else unit_of(time_ps).text(time_ps)


def _facts(one: RunBeside) -> JsonObject:
    from megasolve.solver.select.told.shown import PairBeside

    run = one.run
    about: JsonObject = {
        "place": run.place,
        "device": run.device,
        "provenance": run.provenance.model_dump(mode="json", by_alias=True, exclude_unset=True),
        "notes": list(run.notes),
    }
    if isinstance(one, PairBeside):
        return {"kind": "co_run", **about, "producer": _side_facts(one.producer), "consumer": _side_facts(one.consumer)}
    return {"kind": "composition", **about, **_whole_facts(one)}


def _whole_facts(one: WholeBeside) -> JsonObject:
    return {"time_us": us_text(one.time_ps), "predicted_us": _us(one.predicted_ps)}


def _side_facts(one: SideBeside) -> JsonObject:
    side = one.side
    return {
        "groups": list(side.groups),
        "backend": side.backend,
        "entries": list(side.entries),
        "ctas": side.ctas,
        "alone_us": us_text(one.alone_ps),
        "beside_us": us_text(one.beside_ps),
        "slowdown": _ratio(side.slowdown),
        "predicted_alone_us": _us(one.predicted_alone_ps),
        "predicted_beside_us": _us(one.predicted_beside_ps),
        "predicted_slowdown": _ratio(one.predicted_slowdown),
    }


def _us(time_ps: Ps | None) -> str | None:
    return None if time_ps is None else us_text(time_ps)


def _ratio(value: Fraction | None) -> str | None:
    return None if value is None else ratio_text(value)
