"""What a study supports, enumerated by brute force from the words of the design (section 4, *Candidates*).

Shares no code with the predicates or the OR-Tools model: a third opinion for both. It knows only launches of one cluster size
whose CTAs exclude each other on an SM, which is what the random studies beside it are made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from megasolve.contracts import Contract, Record, Spec, Study

REGISTERS_PER_SM = 65536
SHARED_BYTES_PER_CTA = 232448

Part = tuple[str, tuple[str, ...]]  # backend letter and groups
Entries = tuple[tuple[str, ...], ...]  # entry names per region


@dataclass(frozen=True)
class Split:
    """A policy: *kind* and, for a split, X and Y."""

    kind: str
    x: int = 0
    y: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind == "serial" else f"{self.kind}:{self.x}/{self.y}"


def supported(study: Study, batch: int) -> dict[str, set[Entries]]:
    """Return the supported choices of entries of every candidate, by its id; without any it is excluded."""
    spec = study.spec.value
    found: dict[str, set[Entries]] = {}
    for parts, split in _candidates(spec):
        name = "/".join(f"{letter}:{'+'.join(groups)}" for letter, groups in parts)
        choices = [list(_choices(study, part)) for part in parts]
        found[f"{name}@{split}"] = {
            tuple(tuple(one.entry for one in choice) for choice in variant)
            for variant in product(*choices)
            if _works(study, batch, parts, variant, split)
        }
    return found


def _candidates(spec: Spec) -> Iterator[tuple[list[Part], Split]]:
    names = [group.name for group in spec.groups]
    for cut in product((False, True), repeat=len(names) - 1):
        edges = [0, *(index + 1 for index, is_cut in enumerate(cut) if is_cut), len(names)]
        runs = [tuple(names[first:last]) for first, last in pairwise(edges)]
        for letters in product("cm", repeat=len(runs)):
            parts = list(zip(letters, runs, strict=True))
            yield from ((parts, split) for split in _policies(spec) if _applies(spec, parts, split))


def _policies(spec: Spec) -> Iterator[Split]:
    for kind in spec.policies:
        if kind == "serial":
            yield Split(kind)
        else:
            yield from (Split(kind, *pair.counts) for pair in spec.budget_pairs)


def _applies(spec: Spec, parts: Sequence[Part], split: Split) -> bool:
    if split.kind == "serial":
        return True
    makers, takers = _holders(spec, parts, "producer"), _holders(spec, parts, "consumer")
    if len(makers) != 1 or len(takers) != 1 or parts[makers[0]][0] != "m" or parts[takers[0]][0] != "m":
        return False
    return split.kind == "fixed" or makers != takers


def _holders(spec: Spec, parts: Sequence[Part], role: str) -> list[int]:
    wanted = {group.name for group in spec.groups if group.role == role}
    return [index for index, (_, groups) in enumerate(parts) if wanted & {*groups}]


def _choices(study: Study, part: Part) -> Iterator[tuple[Contract, ...]]:
    letter, groups = part
    contracts = [document.value for document in study.contracts]
    if letter == "m":
        yield from ((one,) for one in contracts if one.backend == "megakernel" and one.members == groups)
        return
    per_group = []
    for group in groups:
        kernels = [one for one in contracts if one.backend == "conventional" and one.members == (group,)]
        names = {one.implementation for one in kernels}
        per_group.append([tuple(sorted((k for k in kernels if k.implementation == name), key=lambda k: k.order or 0)) for name in names])
    yield from (tuple(kernel for kernels in combination for kernel in kernels) for combination in product(*per_group))


def _works(study: Study, batch: int, parts: Sequence[Part], variant: Sequence[tuple[Contract, ...]], split: Split) -> bool:
    return (
        all(_fits(one) for choice in variant for one in choice)
        and all(_region_works(study, batch, part, choice, split) for part, choice in zip(parts, variant, strict=True))
        and _fit_together(study, parts, variant, split)
    )


def _fits(contract: Contract) -> bool:
    launch = contract.launch
    return (launch.threads or 0) * (launch.registers or 0) <= REGISTERS_PER_SM and launch.shared_bytes <= SHARED_BYTES_PER_CTA


def _region_works(study: Study, batch: int, part: Part, choice: tuple[Contract, ...], split: Split) -> bool:
    spec = study.spec.value
    letter, groups = part
    roles = {group.role for group in spec.groups if group.name in groups}
    if letter == "c":
        same_way = len({one.dispatch.kind for one in choice}) == 1
        return same_way and all(_timed(study, batch, one, one.members[0], study.device.value.sms, alone=True) for one in choice)
    (entry,) = choice
    if entry.policies is not None and split.kind not in entry.policies:
        return False
    if split.kind == "fixed" and "producer" in roles and not entry.loops_on_device:
        return False
    needs = list(_needs(spec, groups, split, max(entry.budgets)))
    held = {budget for _, budget, _ in needs}
    if split.kind != "serial" and {"producer", "consumer"} <= roles:
        held.add(split.x + split.y)
    resident = study.device.value.sms * entry.launch.ctas_per_sm
    if not all(budget in entry.budgets and budget <= resident for budget in held):
        return False
    return all(_timed(study, batch, entry, group, budget, alone=alone) for group, budget, alone in needs)


def _needs(spec: Spec, groups: tuple[str, ...], split: Split, whole: int) -> Iterator[tuple[str, int, bool]]:
    """Yield (group, CTAs, whether it runs alone) for a megakernel region until first publication."""
    role = {group.name: group.role for group in spec.groups}
    is_side = split.kind != "serial" and any(role[group] != "admission" for group in groups)
    tail = spec.stream is not None and spec.stream.horizon_step > spec.stream.ready_step
    for group in groups:
        if not is_side:
            yield group, whole, True
        elif role[group] == "consumer":
            yield group, split.y, not tail
        elif split.kind == "dynamic":
            yield group, whole, True
            if role[group] == "producer" and tail:
                yield group, split.x, False
        elif role[group] == "admission":
            is_shared = any(role[other] == "consumer" for other in groups)
            yield group, split.x + split.y if is_shared else split.x, True
        else:
            yield group, split.x, not tail


def _timed(study: Study, batch: int, contract: Contract, group: str, budget: int, *, alone: bool) -> bool:
    records = [record for document in study.records for record in document.value.records]
    return any(_matches(record, contract, group, budget, batch) and (alone or record.hbm_bytes is not None) for record in records)


def _matches(record: Record, contract: Contract, group: str, budget: int, batch: int) -> bool:
    return (
        (record.group, record.budget_ctas, record.batch, record.backend) == (group, budget, batch, contract.backend)
        and contract.entry in record.entries
        and dict(record.context) == contract.context
    )


def _fit_together(study: Study, parts: Sequence[Part], variant: Sequence[tuple[Contract, ...]], split: Split) -> bool:
    if split.kind == "serial":
        return True
    (maker,), (taker,) = (_holders(study.spec.value, parts, role) for role in ("producer", "consumer"))
    if maker == taker:
        return True
    sms = study.device.value.sms
    least_x, least_y = (-(-ctas // variant[side][0].launch.ctas_per_sm) for side, ctas in ((maker, split.x), (taker, split.y)))
    first_x, first_y = (
        least if variant[side][0].placement else min(ctas, sms)
        for side, ctas, least in ((maker, split.x, least_x), (taker, split.y, least_y))
    )
    return first_x + least_y <= sms and first_y + least_x <= sms
