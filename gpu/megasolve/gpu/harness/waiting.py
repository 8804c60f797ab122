"""Waiting with a deadline, and what a persistent kernel says when it gave up."""

from __future__ import annotations

from ..driver import Context, DriverError, Event, HostWords, Stream
from ..errors import GpuError


class Hang(GpuError):
    """A launch did not end in time; *stopped* says whether it left when it was told to, else it still holds the device."""

    def __init__(self, what: str, wait_s: float, *, stopped: bool) -> None:
        end = "left when told to stop" if stopped else "does not stop when told to: its process has to be killed"
        super().__init__(f"{what} does not end within {wait_s:g} s, and {end}")
        self.stopped = stopped


def ends_session(error: GpuError) -> bool:
    """Return whether nothing more can be done in this process after *error*."""
    return (isinstance(error, DriverError) and error.ends_context) or (isinstance(error, Hang) and not error.stopped)


class StopWords:
    """The word that stops a persistent kernel, and behind it the eight words in which the kernel says why it gave up.

    *stop_s* is how long a kernel may take to leave once it is told to.
    """

    def __init__(self, context: Context, stop_s: float) -> None:
        self._context, self._stop_s = context, stop_s
        self._held = HostWords(context, 9)
        self.stop = self._held.at(0)
        self.diagnosis = self._held.at(1)

    def close(self) -> None:
        """Give the words back; no kernel that knows them may run."""
        self._held.close()

    def clear(self) -> None:
        """Let kernels run again."""
        self._held.words[:] = 0

    def finish(self, stream: Stream, mark: Event, wait_s: float, what: str) -> None:
        """Wait until *mark* is reached on *stream*; beyond *wait_s* stop what runs, and give up the context of what does not stop.

        Raises
        ------
        Hang
            It did not end in time.
        """
        stream.record(mark)
        # An event, and never the driver's own wait: that one has no deadline and cannot be interrupted.
        if mark.wait(wait_s):
            return
        # Host memory that the device sees: a copy could not pass the kernel that hangs.
        self._held.words[0] = 1
        stopped = mark.wait(self._stop_s)
        if not stopped:
            # Giving anything back would wait for the kernel, and nobody would hear of it.
            self._context.abandon()
        raise Hang(what, wait_s, stopped=stopped)

    def diagnosis_words(self) -> tuple[int, ...]:
        """Return the eight words of the diagnosis as they are; all zero if no launch gave up since they were cleared."""
        return tuple(self._held.words[1:].tolist())
