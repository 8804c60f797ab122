"""Constraints in the words of a command line: ``--where 'new_megakernels<=1'``."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from pydantic import ValidationError

from megasolve.contracts import Constraints, MegasolveError, Spec, Study
from megasolve.contracts.check.mentions import unknown_mentions
from megasolve.contracts.files.schema.errors import schema_faults
from megasolve.contracts.model.closest import nearest_of
from megasolve.simulate import Objective
from megasolve.simulate.plan.need import ImpossibleObjective, Question

from .stated import Where

Tree: TypeAlias = "dict[str, object]"
_WORDS = re.compile(r"\s*(?P<key>[a-z_]+)(?:\.(?P<of>[^<=\s]+))?\s*(?P<sign><=|=)\s*(?P<value>.*?)\s*", re.DOTALL)
_COUNTS = ("megakernels", "new_megakernels")
_LIMITS = ("first_publication_us", "producer_step_us", "chunk_interval_us")
_AT_MOST = (*_COUNTS, "workspace_bytes", *_LIMITS)
FORMS = (
    "megakernels<=N",
    "new_megakernels<=N",
    "workspace_bytes<=BYTES",
    *(f"{key}<=US" for key in _LIMITS),
    "conventional=GROUP,GROUP",
    "entries.GROUP=ENTRY",
    "together=GROUP,GROUP",
    "apart=GROUP,GROUP",
    "requires=ENTRY:NEEDED",
    "excludes=ENTRY,ENTRY",
)


class UnusableWhere(MegasolveError):
    """Words that are no constraint, or one on something that the study does not have."""


def stated_where(study: Study, words: str) -> Where:
    """Return the constraint that *words* state.

    Raises
    ------
    UnusableWhere
        They have none of the forms, or name a group, an entry or a time that *study* does not have.
    """
    match = _WORDS.fullmatch(words)
    said = _tree(match) if match else None
    if said is None:
        raise UnusableWhere(f"--where {words!r} is none of {', '.join(FORMS)}{_nearest(words)}")
    try:
        constraints = Constraints.model_validate(said, by_alias=True, by_name=False)
    except ValidationError as error:
        first = next(schema_faults(Constraints, said, error.errors(include_url=False)))
        raise UnusableWhere(f"--where {words!r}: {first.fault().message}") from None
    for _, fault in unknown_mentions(study, constraints):
        raise UnusableWhere(f"--where {words!r}: {fault}")
    _refuse_impossible(study.spec.value, words, constraints)
    return Where(words.strip(), constraints)


def _refuse_impossible(spec: Spec, words: str, constraints: Constraints) -> None:
    """Refuse a limit of a time that *spec* does not have, as rule SPC-10 does in a file."""
    for limited in constraints.limited:
        try:
            Question(spec, spec.batches[0], Objective(limited))
        except ImpossibleObjective as impossible:
            raise UnusableWhere(f"--where {words!r}: {impossible}") from None


def _nearest(words: str) -> str:
    keys = [re.split(r"[<=.]", form)[0] for form in FORMS]
    key = re.split(r"[<=.\s]", words.strip())[0]
    return "" if key in keys else nearest_of(key, keys)


def _tree(match: re.Match[str]) -> Tree | None:
    key, of, value = match["key"], match["of"], match["value"]
    if match["sign"] == "<=":
        return _at_most(key, value) if of is None and key in _AT_MOST else None
    names = tuple(name.strip() for name in value.split(","))
    forms: dict[str, Callable[[], Tree]] = {
        "conventional": lambda: {"conventional": names},
        "together": lambda: {"together": (names,)},
        "apart": lambda: {"apart": (names,)},
        "excludes": lambda: {"excludes": (names,)},
        "requires": lambda: {"requires": (_requirement(value),)},
    }
    if key == "entries" and of is not None:
        return {"entries": {of: value}}
    return forms[key]() if of is None and key in forms else None


def _requirement(value: str) -> Tree:
    entry, colon, needs = value.partition(":")
    if not colon:
        raise UnusableWhere(f"--where 'requires={value}': write requires=ENTRY:NEEDED")
    return {"entry": entry.strip(), "needs": needs.strip()}


def _at_most(key: str, value: str) -> Tree | None:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    whole = int(number) if number.is_finite() and abs(number.adjusted()) < 30 and number == number.to_integral_value() else number
    if key in _COUNTS:
        return {key: {"at_most": whole}}
    return {"limits": {key: number}} if key in _LIMITS else {key: whole}
