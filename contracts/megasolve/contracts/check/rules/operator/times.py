"""Rules for times of tiles that hold at one register limit only."""

from __future__ import annotations

from collections.abc import Iterator

from ....limits.workers import entry_registers
from ....model.contract import Contract
from ....model.device import Device
from ....model.findings import Fault
from ....model.programs.operators import OpaqueOperator
from ....model.rules import RuleKind, rule
from ...subjects import LAUNCH
from ..wording import listed
from .paths import each_operator


@rule("OPR-20", "no-time-at-limit", "Times by register limit include that of the entry.", RuleKind.LIMIT, on=LAUNCH)
def no_time_at_limit(contract: Contract, device: Device) -> Iterator[Fault]:
    """Only a time at the entry's own register limit counts: another build spills less, or more."""
    limit = entry_registers(contract, device)
    for group in contract.programs:
        for path, operator in each_operator(contract, group):
            if isinstance(operator, OpaqueOperator) or not operator.compute_at or limit is None:
                continue
            known = [time.registers for time in operator.compute_at]
            if limit not in known:
                message = (
                    f"times at {listed(known)} registers, but the limit of this entry on {device.name} is {limit}; add the time at {limit}"
                )
                yield Fault(no_time_at_limit, (*path, "compute_at"), message)
