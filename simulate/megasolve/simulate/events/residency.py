"""Who holds CTAs and who waits for them: the admission half of Algorithm 1 (lines 7 to 10, and 34 to 36)."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from .arithmetic import Time
from .graph import Admission, HeldLaunch
from .kernels import KernelLine

Turn: TypeAlias = tuple[int, int, int, int]
"""A waiting launch's place in READY: instant of its first ready node, priority, index of that node, launch."""


KERNEL = -1


class Residency:
    """The CTAs of the device, given to waiting launches and kernels in READY order.

    Waiting launches are kept by the CTAs that they need at least, so that an admission looks at one launch per distinct
    need and not at all that wait.
    """

    __slots__ = ("_launches", "_needs", "_priority", "_queues", "admitted", "free_ctas", "held", "kernels", "pending", "released", "turns")

    def __init__(self, launches: Sequence[HeldLaunch], capacity_ctas: int, priority: Sequence[int], kernels: KernelLine) -> None:
        self._launches = launches
        self._priority = priority
        self.kernels = kernels
        self._needs = [least_ctas(launch) for launch in launches]
        self._queues: dict[int, list[Turn]] = {need: [] for need in sorted(set(self._needs))}
        self.free_ctas = capacity_ctas
        self.held = [0] * len(launches)
        self.admitted: list[Time | None] = [None] * len(launches)
        self.released: list[Time | None] = [None] * len(launches)
        self.turns: dict[int, Turn] = {}
        self.pending = False

    def arrive(self, launch: int, instant: int, node: int) -> None:
        """Let *launch* wait for admission since *instant*; its earliest ready node decides its place."""
        turn = (instant, self._priority[launch], node, launch)
        # Its place in line is that of its earliest ready node, also where a later one is heard of first.
        if launch in self.turns and self.turns[launch] <= turn:
            return
        self.turns[launch] = turn
        heappush(self._queues[self._needs[launch]], turn)
        self.pending = True

    def arrive_kernels(self, woken: list[int], instant: int) -> None:
        """Let the kernels among the nodes *woken* at *instant* wait for SMs; the others stay in the list."""
        if self.kernels.arrive(woken, instant):
            self.pending = True

    def finish_waves(self, completed: list[int], now: Time) -> None:
        """Take back what the waves among *completed* held, and leave there the kernels that end with them."""
        if freed := self.kernels.finish(completed, now):
            self.free_ctas += freed
            self.pending = True

    def release(self, launch: int, now: Time) -> None:
        """Take back all that *launch* holds."""
        self.free_ctas += self.held[launch]
        self.released[launch] = now
        self.pending = True

    def admit(self, now: Time) -> list[int]:
        """Serve the waiting launches in order, each that fits, and return those that may now run."""
        admitted = []
        self.pending = False
        while (turn := self._next_that_fits()) is not None:
            launch = turn[-1]
            if launch < 0:
                self.free_ctas -= self.kernels.serve(self.free_ctas, now)
                continue
            # An ORDINARY launch comes here again and again, for what it still lacks, and holds the rest meanwhile: so deadlocks arise.
            wanted = self._launches[launch].holds - self.held[launch]
            taken = min(wanted, self.free_ctas)
            self.free_ctas -= taken
            self.held[launch] += taken
            if taken == wanted:
                del self.turns[launch]
                self.admitted[launch] = now
                admitted.append(launch)
        return admitted

    def _next_that_fits(self) -> Turn | None:
        # Who does not fit is passed over, not waited for (lines 6 and 7): a small launch behind a large one may run.
        fitting = (self._front(queue) for need, queue in self._queues.items() if need <= self.free_ctas)
        launch = min((turn for turn in fitting if turn is not None), default=None)
        kernel = self.kernels.first if self.free_ctas else None
        if kernel is None or (launch is not None and launch[:3] < kernel):
            return launch
        return (*kernel, KERNEL)

    def _front(self, queue: list[Turn]) -> Turn | None:
        """Drop the turns of launches that were admitted or moved forward; return the first that still holds."""
        # A turn that moved forward leaves its old entry behind; dropping it here is cheaper than finding it in the heap.
        while queue and self.turns.get(queue[0][-1]) != queue[0]:
            heappop(queue)
        return queue[0] if queue else None


def least_ctas(launch: HeldLaunch) -> int:
    """Return the CTAs without which *launch* takes none: all of them if cooperative, else one."""
    return launch.holds if launch.admission is Admission.COOPERATIVE else min(launch.holds, 1)
