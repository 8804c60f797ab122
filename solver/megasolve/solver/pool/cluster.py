"""A cluster: the workers of a scheduler of Dask do the tasks. Only this module imports it."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from megasolve.contracts import MegasolveError
from megasolve.contracts.files.disk.program import program_digest, program_version

from .executor import Lost
from .turns import in_runs
from .worker import answer

if TYPE_CHECKING:
    from distributed import Client, Future

Task = TypeVar("Task")
Found = TypeVar("Found")

Sent: TypeAlias = "Future[Any]"

SECONDS_TO_ANSWER = 30.0
SECONDS_WITHOUT_WORKERS = 60.0
_NO_SCHEDULER = "the scheduler of the cluster is gone"
AHEAD = 3
"""How many tasks each thread of the cluster has waiting: enough that none is idle, few enough that none is sent long before it is done."""


class UnusableCluster(MegasolveError):
    """An address at which no scheduler answers, or one without workers that run this program; the message says which."""


class Cluster:
    """The cluster whose scheduler is at *address*; *warn* is told in one line what went wrong.

    A worker that dies costs its tasks another try on another one, as the scheduler does it. Where the scheduler itself is lost, the rest is
    done in this process.

    Raises
    ------
    UnusableCluster
        Nobody answers within *seconds*, or the workers are none, or run another program.
    ModuleNotFoundError
        Dask is not installed.
    """

    def __init__(self, address: str, *, warn: Callable[[str], None] | None = None, seconds: float = SECONDS_TO_ANSWER) -> None:
        self._warn = warn
        client = _connected(address, seconds)
        self._client: Client | None = client
        try:
            _refuse_other_programs(client, address, seconds)
        except BaseException:
            self.close()
            raise

    def run(
        self,
        work: Callable[[Task], Found],
        tasks: Sequence[Task],
        finished: Callable[[int, Found], None],
        kinds: Callable[[Task], Hashable] = type,
        prepare: Callable[[float], None] | None = None,  # noqa: ARG002 - the workers are no copies of this process
        *,
        lost: Lost | None = None,
    ) -> None:
        """Do *work* on every one of *tasks*, as every `Executor` does."""
        left = dict.fromkeys(number for run in in_runs(range(len(tasks)), lambda number: kinds(tasks[number])) for number in run)
        try:
            for number, future in self._settled([*left], lambda number: pickle.dumps((program_digest(), work, tasks[number]))):
                if future.status == "finished":
                    if (content := _content(future)) is not None:
                        del left[number]
                        finished(number, pickle.loads(content))
                elif lost is not None and (deaths := _deaths(future)):
                    del left[number]
                    lost(number, f"{deaths} workers of the cluster died at it")
        except _Gone as gone:
            self.close()
            if self._warn:
                self._warn(f"{gone}; what is left is done in this process alone, which takes longer")
        except BaseException:
            # Nothing goes on behind the back of one who handles this.
            self.close()
            raise
        for number in left:
            finished(number, work(tasks[number]))

    def close(self) -> None:
        """Leave the cluster, whose workers drop what they were asked for; from then on everything is done in this process."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, TimeoutError):
                client.close(timeout=1)

    def _settled(self, every: Sequence[int], content: Callable[[int], bytes]) -> Iterator[tuple[int, Sent]]:
        """Send the *content* of *every* number, a few at a time, and yield the numbers with what became of them."""
        if self._client is None:
            return
        waiting = deque(every)
        room = AHEAD * max(1, sum(self._client.ncores().values()))
        numbers: dict[Sent, int] = {}
        ended: SimpleQueue[Sent] = SimpleQueue()
        while waiting or numbers:
            while waiting and len(numbers) < room:
                future = self._client.submit(answered, content(waiting[0]), pure=False)
                numbers[future] = waiting.popleft()
                future.add_done_callback(ended.put)
            future = self._next(self._client, ended)
            if future.status == "cancelled":
                raise _Gone(_NO_SCHEDULER)
            yield numbers.pop(future), future

    def _next(self, client: Client, ended: SimpleQueue[Sent]) -> Sent:
        """Wait for a future that has *ended*."""
        since = time.monotonic()
        while True:
            with suppress(Empty):
                return ended.get(timeout=1)
            with suppress(OSError, TimeoutError):
                if client.status == "running" and client.ncores():
                    since = time.monotonic()
            if client.status in {"closing", "closed"}:
                raise _Gone(_NO_SCHEDULER)
            if time.monotonic() - since > SECONDS_WITHOUT_WORKERS:
                raise _Gone("the cluster has no workers left")


class _Gone(Exception):
    """The cluster does nothing any more."""


def answered(content: bytes) -> bytes | None:
    """Return what a task gives, in a worker; None where it could not be done, or was asked for by another program than this one."""
    program, work, task = pickle.loads(content)
    is_done, found = answer(work, task) if program == program_digest() else (False, None)
    return pickle.dumps(found, pickle.HIGHEST_PROTOCOL) if is_done else None


def _content(future: Sent) -> bytes | None:
    """Return what a worker has answered."""
    try:
        content: bytes | None = future.result()
    except OSError:
        raise _Gone(_NO_SCHEDULER) from None
    return content


def _deaths(future: Sent) -> int:
    """Return how many workers died at a task; 0 where it failed otherwise."""
    from distributed import KilledWorker

    why = future.exception()
    return int(why.allowed_failures) + 1 if isinstance(why, KilledWorker) else 0


def _connected(address: str, seconds: float) -> Client:
    from distributed import Client

    try:
        # A client that cannot connect says so at length, and goes on trying behind the back of whoever gave up.
        asyncio.run(_greeted(address, seconds))
        return Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, ImportError, TypeError, RuntimeError) as error:
        raise UnusableCluster(f"no scheduler of Dask answers at {address or repr(address)}: {error}") from None


async def _greeted(address: str, seconds: float) -> None:
    from distributed import Security
    from distributed.comm.core import connect

    comm = await connect(address, timeout=seconds, **Security().get_connection_args("client"))
    await comm.close()


def _refuse_other_programs(client: Client, address: str, seconds: float) -> None:
    """Refuse a cluster without workers, and one of whose workers does not run this program: its answers would not be the same."""
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError:
        raise UnusableCluster(f"the cluster at {address} has no workers") from None
    own = (program_version(), program_digest())
    for worker, program in client.run(_program, on_error="return").items():
        if isinstance(program, BaseException):
            raise UnusableCluster(f"the worker {worker} of the cluster at {address} cannot run megasolve: {program}")
        if program != own:
            raise UnusableCluster(
                f"the worker {worker} of the cluster at {address} runs another megasolve: {_told(program)}, here {_told(own)}"
            )


def _program() -> tuple[str, str]:
    return program_version(), program_digest()


def _told(program: tuple[str, str]) -> str:
    return f"{program[0]} ({program[1][:12]})"
