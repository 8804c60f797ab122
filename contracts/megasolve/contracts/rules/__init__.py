"""The registry of the consistency rules: every rule, and the functions that check them, by what they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import _file_rules, _yaml_rules, kinds, schema_errors
from ..compiled import Compiled
from ..contract import Contract
from ..device import Device
from ..documents import Document
from ..findings import Rule
from ..measured import Measured
from ..record import Records
from ..spec import Spec
from ..study import Study
from . import (
    attribution_rules,
    compiled_rules,
    contract_rules,
    device_rules,
    evidence_rules,
    group_rules,
    limit_rules,
    measured_rules,
    operator_device_rules,
    operator_rules,
    operator_size_rules,
    operator_wait_rules,
    pair_rules,
    profile_record_rules,
    profile_rules,
    record_rules,
    reference_rules,
    spec_rules,
    stream_rules,
)
from .fault import Fault

if TYPE_CHECKING:
    from ..profiles.profiled import Profiled

__all__ = [
    "COMPILED_CHECKS",
    "CONTRACT_CHECKS",
    "CONTRACT_ON_DEVICE_CHECKS",
    "DEVICE_CHECKS",
    "MEASURED_CHECKS",
    "PROFILE_CHECKS",
    "RECORDS_CHECKS",
    "RULES",
    "SPEC_CHECKS",
    "STUDY_CHECKS",
    "Fault",
]

_MODULES = (
    attribution_rules,
    compiled_rules,
    contract_rules,
    device_rules,
    evidence_rules,
    group_rules,
    limit_rules,
    measured_rules,
    operator_device_rules,
    operator_rules,
    operator_size_rules,
    operator_wait_rules,
    pair_rules,
    profile_rules,
    profile_record_rules,
    record_rules,
    reference_rules,
    spec_rules,
    stream_rules,
)


def _collected(name: str) -> tuple[Any, ...]:
    return tuple(check for module in _MODULES for check in getattr(module, name, ()))


def _every_rule() -> tuple[Rule, ...]:
    of_files = (*_yaml_rules.RULES, *schema_errors.RULES, *kinds.RULES, *_file_rules.RULES)
    return tuple(sorted((*of_files, *_collected("RULES")), key=lambda rule: rule.code))


RULES: tuple[Rule, ...] = _every_rule()
DEVICE_CHECKS: tuple[Callable[[Device], Iterator[Fault]], ...] = _collected("DEVICE_CHECKS")
COMPILED_CHECKS: tuple[Callable[[Compiled], Iterator[Fault]], ...] = _collected("COMPILED_CHECKS")
MEASURED_CHECKS: tuple[Callable[[Measured], Iterator[Fault]], ...] = _collected("MEASURED_CHECKS")
SPEC_CHECKS: tuple[Callable[[Spec], Iterator[Fault]], ...] = _collected("SPEC_CHECKS")
CONTRACT_CHECKS: tuple[Callable[[Contract], Iterator[Fault]], ...] = _collected("CONTRACT_CHECKS")
CONTRACT_ON_DEVICE_CHECKS: tuple[Callable[[Contract, Device], Iterator[Fault]], ...] = _collected("CONTRACT_ON_DEVICE_CHECKS")
RECORDS_CHECKS: tuple[Callable[[Records], Iterator[Fault]], ...] = _collected("RECORDS_CHECKS")
STUDY_CHECKS: tuple[Callable[[Study], Iterator[tuple[Document[Any], Fault]]], ...] = _collected("STUDY_CHECKS")
PROFILE_CHECKS: tuple[Callable[[Study, Profiled], Iterator[tuple[Document[Any], Fault]]], ...] = _collected("PROFILE_CHECKS")
