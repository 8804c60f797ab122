"""Studies whose contracts have programs, for tests of derived evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megasolve.contracts import Study
from tests.support.planning.studies import Fields, conventional, group, megakernel, spec, study

# A byte takes a picosecond, and 1,000 of them a nanosecond.
DEVICE: Fields = {"sms": 4, "hbm_sustained_bytes_per_s": 10**12, "hbm_peak_bytes_per_s": 10**12}
PLAIN: Fields = {"threads": 256, "registers": 64}


def operator(name: str, *after: str, tiles: int | str = 1, **fields: Any) -> Fields:
    """Return an operator of stated tiles that waits for all of each operator in *after*."""
    waits = {"after": [{"operator": one} for one in after]} if after else {}
    return {"name": name, "kind": "explicit", "tiles": tiles, **waits, **fields}


def program(*operators: Fields, repeat: int | str = 1) -> list[Fields]:
    """Return a program of one block."""
    return [{"repeat": repeat, "operators": list(operators)}]


def fused(*operators: Fields, budgets: Sequence[int] = (4,), repeat: int | str = 1, **fields: Any) -> Fields:
    """Return the megakernel entry of D with a program of these operators."""
    block = {"D": program(*operators, repeat=repeat)}
    return megakernel("D", budgets=budgets, **{"launch": PLAIN, "loops_on_device": True, "programs": block, **fields})


def kernels(*operators: Fields, repeat: int | str = 1, **fields: Any) -> Fields:
    """Return the conventional contract of D with a program of these operators."""
    return conventional("D", **{"launch": PLAIN, "programs": {"D": program(*operators, repeat=repeat)}, **fields})


def decoding(*contracts: Fields, records: Sequence[Fields] = (), figures: Fields | None = None, **fields: Any) -> Study:
    """Return the study of one decode step D on a device of four SMs, but for its *figures*; *fields* are those of the spec."""
    asked = {"publication": {"group": "D", "step": 1}, "policies": ["serial"], **fields}
    return study(spec([group("D", "producer")], **asked), contracts, records, **{**DEVICE, **(figures or {})})
