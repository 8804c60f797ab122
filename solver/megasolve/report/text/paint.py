"""Paint: how text goes to a terminal. Its colours only decorate: without them every text says the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paint:
    """Wraps text in terminal codes, or leaves it alone; lines of tables have at most so many *columns* (None: as many as they need)."""

    is_on: bool = False
    columns: int | None = None

    def bold(self, text: str) -> str:
        """Return *text* in bold, for what wins."""
        return self._wrapped(text, 1)

    def red(self, text: str) -> str:
        """Return *text* in red, for errors."""
        return self._wrapped(text, 31)

    def yellow(self, text: str) -> str:
        """Return *text* in yellow, for warnings and for what a reader must know first."""
        return self._wrapped(text, 33)

    def _wrapped(self, text: str, code: int) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_on else text


PLAIN = Paint()
