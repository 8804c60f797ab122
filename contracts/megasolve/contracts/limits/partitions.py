"""SM partitions: what a contract that partitions SMs asks for, and whether the device can split itself so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.base import counts_of
from ..model.contract import Contract
from ..model.device import Device, PartitionLimits
from ..model.findings import Fault
from ..model.rules import Rule, RuleKind
from ..model.spec import PartitionMechanism, PartitionPair, Spec
from .occupancy import sms_of, sum_text
from .subjects import ABOUT_BUDGET

UNKNOWN = Rule("PAR-01", "partition-rules-unknown", "The device file says how the driver partitions its SMs.", RuleKind.LIMIT)
ALIGNMENT = Rule("PAR-02", "partition-not-aligned", "Partitions are whole units, or the one that takes the rest.", RuleKind.LIMIT)
UNPROBED = Rule("PAR-03", "partition-size-not-probed", "A probe of the device found the partition size valid.", RuleKind.LIMIT)
ONE_SPLIT = Rule("PAR-04", "partitions-not-from-one-split", "Partitions that run side by side come from one split.")
RESERVATION = Rule("PAR-06", "limit-is-no-reservation", "An MPS percentage limits a process, it reserves nothing: no split rests on it.")
MPS_LIMIT = Rule("PAR-07", "percentage-too-small", "A budget fits in the SMs that the MPS percentage leaves.", RuleKind.LIMIT)

Side = tuple[Contract, int]


def partition_pairs(spec: Spec, device: Device) -> tuple[tuple[int, int], ...]:
    """Return the partitions of *spec*, in SMs of producers and consumers, each pair once and in the order in which it is stated."""
    return tuple(dict.fromkeys(pair for stated in spec.partition_pairs for pair in counts_of_pair(stated, device)))


def counts_of_pair(stated: PartitionPair, device: Device) -> Iterator[tuple[int, int]]:
    """Yield the pairs of counts that *stated* spans; the rest is all SMs that the producers leave."""
    for x in counts_of(stated.producer_sms):
        if not isinstance(stated.consumer_sms, str):
            yield from ((x, y) for y in counts_of(stated.consumer_sms))
        elif x < device.usable_sms:
            yield x, device.usable_sms - x


def pair_faults(device: Device, mechanism: PartitionMechanism, pair: tuple[int, int]) -> tuple[Fault, ...]:
    """Return every reason why *device* cannot give partitions of these SMs beside each other."""
    checks = {"green_context": green_context_faults, "mig": _mig_faults, "mps": _percentage_faults}
    return tuple(checks[mechanism](device, pair))


def _mig_faults(device: Device, pair: Sequence[int]) -> Iterator[Fault]:
    sizes = device.partition.mig_sizes_sms if device.partition else None
    if sizes is None:
        because = f"{device.name} states no MIG slices, and none are inferred from an architecture"
        yield Fault(UNKNOWN, ("partition", "mig_sizes_sms"), f"{because}; give `partition.mig_sizes_sms` in its file")
        return
    asked, listed = " + ".join(map(str, pair)), ", ".join(map(str, sizes))
    if not {*pair} <= {*sizes} or sum(pair) > device.usable_sms:
        because = f"{asked} SMs on {device.name}: MIG slices have {listed} of its {device.usable_sms} SMs"
        yield Fault(ALIGNMENT, ABOUT_BUDGET, f"{because}; take two of these that fit together")


def _percentage_faults(device: Device, pair: Sequence[int]) -> Iterator[Fault]:
    shares = [-(-100 * sms // device.sms) for sms in pair]
    for sms, share in zip(pair, shares, strict=True):
        if mps_sms(device, share) != sms:
            nearest = " and ".join(str(mps_sms(device, one)) for one in (share - 1, share) if one <= 100)
            yield Fault(ALIGNMENT, ABOUT_BUDGET, f"{sms} SMs are no whole percentage of {device.sms}; the nearest are {nearest}")
    if sum(shares) > 100:
        asked = " + ".join(f"{share} %" for share in shares)
        yield Fault(ALIGNMENT, ABOUT_BUDGET, f"{pair[0]}/{pair[1]} takes {asked} = {sum(shares)} % > 100 % of {device.sms} SMs")


def mps_sms(device: Device, percentage: int) -> int:
    """Return the SMs that an MPS active-thread percentage leaves, rounded down; the driver's own rounding is not documented."""
    return device.sms * percentage // 100


def partition_faults(device: Device, sides: Sequence[Side]) -> tuple[Fault, ...]:
    """Return every reason why the device cannot be partitioned for *sides*, each an entry and its budget in CTAs.

    One side alone asks whether some split has a group of its size. Entries that do not partition SMs ask for nothing: a
    plain CTA budget inside a persistent kernel needs no alignment.
    """
    mechanisms = {contract.partition.mechanism for contract, _ in sides if contract.partition}
    found: list[Fault] = []
    if "mps" in mechanisms:
        found += _mps(device, sides)
    if "green_context" in mechanisms:
        found += _one_split(sides)
        found += green_context_faults(device, tuple(sms_of(contract, ctas) for contract, ctas in sides))
    return tuple(found)


