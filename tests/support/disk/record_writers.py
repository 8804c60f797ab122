"""Processes that add records to a file until they are killed, and say on stdout which ones are written."""

from __future__ import annotations

import itertools
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path

from megasolve.contracts import PS_PER_US, Record
from megasolve.gpu.experiments.times.record_file import RecordFile

SOURCE = "a" * 64


def record(batch: int, *, source: str = SOURCE, us: str = "12.5", fake: bool = False, threads: int = 256) -> Record:
    """Return a small record, whose batch tells it from others."""
    return Record.model_validate(
        {
            "group": "L",
            "backend": "megakernel",
            "entries": ("L",),
            "budget_ctas": 44,
            "batch": batch,
            "precision": "bf16",
            "device": "h200",
            "context": {"launch": {"threads": threads}, "synchronization": {"kind": "counters", "cost_us": Decimal("1.10")}},
            "samples_us": (Decimal(us),) * 40,
            "provenance": {"kind": "measured", "source": "a test", "source_sha256": source, **({"fake": True} if fake else {})},
        }
    )


def _is_of(batch: int, other: Record) -> bool:
    return other.batch == batch


def main() -> None:
    """Add records, from batch 1 on or from the next that the file lacks; with `replace`, each one again and again."""
    with RecordFile(Path(sys.argv[1])) as held:
        # Numbers go on where the last writer stopped, so that a lower one is never the newer.
        for number in itertools.count(max((one.time_ps // PS_PER_US for one in held.records), default=0) + 1):
            batch = 1 + number % 5 if sys.argv[2:] == ["replace"] else number
            held.add(record(batch, us=f"{number}.5"), partial(_is_of, batch))
            sys.stdout.write(f"{batch} {number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
