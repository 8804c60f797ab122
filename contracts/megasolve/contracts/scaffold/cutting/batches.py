"""Further batches of a new study: the same groups from profiles of their own, each with contracts that have records at its batch only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...model.contract import Contract
from ...model.record import Record
from ...observe.observation import Observation
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution
from ...profiles.wording import listed
from ..circumstances import Circumstances
from ..device import identified
from ..importing import fresh
from ..runs import typical


@dataclass(frozen=True, slots=True)
class OtherBatch:
    """What ran at another *batch* than the first: an *observation* of *executions*."""

    batch: int
    observation: Observation
    executions: tuple[Execution, ...]


@dataclass(frozen=True, slots=True)
class BatchPart:
    """The contracts and records of one further *batch*."""

    batch: int
    contracts: tuple[Contract, ...]
    records: tuple[Record, ...]
    observation: Observation

    @property
    def step_ps(self) -> int:
        """What the kernels and gaps of one step add up to."""
        return planned_step_ps(self.observation, self.records, self.contracts)

    @property
    def span_ps(self) -> int | None:
        """What a step took in the profile, without waits that no launch costs; None where it has no timeline."""
        return typical(self.observation.span_samples_ps) if self.observation.span_samples_ps else None


def planned_step_ps(observation: Observation, records: Sequence[Record], contracts: Sequence[Contract]) -> int:
    """Return what one occurrence of every group in the steps, as often as a step has it, takes by its records and contracts."""
    calls = {group.group: group.per_step * group.times * group.in_steps for group in observation.groups}
    known = {one.entry: one for one in contracts}
    pairs = ((record, known[record.entries[0]]) for record in records)
    # A kernel that runs wholly beside others adds nothing, and takes nothing away.
    return sum(calls[record.group] * max(record.time_ps + one.kernels * (one.dispatch.gap_ps or 0), 0) for record, one in pairs)


def batch_part(of: OtherBatch, groups: Sequence[str], first: Circumstances) -> BatchPart:
    """Return the contracts and records of *of*, for the same *groups*, on the device and in the precision of the *first* batch.

    Raises
    ------
    ProfileRefused
        Its groups are others, it ran on another GPU, or it is no evidence.
    """
    observation = identified(of.observation, of.executions)
    profile = observation.sources[0].file
    _refuse_other_groups(profile, of.batch, [group.group for group in observation.groups], groups)
    seen = observation.device
    if seen is not None and seen.sms not in (None, first.device.usable_sms):
        raise ProfileRefused(profile, f"ran on a GPU with {seen.sms} SMs, and the first batch on '{first.device.name}': give one device")
    contracts, records = fresh(observation, of.executions, replace(first, batch=of.batch))
    ending = f".b{of.batch}"
    named = tuple(_renamed(one, ending) for one in contracts)
    return BatchPart(of.batch, named, tuple(_of_entry(record, ending) for record in records), observation)


def without_program(contract: Contract) -> Contract:
    """Return *contract* without what it computes: sizes differ by batch, and times of another batch would be derived from them."""
    authored = contract.model_dump(by_alias=True, exclude_unset=True)
    authored.pop("programs", None)
    return Contract.model_validate(authored, by_alias=True, by_name=False)


def _renamed(contract: Contract, ending: str) -> Contract:
    named = {"entry": f"{contract.entry}{ending}", "implementation": f"{contract.implementation}{ending}"}
    return without_program(contract.model_copy(update=named))


def _of_entry(record: Record, ending: str) -> Record:
    return record.model_copy(update={"entries": tuple(f"{entry}{ending}" for entry in record.entries)})


def _refuse_other_groups(profile: str, batch: int, found: Sequence[str], wanted: Sequence[str]) -> None:
    if list(found) != list(wanted):
        others = [group for group in found if group not in wanted] or [group for group in wanted if group not in found]
        raise ProfileRefused(
            profile,
            f"batch {batch} is made of other groups than the first ({listed(others, at_most=4)}): cut both more coarsely (--cut layers or"
            " phases), or say the groups with --group",
        )
