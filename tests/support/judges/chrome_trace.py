"""A strict judge of Chrome traces: what Perfetto and chrome://tracing take without a complaint, and draw as it is meant."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

Event = Mapping[str, Any]
Thread = tuple[int, int]


def faults(trace: Mapping[str, Any]) -> list[str]:
    """Return everything that is wrong with *trace*; nothing where it is sound."""
    events: list[Event] = trace["traceEvents"]
    checks = (_order, _named, _nesting, _flows, _counters, _exact, _shown)
    return [fault for check in checks for fault in check(events)]


def _phase(events: Sequence[Event], phases: str) -> list[Event]:
    return [event for event in events if event["ph"] in phases]


def _ns(event: Event, key: str = "ts") -> int:
    return round(float(event[key]) * 1000)


def _order(events: Sequence[Event]) -> Iterator[str]:
    """Yield of every process whether its events stand in order of time, from 0 on."""
    times: dict[int, list[float]] = defaultdict(list)
    for event in events:
        if "ts" in event:
            times[event["pid"]].append(event["ts"])
    for process, each in times.items():
        if each != sorted(each) or each[0] < 0:
            yield f"process {process}: its events are not in order of time from 0 on"


def _named(events: Sequence[Event]) -> Iterator[str]:
    """Yield which processes and threads have no name or several, or sort otherwise than their names do."""
    names: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    places: dict[Thread, int] = {}
    for event in _phase(events, "M"):
        if event["name"].endswith("_name"):
            names[event["name"], event["pid"], event["tid"]].append(event["args"]["name"])
        elif event["name"] == "thread_sort_index":
            places[event["pid"], event["tid"]] = event["args"]["sort_index"]
    for event in _phase(events, "Xsfi"):
        if len(names["thread_name", event["pid"], event["tid"]]) != 1:
            yield f"thread {event['pid']}/{event['tid']} has not one name"
    for process in {event["pid"] for event in events}:
        if len(names["process_name", process, 0]) != 1:
            yield f"process {process} has not one name"
        threads = [
            (places.get((process, tid), -1), each[0])
            for (kind, pid, tid), each in names.items()
            if kind == "thread_name" and pid == process and each
        ]
        if [name for _, name in sorted(threads)] != sorted(name for _, name in threads):
            yield f"process {process}: its threads sort otherwise by name than by index"


def _nesting(events: Sequence[Event]) -> Iterator[str]:
    open_ends: dict[Thread, list[int]] = defaultdict(list)
    for event in _phase(events, "X"):
        ends = open_ends[event["pid"], event["tid"]]
        ends[:] = [end for end in ends if end > _ns(event)]
        end = _ns(event) + _ns(event, "dur")
        if any(end > outer for outer in ends):
            yield f"{event['name']!r} at {event['ts']} partly overlaps a slice of its thread"
        ends.append(end)


def _flows(events: Sequence[Event]) -> Iterator[str]:
    starts, ends = _phase(events, "s"), _phase(events, "f")
    for which, each in (("starts", starts), ("ends", ends)):
        often = [name for name, times in Counter(event["id"] for event in each).items() if times > 1]
        yield from (f"flow {name} {which} more than once" for name in often)
    lonely = {event["id"] for event in starts} ^ {event["id"] for event in ends}
    yield from (f"flow {name} has one end" for name in sorted(lonely))
    slices: dict[Thread, list[tuple[int, int]]] = defaultdict(list)
    for event in _phase(events, "X"):
        slices[event["pid"], event["tid"]].append((_ns(event), _ns(event) + _ns(event, "dur")))
    at = {event["id"]: _ns(event) for event in starts}
    for event in (*starts, *ends):
        if not any(begin <= _ns(event) < end for begin, end in slices[event["pid"], event["tid"]]):
            yield f"flow {event['id']} is bound to no slice at {event['ts']}"
    yield from (f"flow {event['id']} ends before it starts" for event in ends if _ns(event) < at.get(event["id"], 0))


def _counters(events: Sequence[Event]) -> Iterator[str]:
    last: dict[tuple[int, str], tuple[float, Mapping[str, Any]]] = {}
    for event in _phase(events, "C"):
        key = event["pid"], event["name"]
        if key in last and event["ts"] < last[key][0]:
            yield f"counter {event['name']!r} goes back in time at {event['ts']}"
        if not event["args"] or any(not isinstance(value, int | float) for value in event["args"].values()):
            yield f"counter {event['name']!r} has no number at {event['ts']}"
        last[key] = event["ts"], event["args"]


def _exact(events: Sequence[Event]) -> Iterator[str]:
    """Yield which slices say other exact times than they are drawn with, to the nanosecond."""
    for event in _phase(events, "X"):
        start, end = (Fraction(event["args"][name]) for name in ("start_ps", "end_ps"))
        if (round(start / 1000), round(end / 1000)) != (_ns(event), _ns(event) + _ns(event, "dur")):
            yield f"{event['name']!r} is drawn elsewhere than its exact times say"
        if end - start != Fraction(event["args"]["duration_ps"]):
            yield f"{event['name']!r}: its exact duration is not from its start to its end"


def _shown(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        for name in (event["name"], event.get("args", {}).get("name", "")):
            if not str(name).isprintable():
                yield f"the name {name!r} has characters that nobody sees"
