"""The contract of a megakernel that nobody built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from megasolve.contracts import Contract, Document, Study
from megasolve.contracts.model.contract import Looped
from megasolve.simulate import DispatchCost
from megasolve.simulate.plan.launches import Persistent

from .names import assumed_name

OPEN_LAUNCH: Mapping[str, object] = {"unverified": "nobody built it"}


def assumed_contract(
    study: Study,
    groups: Sequence[str],
    cost: DispatchCost,
    *,
    suffix: str = "",
    loops_over: Sequence[Looped] = (),
    budgets_ctas: Sequence[int] = (),
    policies: Sequence[str] | None = ("serial",),
    launch: Mapping[str, object] = OPEN_LAUNCH,
    further: Mapping[str, object] | None = None,
) -> Document[Contract]:
    """Return the contract of a megakernel for *groups*, each launch of which costs *cost*; by default it has the device to itself."""
    drafted = {
        "megasolve": "contract/v1",
        "entry": assumed_name(groups, suffix),
        "backend": "megakernel",
        "members": tuple(groups),
        "budgets_ctas": tuple(budgets_ctas) or (study.device.value.usable_sms,),
        "launch": dict(launch),
        "dispatch": {"kind": "stream", "host_waits": cost.host_waits, "host_us": _us(cost.host_ps), "exposed_us": _us(cost.exposed_ps)},
        "loops_over": tuple(loops_over),
        **({} if policies is None else {"policies": tuple(policies)}),
        **(further or {}),
    }
    # It stands in no file: whoever asks for its place is led to the spec.
    return Document(study.spec.file, Contract.model_validate(drafted, by_alias=True, by_name=False), study.spec.places)


def looped(study: Study, launching: Persistent) -> tuple[Looped, ...]:
    """Return over what *launching* stays, as a contract says it."""
    repeats: tuple[Looped, ...] = ("repeat",) if launching.repeats and study.spec.value.repeats else ()
    return (*repeats, "steps") if launching.loops else repeats


def _us(ps: int) -> Decimal:
    return Decimal(ps).scaleb(-6)
