"""Which group every launch belongs to, by the annotations around its launch and by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..model.wording import counted
from ..profiles.execution import Kernel, Span
from .globs import Globs
from .observation import GroupRule, Part, PlaceOrder
from .steps.steps import instances
from .timelines.occurrence import Occurrence
from .timelines.placing import placed
from .timelines.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Attributed:
    """For every launch, the number of the rule that took it and the annotation that made it match; None where there is none."""

    rules: tuple[int | None, ...]
    spans: tuple[Span | None, ...]
    notes: tuple[str, ...] = ()


def attribute(ran: Timeline, rules: Sequence[GroupRule], steps: Sequence[Occurrence], order: PlaceOrder = "start") -> Attributed:
    """Give each launch to the first of *rules* that matches; what none takes goes to the rule that stands for the rest, if there is one."""
    standing = _Standing(ran, steps, order)
    matchers = [_Matcher(ran, rule, standing) for rule in rules]
    rest = next((number for number, rule in enumerate(rules) if rule.takes_the_rest), None)
    taken: list[int | None] = []
    contested: Counter[tuple[int, ...]] = Counter()
    for launch, kernel in enumerate(ran.kernels):
        matching = tuple(number for number, matcher in enumerate(matchers) if matcher.takes(launch, kernel))
        contested[matching] += 1
        taken.append(matching[0] if matching else rest)
    spans = tuple(None if number is None else matchers[number].spans[launch] for launch, number in enumerate(taken))
    return Attributed(tuple(taken), spans, tuple(_notes(rules, contested, taken)))


def matching_rule(name: str, rules: Sequence[GroupRule]) -> int | None:
    """Return the number of the rule for a kernel of which only the name is known: rules that ask for annotations never match."""
    for number, rule in enumerate(rules):
        if not rule.ranges and rule.part is None and rule.names and Globs(rule.names).match(name):
            return number
    return next((number for number, rule in enumerate(rules) if rule.takes_the_rest), None)


class _Standing:
    """Where each launch stands: its *place* in its step, or on which side of all steps it is (*part*)."""

    def __init__(self, ran: Timeline, steps: Sequence[Occurrence], order: PlaceOrder) -> None:
        launches = len(ran.kernels)
        self.place: list[int | None] = [None] * launches
        for step in steps:
            for place, launch in enumerate(placed(ran, step.launches, order)):
                self.place[launch] = place
        self._first = min((step.launches[0] for step in steps), default=launches)
        self._last = max((step.launches[-1] for step in steps), default=-1)

    def part(self, launch: int) -> Part | None:
        if self.place[launch] is not None or self._first < launch < self._last:
            return None
        return "before" if launch < self._first else "after"


class _Matcher:
    """One rule, asked about every launch; *spans* are the outermost matching annotations, None for a rule without ranges."""

    def __init__(self, ran: Timeline, rule: GroupRule, standing: _Standing) -> None:
        self._by_range, self._by_name = bool(rule.ranges), bool(rule.names)
        self._names = Globs(rule.names)
        self._part, self._standing = rule.part, standing
        places = rule.places
        self._places = None if places is None else {start + one for start in places.starts() for one in range(places.kernels)}
        self.spans = instances(ran.kernels, Globs(rule.ranges)) if rule.ranges else (None,) * len(ran.kernels)

    def takes(self, launch: int, kernel: Kernel) -> bool:
        """Whether the rule names this launch; the rule for the rest names none."""
        if self._places is not None:
            return self._standing.place[launch] in self._places
        if self._part is not None and self._standing.part(launch) != self._part:
            return False
        in_range = not self._by_range or self.spans[launch] is not None
        named = not self._by_name or self._names.match(kernel.shape.name)
        return (self._by_range or self._by_name or self._part is not None) and in_range and named


def _notes(rules: Sequence[GroupRule], contested: Counter[tuple[int, ...]], taken: Sequence[int | None]) -> Iterator[str]:
    for matching, launches in contested.items():
        if len({rules[number].group for number in matching}) > 1:
            names = " and ".join(dict.fromkeys(rules[number].group for number in matching))
            number_of = counted(launches, "launch matches", "launches match")
            yield f"{number_of} the rules of {names}; the first of them took {'it' if launches == 1 else 'them'}"
    for number, rule in enumerate(rules):
        if number not in taken:
            yield f"no launch matches the rule of group {rule.group}"
