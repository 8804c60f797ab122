"""What a result file says of measured runs, as it was shown beside the scores of its rows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from megasolve.contracts import PS_PER_US, Backend, Evidence, Provenance
from megasolve.contracts.model.measured import CoRunSide

from ...select.told.shown import PairBeside, RunBeside, ShownRun, SideBeside, WholeBeside


def _ps(value: object) -> int:
    """Return a time as `result/v1` writes it in picoseconds."""
    whole, _, decimals = value.partition(".") if isinstance(value, str) else ("", "", "")
    if len(decimals) != len(str(PS_PER_US)) - 1 or not (whole + decimals).isdecimal():
        raise ValueError("is no time: microseconds as text with six decimals")
    return int(whole + decimals)


Microseconds = Annotated[int, BeforeValidator(_ps)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class FrozenSide(_Part):
    """One side of a co-run."""

    groups: tuple[str, ...]
    backend: Backend
    entries: tuple[str, ...]
    ctas: int | None = None
    alone_us: Microseconds
    beside_us: Microseconds
    predicted_alone_us: Microseconds | None = None
    predicted_beside_us: Microseconds | None = None

    @property
    def shown(self) -> SideBeside:
        """The side as it was shown: of its times the medians."""
        side = CoRunSide.model_construct(
            groups=self.groups,
            backend=self.backend,
            entries=self.entries,
            ctas=self.ctas,
            solo_ps=(self.alone_us,),
            pair_ps=(self.beside_us,),
        )
        return SideBeside(side, self.predicted_alone_us, self.predicted_beside_us)


class FrozenSource(_Part):
    """Where times come from, as far as it is shown."""

    kind: Evidence
    source: str
    fake: bool = False


class FrozenRun(_Part):
    """A measured run beside the score of a row: a co-run of two sides, or the whole candidate."""

    kind: Literal["co_run", "composition"]
    place: str
    device: str
    provenance: FrozenSource
    notes: tuple[str, ...] = ()
    producer: FrozenSide | None = None
    consumer: FrozenSide | None = None
    time_us: Microseconds | None = None
    predicted_us: Microseconds | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> FrozenRun:
        parts = (self.producer, self.consumer) if self.kind == "co_run" else (self.time_us,)
        if None in parts:
            raise ValueError(f"a {self.kind} without {'both sides' if self.kind == 'co_run' else 'time_us'}")
        return self

    @property
    def shown(self) -> RunBeside:
        """The run as it was shown."""
        source = self.provenance
        provenance = Provenance.model_construct(kind=source.kind, source=source.source, fake=source.fake)
        run = ShownRun(self.place, self.device, provenance, self.notes)
        if self.producer is not None and self.consumer is not None:
            return PairBeside(run, self.producer.shown, self.consumer.shown)
        return WholeBeside(run, self.time_us or 0, self.predicted_us)
