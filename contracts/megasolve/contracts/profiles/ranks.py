"""Which rank a profile is of, where its file's name says so: one file a rank is written, and few formats state it inside."""

from __future__ import annotations

import re
from pathlib import PurePath

_RANK = re.compile(r"(?:^|[^a-z])rank[-_. ]?(\d{1,9})(?!\d)", re.ASCII | re.IGNORECASE)
_TENSOR_PARALLEL = re.compile(r"-TP-(\d{1,9})\.", re.ASCII)


def rank_in_name(file: str) -> int | None:
    """Return the rank that the name of *file* states: rank-0, rank_0, rank.0, rank0 (PyTorch, vLLM), or else -TP-0 at its end (SGLang).

    None where it states none, or several.
    """
    name = PurePath(file).name
    ranks = {int(number) for number in _RANK.findall(name) or _TENSOR_PARALLEL.findall(name)}
    return ranks.pop() if len(ranks) == 1 else None
