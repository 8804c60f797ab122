"""A frozen plan: a JSON result of `solve`, as far as it is judged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from megasolve.contracts import MegasolveError
from megasolve.contracts.files.text import read_text
from megasolve.contracts.model.wording import path_text

from .forecast import Forecast, Predicted
from .frozen_runs import FrozenRun


class UnusablePlan(MegasolveError):
    """A file that is no result of `solve`, or one of another spec; the message says which, and what is wrong with it."""


def _exact(value: object) -> object:
    """Return a score as `result/v1` writes it, a whole number or `numerator/denominator`, as a rational."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return _rational(value) if isinstance(value, str) and value.replace("/", "", 1).isdecimal() else value


def _rational(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise ValueError("is divided by zero") from None


Score = Annotated[Fraction, BeforeValidator(_exact)]
Relative = Annotated[Fraction, BeforeValidator(_rational)]


class _Part(BaseModel):
    """A part of a result; keys that no judgement needs are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", arbitrary_types_allowed=True, defer_build=True)


class FrozenInput(_Part):
    """A file that the plan was made of."""

    path: str
    sha256: str | None = None


class FrozenVariant(_Part):
    """A choice of entries that loses."""

    entries: tuple[str, ...]
    score_ps: Score


class FrozenRow(_Part):
    """A ranked candidate."""

    id: str
    score_ps: Score
    entries: tuple[str, ...] = ()
    same_as: str | None = None
    evidence: tuple[str, ...] = ()
    accuracy: Relative | None = None
    variants: tuple[tuple[str, ...], ...] = ()
    slower_variants: tuple[FrozenVariant, ...] = ()
    measured: tuple[FrozenRun, ...] = ()


class FrozenCause(_Part):
    """A cause of an exclusion."""

    rule: str
    because: str


class FrozenRule(_Part):
    """How many candidates a rule excludes, with one of them, where nobody listed them all."""

    rule: str
    candidates: int
    example: str = ""
    because: str = ""


class FrozenExclusion(_Part):
    """A candidate that is excluded."""

    id: str
    causes: tuple[FrozenCause, ...] = ()


class FrozenBatch(_Part):
    """What the plan says of one batch."""

    batch: int
    objective: str
    ablation: Literal["full", "additive", "no_overlap"] = "full"
    best: tuple[str, ...]
    ranking: tuple[FrozenRow, ...]
    candidates: int = 0
    excluded: tuple[FrozenExclusion, ...] = ()
    excluded_by: tuple[FrozenRule, ...] = ()
    notes: tuple[str, ...] = ()
    unshown: tuple[str, ...] = ()


class FrozenPlan(_Part):
    """A JSON result of `solve`: with its inputs it says what it was made of."""

    megasolve: Literal["result/v1"]
    spec: str
    device: str
    version: str | None = None
    inputs: tuple[FrozenInput, ...] = ()
    options: Mapping[str, Any] = Field(default_factory=dict)
    results: tuple[FrozenBatch, ...]


def read_plan(file: str) -> FrozenPlan:
    """Return the plan that *file* holds.

    Raises
    ------
    UnreadableFile
        It holds no text.
    UnusablePlan
        It is no result of `solve`.
    """
    return plan_of_text(file, read_text(file))


def plan_of_text(file: str, text: str) -> FrozenPlan:
    """Return the plan that *text* holds, the content of *file*.

    Raises
    ------
    UnusablePlan
        It is no result of `solve`.
    """
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnusablePlan(f"{file}: is no JSON, and so no result of megasolve solve --format json ({error})") from None
    kind = tree.get("megasolve") if isinstance(tree, dict) else None
    if kind != "result/v1":
        found = f"is {kind}" if isinstance(kind, str) and len(kind) < 40 else "names no kind"
        raise UnusablePlan(f"{file}: {found}; a frozen plan is result/v1, as megasolve solve SPEC -o plan.json writes it")
    try:
        return FrozenPlan.model_validate(tree)
    except ValidationError as error:
        first, *more = error.errors(include_url=False)
        rest = f", and {len(more)} more faults" if more else ""
        raise UnusablePlan(f"{file}: {path_text(first['loc'])}: {first['msg'].lower()}{rest}; write the plan again") from None


def forecasts_of(plan: FrozenPlan) -> Iterator[Forecast]:
    """Yield what *plan* says of each batch."""
    for batch in plan.results:
        predicted = {row.id: _predicted(row) for row in batch.ranking}
        causes = {one.id: "; ".join(f"{cause.rule} {cause.because}" for cause in one.causes) for one in batch.excluded}
        yield Forecast(batch.ablation, batch.batch, batch.objective, batch.best, predicted, causes, batch.notes)


def _predicted(row: FrozenRow) -> Predicted:
    slower = {one.entries: one.score_ps for one in row.slower_variants}
    return Predicted(row.id, row.score_ps, row.same_as or row.id, row.variants, slower, row.evidence, row.accuracy)
