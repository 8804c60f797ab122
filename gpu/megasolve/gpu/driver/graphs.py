"""Graphs: launches that are captured once and replayed with one call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..errors import GpuError
from .calls import ask, bindings
from .guarded import Guarded
from .launch import DriverLaunch
from .streams import Stream


class Graph(Guarded):
    """*launches*, one after the other, ready to be replayed. They stay alive as long as the graph does."""

    def __init__(self, stream: Stream, launches: Sequence[DriverLaunch]) -> None:
        captured = _captured(stream, launches)
        try:
            replayed = ask("cuGraphInstantiate", captured, 0)
        finally:
            # What is replayed is a copy, so that what was captured is not needed any more, also after an error.
            ask("cuGraphDestroy", captured)
        # The graph holds the addresses of arguments, so the launches, which hold the memory, live as long.
        super().__init__(replayed, "cuGraphExecDestroy", stream.context, tuple(launches))
        self.launches = len(launches)

    def upload(self, stream: Stream) -> None:
        """Bring the graph to the device, so that its first replay costs no more than others."""
        ask("cuGraphUpload", self.handle, stream.handle)

    def on(self, stream: Stream) -> None:
        """Queue a replay on *stream*."""
        ask("cuGraphLaunch", self.handle, stream.handle)


def _captured(stream: Stream, launches: Sequence[DriverLaunch]) -> Any:
    # Calls of other threads cannot break a capture in this mode.
    ask("cuStreamBeginCapture", stream.handle, bindings().CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
    try:
        for launch in launches:
            launch.on(stream)
    except GpuError:
        # The stream has to leave the capture, or nothing could be queued on it any more.
        with suppress(GpuError):
            ask("cuGraphDestroy", ask("cuStreamEndCapture", stream.handle))
        raise
    return ask("cuStreamEndCapture", stream.handle)
