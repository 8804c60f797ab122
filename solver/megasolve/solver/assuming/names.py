"""The names of entries that nobody built."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

PREFIX = "assumed"
_LONGEST = 128


def assumed_name(groups: Sequence[str], suffix: str = "") -> str:
    """Return the name of an entry for *groups*; a long one is the first and the last group, and what tells it from others."""
    whole = f"{PREFIX}.{'+'.join(groups)}{suffix}"
    if len(whole) <= _LONGEST:
        return whole
    told = sha256("+".join(groups).encode()).hexdigest()[:8]
    return f"{PREFIX}.{groups[0][:40]}..{groups[-1][:40]}.{told}{suffix}"
