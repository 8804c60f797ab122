"""One occurrence of a step or of a group: which launches of a timeline belong to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...profiles.execution import Span
from .timeline import Timeline


@dataclass(frozen=True, slots=True)
class Occurrence:
    """The *launches* (indices into a timeline, at least one) that run as one; *host* is the annotation that says so.

    They ascend, but for a group by places that are counted in the order in which the host called for them.
    """

    label: str
    launches: tuple[int, ...]
    host: Span | None = None

    def first_ps(self, ran: Timeline) -> int:
        """When the device starts on it."""
        return ran.start_ps(min(self.launches))

    def last_ps(self, ran: Timeline) -> int:
        """When the device is done with it."""
        return max(ran.end_ps(launch) for launch in self.launches)

    def duration_ps(self, ran: Timeline) -> int:
        """From its first start to its last end on the device."""
        return self.last_ps(ran) - self.first_ps(ran)

    def overlaps(self, spans: Iterable[Span], ran: Timeline) -> bool:
        """Whether one of *spans* touches it, on the device or on the host."""
        windows = [(self.first_ps(ran), self.last_ps(ran))]
        windows += [(self.host.start_ps, self.host.end_ps)] if self.host else []
        return any(span.start_ps < end and start < span.end_ps for span in spans for start, end in windows)
