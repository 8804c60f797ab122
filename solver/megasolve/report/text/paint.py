"""Paint: colours that only decorate. Without them every text says the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paint:
    """Wraps text in terminal codes, or leaves it alone."""

    is_on: bool = False

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
