"""Streams and events."""

from __future__ import annotations

import time

from .calls import ask, is_ready
from .device import Context
from .guarded import Guarded

# CU_STREAM_NON_BLOCKING, and then CU_EVENT_DISABLE_TIMING.
_NON_BLOCKING = 1
_WITHOUT_TIMING = 2
_POLL_SECONDS = 0.0002


class Event(Guarded):
    """A mark in a stream; with *timed* it takes the time when the work before it is done."""

    def __init__(self, context: Context, *, timed: bool = True) -> None:
        super().__init__(ask("cuEventCreate", 0 if timed else _WITHOUT_TIMING), "cuEventDestroy", context)

    def is_done(self) -> bool:
        """Return whether the work before the mark is done; never waits."""
        return is_ready("cuEventQuery", self.handle)

    def synchronize(self) -> None:
        """Wait for the mark, however long it takes."""
        ask("cuEventSynchronize", self.handle)

    def wait(self, deadline_s: float) -> bool:
        """Wait for the mark, but not beyond *deadline_s*; return whether it was reached."""
        end = time.monotonic() + deadline_s
        # Asked again and again: the driver has no wait with a deadline, and one without may never return.
        while not self.is_done():
            if time.monotonic() > end:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def us_since(self, first: Event) -> float:
        """Return the microseconds from *first* to this mark; both must be done. The clock's step is about half a microsecond."""
        return float(ask("cuEventElapsedTime", first.handle, self.handle)) * 1e3


class Stream(Guarded):
    """A queue of work that runs beside all other streams. The lower *priority*, the sooner its blocks are placed; 0 is the least."""

    def __init__(self, context: Context, *, priority: int = 0) -> None:
        # Non-blocking: the default stream would otherwise join all others, and nothing would run beside anything.
        super().__init__(ask("cuStreamCreateWithPriority", _NON_BLOCKING, priority), "cuStreamDestroy", context)
        self.context = context

    def record(self, event: Event) -> None:
        """Put *event* behind the work that is queued."""
        ask("cuEventRecord", event.handle, self.handle)

    def wait_for(self, event: Event) -> None:
        """Let the work that is queued from now on wait for *event*."""
        ask("cuStreamWaitEvent", self.handle, event.handle, 0)

    def is_done(self) -> bool:
        """Return whether all that was queued is done; never waits."""
        return is_ready("cuStreamQuery", self.handle)

    def synchronize(self) -> None:
        """Wait for all that was queued, however long it takes."""
        ask("cuStreamSynchronize", self.handle)
