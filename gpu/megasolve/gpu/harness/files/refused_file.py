"""Samples that are no record, kept with the rules that they break: to be looked at, and read by no plan."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from megasolve.contracts import REFUSED_SAMPLES
from megasolve.contracts.measuring.times import BrokenRule, TimedKey
from megasolve.simulate.plan.wanted import WantedTime

from ...driver import GpuState
from ..acceptance import Verdict
from ..results import BlockResult, LaunchFacts, Repeat, Timed
from .lines_file import LinesFile, LinesFileRefused

_HEAD = {"megasolve": "refused/v1"}
_PATIENCE_S, _PAUSE_S = 5.0, 0.05


@dataclass(frozen=True, slots=True)
class RefusedSamples(TimedKey):
    """Samples of a time that are no record, everything that they were taken under, and the *rules* that they break."""

    precision: str
    device: str
    rules: tuple[BrokenRule, ...]
    raw_us: tuple[float, ...]
    empty_us: tuple[float, ...]
    calls_per_sample: int
    warmups: int
    before: GpuState
    after: GpuState
    repeat: Repeat | None
    launch: LaunchFacts
    symbol: str
    cubin_sha256: str
    source_sha256: str
    date: str
    tool: str
    versions: Mapping[str, str]
    fake: bool


_REFUSED_SAMPLES = TypeAdapter(RefusedSamples)


def refused_file(target: Path) -> Path:
    """Return where the samples stand that were not accepted into *target*."""
    return target.with_name(REFUSED_SAMPLES)


def keep_refused(
    target: Path, wanted: WantedTime, timed: Timed, result: BlockResult, broken: Sequence[Verdict], *, tool: str
) -> Path | None:
    """Add the samples of *timed* and the verdict to the file beside *target*, and return it; None where it cannot be written.

    Samples that are no evidence are not worth a run that goes on.
    """
    path = refused_file(target)
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with LinesFile(path) as file:
                line = _line(_REFUSED_SAMPLES.dump_python(_refused(wanted, timed, result, broken, tool), mode="json"))
                file.append(*(() if file.lines else (_line(_HEAD),)), line)
            return path
        except LinesFileRefused:
            # Another measurement writes a line of its own.
            if time.monotonic() > until:
                return None
            time.sleep(_PAUSE_S)
        except OSError:
            return None


def _refused(wanted: WantedTime, timed: Timed, result: BlockResult, broken: Sequence[Verdict], tool: str) -> RefusedSamples:
    key = wanted.key
    return RefusedSamples(
        group=key.group,
        backend=key.backend,
        entry=key.entry,
        budget_ctas=key.budget_ctas,
        batch=key.batch,
        precision=key.precision,
        device=key.device,
        rules=tuple(BrokenRule(verdict.rule, verdict.figures) for verdict in broken),
        raw_us=timed.samples.raw_us,
        empty_us=timed.samples.empty_us,
        calls_per_sample=timed.samples.calls,
        warmups=timed.samples.warmups,
        before=timed.samples.before,
        after=timed.samples.after,
        repeat=result.repeat_of(timed.experiment),
        launch=timed.launch,
        symbol=timed.symbol,
        cubin_sha256=timed.cubin_sha256,
        source_sha256=timed.source_sha256,
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        tool=tool,
        versions=result.versions,
        fake=result.device.fake,
    )


def _line(values: object) -> bytes:
    return f"{json.dumps(values)}\n".encode()
