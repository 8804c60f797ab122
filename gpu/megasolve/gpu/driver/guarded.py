"""Objects of the driver that free themselves, at the end of a `with` block, when closed, or when nobody holds them any more."""

from __future__ import annotations

import weakref
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

from ..errors import GpuError
from .calls import ask

_Self = TypeVar("_Self", bound="Guarded")


class Guarded:
    """One object of the driver behind *handle*, which *release* (a call of the driver) gives back.

    *parents* stay alive as long as it does, so that a context is never given back before what was *made* in it.
    """

    def __init__(self, handle: Any, release: str, *parents: object) -> None:
        self._handle = handle
        self.made: weakref.WeakSet[Guarded] = weakref.WeakSet()
        for parent in parents:
            if isinstance(parent, Guarded):
                parent.made.add(self)
        # The finalizer holds the parents, not the object: so children are given back first, in whatever order names go.
        self._guard = weakref.finalize(self, _given_back, release, handle, parents)

    @property
    def handle(self) -> Any:
        """What the driver knows the object by.

        Raises
        ------
        ValueError
            It has been given back.
        """
        if not self._guard.alive:
            raise ValueError(f"this {type(self).__name__} has been given back to the driver")
        return self._handle

    @property
    def is_open(self) -> bool:
        """Whether the object has not been given back."""
        return self._guard.alive

    def close(self) -> None:
        """Give the object back to the driver; a second time does nothing."""
        self._guard()

    def abandon(self) -> None:
        """Never give the object back, nor anything that was made in it: while a kernel spins, the driver would wait for it."""
        # A copy: objects may vanish from the weak set while it is walked.
        for made in tuple(self.made):
            made.abandon()
        self._guard.detach()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _given_back(release: str, handle: Any, _parents: tuple[object, ...]) -> None:
    # After a kernel failed, every call repeats that failure; the process has heard of it, and its end frees everything.
    with suppress(GpuError):
        ask(release, handle)
