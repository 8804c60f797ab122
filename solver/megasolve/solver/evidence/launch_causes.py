"""Causes of launches: what keeps a launch from being made at all, so that its program is never simulated."""

from __future__ import annotations

from collections.abc import Iterator

from megasolve.contracts import Contract, Device, launch_faults
from megasolve.simulate.plan.cause import BUDGET_UNSUPPORTED


def launch_causes(device: Device, contract: Contract, budget_ctas: int) -> str:
    """Return every rule, with its fact, by which *contract* cannot be launched at *budget_ctas*; empty if it can."""
    return "; ".join(_causes(device, contract, budget_ctas))


def _causes(device: Device, contract: Contract, budget_ctas: int) -> Iterator[str]:
    is_megakernel = contract.backend == "megakernel"
    if is_megakernel and budget_ctas not in contract.budgets:
        yield f"{BUDGET_UNSUPPORTED.code} {unsupported_budget(contract, budget_ctas)}"
    for fault in launch_faults(device, contract, budget_ctas if is_megakernel else None):
        yield f"{fault.rule.code} entry '{contract.entry}': {fault.message}"


def unsupported_budget(contract: Contract, budget_ctas: int) -> str:
    """Return that *contract* does not declare *budget_ctas*, and what it declares."""
    supported = ", ".join(map(str, contract.budgets)) or "none"
    return f"entry '{contract.entry}' supports budgets of {supported} CTAs, not {budget_ctas}"
