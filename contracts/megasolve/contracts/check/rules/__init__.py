"""The registry of the consistency rules: every rule, and the functions that check them, by what they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...files import rules as _file_rules
from ...files.documents import Document
from ...files.schema import errors as schema_errors
from ...files.schema import kinds
from ...files.study import Study
from ...files.yaml import rules as _yaml_rules
from ...model.compiled import Compiled
from ...model.contract import Contract
from ...model.device import Device
from ...model.findings import Rule
from ...model.measured import Measured
from ...model.record import Records
from ...model.spec import Spec
from . import attribution as attribution_rules
from . import compiled as compiled_rules
from . import contract as contract_rules
from . import device as device_rules
from . import evidence as evidence_rules
from . import group as group_rules
from . import limit as limit_rules
from . import measured as measured_rules
from . import operator as operator_rules
from . import operator_device as operator_device_rules
from . import operator_size as operator_size_rules
from . import operator_wait as operator_wait_rules
from . import pair as pair_rules
from . import profile as profile_rules
from . import profile_record as profile_record_rules
from . import record as record_rules
from . import reference as reference_rules
from . import spec as spec_rules
from . import stream as stream_rules
from .fault import Fault

if TYPE_CHECKING:
    from ...observe.profiled import Profiled

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
