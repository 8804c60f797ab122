"""What runs of candidates and co-runs came to, or what they would launch, for a person; from the values of their JSON form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..text.numbers import counted
from ..text.paint import PLAIN, Paint
from ..text.tables import Column, aligned, one_line

_NUMBER: dict[str, Any] = {"is_number": True}
_RUNS = (
    *(Column("batch", **_NUMBER), Column("candidate (cover@policy)"), Column("time (µs)", **_NUMBER), Column("95 % (µs)")),
    *(Column("over best", **_NUMBER), Column("blocks", **_NUMBER)),
)
_CO_RUNS = (
    *(Column("batch", **_NUMBER), Column("producer"), Column("CTAs", **_NUMBER), Column("alone (µs)", **_NUMBER)),
    *(Column("beside (µs)", **_NUMBER), Column("times", **_NUMBER), Column("consumer"), Column("CTAs", **_NUMBER)),
    *(Column("alone (µs)", **_NUMBER), Column("beside (µs)", **_NUMBER), Column("times", **_NUMBER)),
)


def runs_text(facts: Mapping[str, Any], *, paint: Paint = PLAIN) -> str:
    """Return the candidates by batch, the fastest first, then the co-runs, then what did not qualify, and what to know beside."""
    runs, co_runs = facts["compositions"], facts["co_runs"]
    timed = sorted((one for one in runs if one["because"] is None), key=lambda one: (one["batch"], one["time_us"]))
    best = {one["batch"]: one["time_us"] for one in reversed(timed)}
    lines = [
        *_table(_RUNS, [_run(one, best[one["batch"]]) for one in timed], paint),
        *_table(_CO_RUNS, [_co_run(one) for one in co_runs if one["because"] is None], paint),
        *(paint.red(one_line(line)) for line in _failures(runs, co_runs)),
        *(one_line(line) for line in _notes(runs, co_runs)),
        *(one_line(f"not run: {one['candidate']}, batch {one['batch']}: {one['because']}") for one in facts["excluded"]),
        one_line(f"wrote {counted(len(runs) + len(co_runs), 'run')} to {facts['measured']}"),
        *map(one_line, facts["notes"]),
    ]
    return "".join(f"{line}\n" for line in lines)


def launches_text(facts: Mapping[str, Any], *, paint: Paint = PLAIN) -> str:
    """Return the launches of each candidate, in the order in which the host issues them, and what would run beside each other."""
    lines: list[str] = []
    for one in facts["compositions"]:
        lines += [
            paint.bold(one_line(f"{one['candidate']}, batch {one['batch']}")),
            *(f"  {one_line(launch)}" for launch in one["launches"]),
        ]
    lines += [one_line(f"{one['what']}, batch {one['batch']}") for one in facts["co_runs"]]
    lines += [one_line(f"not run: {one['candidate']}, batch {one['batch']}: {one['because']}") for one in facts["excluded"]]
    return "".join(f"{line}\n" for line in [*lines, *map(one_line, facts["notes"])])


def _table(columns: Sequence[Column], rows: Sequence[list[str]], paint: Paint) -> list[str]:
    if not rows:
        return []
    titles, *others = aligned(columns, rows)
    return [paint.bold(titles), *others, ""]


def _run(one: Mapping[str, Any], best_us: float) -> list[str]:
    low, high = one["interval_us"]
    over = "best" if one["time_us"] == best_us else f"+{(one['time_us'] / best_us - 1) * 100:.2f} %"
    return [str(one["batch"]), one["candidate"], f"{one['time_us']:,.3f}", f"{low:,.3f} to {high:,.3f}", over, str(one["samples"])]


def _co_run(one: Mapping[str, Any]) -> list[str]:
    return [str(one["batch"]), *_side(one["producer"]), *_side(one["consumer"])]


def _side(side: Mapping[str, Any]) -> list[str]:
    ctas = "free" if side["ctas"] is None else str(side["ctas"])
    return [_side_name(side), ctas, f"{side['solo_us']:,.3f}", f"{side['pair_us']:,.3f}", f"{side['slowdown']:.2f}"]


def _failures(runs: Sequence[Mapping[str, Any]], co_runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from (f"did not qualify: {one['candidate']}, batch {one['batch']}: {one['because']}" for one in runs if one["because"])
    yield from (f"did not qualify: {_named(one)}: {one['because']}" for one in co_runs if one["because"])


def _notes(runs: Sequence[Mapping[str, Any]], co_runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from (f"{one['candidate']}, batch {one['batch']}: {note}" for one in runs for note in one["notes"])
    yield from (f"{_named(one)}: {note}" for one in co_runs for note in one["notes"])


def _named(one: Mapping[str, Any]) -> str:
    sides = [_side_name(one[side]) + ("" if one[side]["ctas"] is None else f" on {one[side]['ctas']}") for side in ("producer", "consumer")]
    return f"{' beside '.join(sides)}, batch {one['batch']}"


def _side_name(side: Mapping[str, Any]) -> str:
    return f"{side['backend'][0]}:{'+'.join(side['groups'])}"
