"""A shelf: values of one kind, each under the digest of what decides it, and made only if neither this run nor the cache has it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from megasolve.contracts import JsonObject

from ..pool.pool import ProcessPool
from .derivation import Derivation


class Digested(Protocol):
    """A task with a digest of everything that decides its value."""

    @property
    def key(self) -> str:
        """The digest."""


Task = TypeVar("Task", bound=Digested)
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Recipe(Generic[Task, Found]):
    """How values of one kind are made, in any process, and how they are written for the cache and read back.

    Tasks of which *shared* says the same have something in common that is made once where they follow each other. *prepared* is told how
    many seconds of work are left before other processes take part.
    """

    what: Literal["calibrations", "times"]
    made: Callable[[Task], Found]
    shared: Callable[[Task], Hashable]
    prepared: Callable[[float], None]
    written: Callable[[Found], JsonObject]
    read: Callable[[JsonObject], Found]


class Shelf(Generic[Task, Found]):
    """The values of one run."""

    def __init__(self, recipe: Recipe[Task, Found], derivation: Derivation) -> None:
        self._recipe = recipe
        self._cache = derivation.cache
        self._derivation = derivation
        self._values: dict[str, Found] = {}

    def value(self, task: Task) -> Found:
        """Return the value of *task*."""
        key = task.key
        if key not in self._values:
            self._fill({key: task})
        return self._values[key]

    def prepare(self, tasks: Iterable[Task]) -> None:
        """Make what is missing of the values of *tasks*, side by side."""
        self._fill({task.key: task for task in tasks})

    def _fill(self, tasks: Mapping[str, Task]) -> None:
        missing = {key: task for key, task in tasks.items() if key not in self._values and not self._is_recalled(key)}
        keys = [*missing]
        self._say(0, len(keys))
        done = 0

        def finished(number: int, found: Found) -> None:
            nonlocal done
            done += 1
            self._keep(keys[number], found)
            self._say(done, len(keys))

        (self._derivation.pool or ProcessPool(1)).run(
            self._recipe.made, [*missing.values()], finished, self._recipe.shared, self._recipe.prepared
        )

    def _say(self, done: int, of: int) -> None:
        if of:
            self._derivation.tell(self._recipe.what, done, of)

    def _is_recalled(self, key: str) -> bool:
        kept = self._cache.recall(key) if self._cache else None
        try:
            if kept is not None:
                self._values[key] = self._recipe.read(kept)
        except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
            # Well-formed, yet not what this version writes: it is derived and written anew.
            return False
        return kept is not None

    def _keep(self, key: str, found: Found) -> None:
        self._values[key] = found
        if self._cache:
            self._cache.keep(key, self._recipe.written(found))
