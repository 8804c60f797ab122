"""Winners as text."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_NAMED = 3


def best_text(ids: Sequence[str]) -> str:
    """Return the *ids* of the best designs: one, or that several tie, or that there is none."""
    if len(ids) <= 1:
        return "".join(ids) or "nothing feasible"
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{' = '.join(ids[:_MOST_NAMED])}{more}"
