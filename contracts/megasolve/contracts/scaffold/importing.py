"""Service records out of profiles: for the contracts of a study, or for those that a new study would have."""

from __future__ import annotations

from collections.abc import Sequence

from ..files.study import Study
from ..model.contract import Contract
from ..model.record import Record
from ..observe.observation import Observation
from ..profiles.errors import ProfileRefused
from ..profiles.execution import Execution
from .circumstances import Circumstances
from .contracts import launch_kind, run_contracts
from .records import run_timings, timed_records
from .runs import runs
from .timings import Unused, timings
from .varying import without_varying


def fresh(observation: Observation, executions: Sequence[Execution], at: Circumstances) -> tuple[tuple[Contract, ...], tuple[Record, ...]]:
    """Return the contracts that a new study has for the observed kernels, and a record for each, in their order."""
    observation.refuse_unfit()
    found = runs(observation.kernels)
    contracts = without_varying(run_contracts(found, launch_kind(executions)), executions)
    return contracts, timed_records(observation, run_timings(found, contracts, at), at)


def fresh_records(observation: Observation, executions: Sequence[Execution], at: Circumstances) -> tuple[Record, ...]:
    """Return the records of all observed kernels, under the entries and contexts that a new study gives them.

    Raises ProfileRefused where the profile is no evidence, as `study_records` does, and where no group has a kernel.
    """
    _, records = fresh(observation, executions, at)
    if not records:
        raise ProfileRefused(
            observation.sources[0].file, "no kernel belongs to a group in each of its occurrences: there is nothing to record"
        )
    return records


def study_records(observation: Observation, study: Study, batch: int) -> tuple[tuple[Record, ...], tuple[Unused, ...]]:
    """Return the records that *observation* gives to the contracts of *study* at *batch*, and the kernels that give none."""
    observation.refuse_unfit()
    spec, device = study.spec.value, study.device.value
    calls = {group.name: group.calls for group in spec.groups}
    contracts = [contract.value for contract in study.contracts]
    found, unused = timings(observation, contracts, calls, device.usable_sms)
    return timed_records(observation, found, Circumstances(device, batch, spec.precision)), unused
