"""Refusals: launches that the rules exclude, whose programs are therefore never simulated."""

from __future__ import annotations

from collections.abc import Iterator

from megasolve.contracts import Contract, Device, launch_violations
from megasolve.simulate.plan.cause import BUDGET_UNSUPPORTED


def launch_refusal(device: Device, contract: Contract, budget_ctas: int) -> str:
    """Return every rule, with its fact, by which *contract* cannot be launched at *budget_ctas*; empty if it can."""
    return "; ".join(_refusals(device, contract, budget_ctas))


def _refusals(device: Device, contract: Contract, budget_ctas: int) -> Iterator[str]:
    is_megakernel = contract.backend == "megakernel"
    if is_megakernel and budget_ctas not in contract.budgets:
        yield f"{BUDGET_UNSUPPORTED.code} {unsupported_budget(contract, budget_ctas)}"
    for violation in launch_violations(device, contract, budget_ctas if is_megakernel else None):
        yield f"{violation.rule.code} entry '{contract.entry}': {violation.because}"


def unsupported_budget(contract: Contract, budget_ctas: int) -> str:
    """Return that *contract* does not declare *budget_ctas*, and what it declares."""
    supported = ", ".join(map(str, contract.budgets)) or "none"
    return f"entry '{contract.entry}' supports budgets of {supported} CTAs, not {budget_ctas}"
