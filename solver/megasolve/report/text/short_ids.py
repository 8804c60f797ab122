"""Ids of candidates and regions on a line: of a region with many groups the first and the last, and how many there are between."""

from __future__ import annotations

import re

_LONG = 48
_REGION = re.compile(r"(?P<backend>[cm]:)(?P<groups>[^/@]+)")


def short_id(name: str) -> str:
    """Return *name* with each region that is too long for a line cut in its middle."""
    return _REGION.sub(_cut, name)


def _cut(match: re.Match[str]) -> str:
    groups = match["groups"].split("+")
    if len(match[0]) <= _LONG or len(groups) < 3:
        return match[0]
    return f"{match['backend']}{groups[0]}+({len(groups) - 2:,} more)+{groups[-1]}"
