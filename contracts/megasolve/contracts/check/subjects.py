"""What the rules of files look at: the arguments of their functions, and what these yield."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files.documents import Document
from ..files.study import Study
from ..model.compiled import Compiled
from ..model.contract import Assumptions, Contract
from ..model.device import Device
from ..model.findings import Fault
from ..model.measured import Measured
from ..model.record import Records
from ..model.rules import Subject
from ..model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..observe.profiled import Profiled

Placed = tuple[Document[Any], Fault]

ASSUMED: Subject[[Assumptions], Fault] = Subject("a file of assumptions")
DEVICE: Subject[[Device], Fault] = Subject("a device")
COMPILED: Subject[[Compiled], Fault] = Subject("a table of what was compiled")
CONTRACT: Subject[[Contract], Fault] = Subject("a contract alone")
SPEC: Subject[[Spec], Fault] = Subject("a spec alone")
RECORDS: Subject[[Records], Fault] = Subject("a file of records alone")
MEASURED: Subject[[Measured], Fault] = Subject("a file of measured runs")
LAUNCH: Subject[[Contract, Device], Fault] = Subject("a contract on a device")
SIZES: Subject[[Contract, str, Mapping[str, int]], Fault] = Subject("the program of a group, with values of its symbols")
DEVICE_SIZES: Subject[[Contract, Device, str, Mapping[str, int]], Fault] = Subject("the same, on a device")
STUDY: Subject[[Study], Placed] = Subject("a spec with all that it names")
PROFILED: Subject[[Study, Profiled], Placed] = Subject("a study beside profiles of what ran")
