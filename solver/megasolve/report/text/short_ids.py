"""Ids of candidates and regions on a line: of many groups, and of many regions, the first and the last, and how many there are between."""

from __future__ import annotations

import re

_LONG, _LONG_COVER = 48, 100
_MOST_REGIONS = 6
_REGION = re.compile(r"(?P<backend>[cm]:)(?P<groups>[^/@\s]+)")
_COVER = re.compile(r"[cm]:[^@\s]+/[cm]:[^@\s]+(?=@)")
SHORTENED = "ids are shortened: --format json has them whole"


def short_id(name: str) -> str:
    """Return *name*, an id or a line with ids, with each region and each cover that is too long for a line cut in its middle."""
    return _COVER.sub(_cut_cover, _REGION.sub(_cut, name))


def _cut_cover(match: re.Match[str]) -> str:
    regions = match[0].split("/")
    if len(match[0]) <= _LONG_COVER or len(regions) <= _MOST_REGIONS:
        return match[0]
    first, second, *between, last = regions
    return f"{first}/{second}/({len(between):,} more)/{last}"


def _cut(match: re.Match[str]) -> str:
    groups = match["groups"].split("+")
    if len(match[0]) <= _LONG or len(groups) < 3:
        return match[0]
    return f"{match['backend']}{groups[0]}+({len(groups) - 2:,} more)+{groups[-1]}"