def green_context_faults(device: Device, sizes_sms: Sequence[int]) -> tuple[Fault, ...]:
    """Return why *sizes_sms* are not the groups of one split of *device*; one size alone is a group beside the rest."""
    limits, sms = device.partition, device.usable_sms
    if limits is None:
        because = f"{device.name} states no partition rules, and none are inferred from an architecture"
        repair = "give `partition.unit_sms` and `minimum_sms` in its file"
        return (Fault(UNKNOWN, ("partition", "mechanism"), f"{because}; {repair}"),)
    # The whole device is no partition, so no unit applies.
    if tuple(sizes_sms) == (sms,):
        return ()
    asked = tuple(sizes_sms)
    if len(asked) == 1 and not _is_aligned(limits, asked[0]) and asked[0] < sms:
        # A group that is no whole number of units can only be what its aligned neighbour leaves.
        asked = (sms - asked[0], *asked)
    return (*_alignment(device, limits, asked), *_probe(device, limits, asked))


def _is_aligned(limits: PartitionLimits, size_sms: int) -> bool:
    return size_sms % limits.unit_sms == 0 and size_sms >= limits.minimum_sms


def _alignment(device: Device, limits: PartitionLimits, sizes_sms: tuple[int, ...]) -> Iterator[Fault]:
    aligned = [size for size in sizes_sms if _is_aligned(limits, size)]
    loose = [size for size in sizes_sms if not _is_aligned(limits, size)]
    sms = device.usable_sms
    if not loose and sum(aligned) <= sms:
        return
    # The driver hands out whole units and leaves the remainder as one more group.
    if len(loose) == 1 and aligned and loose[0] == sms - sum(aligned):
        return
    asked = " + ".join(str(size) for size in sizes_sms)
    grown = [max(limits.minimum_sms, -(-size // limits.unit_sms) * limits.unit_sms) for size in sizes_sms]
    because = (
        f"partition of {asked} SMs on {device.name}: in units of {limits.unit_sms}, at least {limits.minimum_sms}, it takes "
        f"{sum_text(grown)} of {sms} SMs; align all groups but one, which takes exactly the rest"
    )
    yield Fault(ALIGNMENT, ABOUT_BUDGET, because)


def _probe(device: Device, limits: PartitionLimits, sizes_sms: tuple[int, ...]) -> Iterator[Fault]:
    known = limits.sizes_sms or ()
    for size in dict.fromkeys(sizes_sms):
        if _is_aligned(limits, size) and size not in known:
            listed = ", ".join(str(entry) for entry in known) or "none"
            because = f"partition of {size} SMs on {device.name} is unknown, needs a probe: aligned sizes can be refused"
            yield Fault(UNPROBED, ABOUT_BUDGET, f"{because}; sizes found valid: {listed}")


def _one_split(sides: Sequence[Side]) -> Iterator[Fault]:
    if len(sides) < 2:
        return
    for contract, _ in sides:
        if contract.partition is None:
            because = f"'{contract.entry}' is in no partition: its CTAs run on all SMs, also on the ones split off beside it"
            yield Fault(ONE_SPLIT, (), because)
        elif contract.partition.mechanism == "green_context" and not contract.partition.same_split:
            because = f"'{contract.entry}' does not say `same_split: true`: partitions that are made separately can overlap"
            yield Fault(ONE_SPLIT, ("partition", "same_split"), because)


def _mps(device: Device, sides: Sequence[Side]) -> Iterator[Fault]:
    for contract, ctas in sides:
        percentage = contract.partition.percentage if contract.partition else None
        if percentage is None:
            continue
        sms = mps_sms(device, percentage)
        if (need := sms_of(contract, ctas)) > sms:
            because = f"budget of {ctas:,} CTAs needs {need} SMs > {_share_text(device, percentage)}"
            yield Fault(MPS_LIMIT, ABOUT_BUDGET, because)
    if len(sides) > 1:
        shares = [contract.partition.percentage for contract, _ in sides if contract.partition and contract.partition.percentage]
        text = "; ".join(_share_text(device, percentage) for percentage in shares)
        because = f"MPS percentages are limits, not reservations ({text}): nothing keeps the sides apart, so this is no split"
        yield Fault(RESERVATION, ("partition", "percentage"), because)


def _share_text(device: Device, percentage: int) -> str:
    whole, hundredths = divmod(device.sms * percentage, 100)
    exact = f"{whole}.{hundredths:02d}".rstrip("0").rstrip(".")
    return f"{percentage} % of {device.sms} SMs = {exact}, rounded down to {whole}"
