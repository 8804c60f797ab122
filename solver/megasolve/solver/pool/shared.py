"""Values that many tasks have in common: written once, and read once in each process that does some of those tasks."""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from hashlib import sha256
from typing import Any, Generic, TypeVar, cast

Value = TypeVar("Value")

REMEMBERED = 4
"""How many values a process keeps: tasks that share one follow each other."""


class Shared(Generic[Value]):
    """A *value* on its way to other processes. Where it was made it is the value itself; elsewhere it is read when it is asked for."""

    __slots__ = ("_content", "_digest", "_has_value", "_value")

    def __init__(self, value: Value) -> None:
        self._value: Value | None = value
        self._has_value = True
        self._content = b""
        self._digest = ""

    @property
    def value(self) -> Value:
        """The value; whoever asks must not change it."""
        return cast(Value, self._value) if self._has_value else cast(Value, _memory.value(self._digest, self._content))

    def __getstate__(self) -> tuple[str, bytes]:
        if not self._content:
            self._content = pickle.dumps(self._value, pickle.HIGHEST_PROTOCOL)
            self._digest = sha256(self._content).hexdigest()
        return self._digest, self._content

    def __setstate__(self, state: tuple[str, bytes]) -> None:
        self._value, self._has_value = None, False
        self._digest, self._content = state


class _Memory(threading.local):
    """The last values that this thread has read: a worker of a cluster may have several threads, which share nothing."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, Any] = OrderedDict()

    def value(self, digest: str, content: bytes) -> Any:
        if digest not in self._values:
            self._values[digest] = pickle.loads(content)
        self._values.move_to_end(digest)
        while len(self._values) > REMEMBERED:
            self._values.popitem(last=False)
        return self._values[digest]


_memory = _Memory()
