"""Constraints as values: on each choice of entries alone, on a sum over the choices, on entries that meet, or on a simulated time.

The optimizer states each of the first three as arithmetic; `causes` here says the same as a plain predicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from megasolve.contracts import Contract, MegasolveError, Rule
from megasolve.simulate import Objective
from megasolve.simulate.plan.candidate import Choice
from megasolve.simulate.plan.cause import (
    ENTRIES_MEET,
    ENTRY_MISSING,
    NOT_APART,
    NOT_CONVENTIONAL,
    NOT_TOGETHER,
    OTHER_ENTRY,
    OVER_LIMIT,
    WORKSPACE_TOO_LARGE,
    Cause,
)

_MOST_ADDED = 1 << 62


class TooLargeToAdd(MegasolveError):
    """Numbers of a constraint that no solver can add up."""


@dataclass(frozen=True, slots=True)
class Conventional:
    """*group* stays conventional."""

    path: str
    group: str
    rule: ClassVar[Rule] = NOT_CONVENTIONAL

    def fault(self, choice: Choice) -> str:
        """Return how *choice* breaks it, or nothing."""
        return f"group {self.group} in a megakernel" if choice.region.is_megakernel and self.group in choice.region.groups else ""


@dataclass(frozen=True, slots=True)
class Given:
    """*group* is run by *entry*: a compiled entry, or an implementation of conventional kernels."""

    path: str
    group: str
    entry: str
    rule: ClassVar[Rule] = OTHER_ENTRY

    def fault(self, choice: Choice) -> str:
        """Return how *choice* breaks it, or nothing."""
        names = {name for one in choice.contracts_of(self.group) for name in (one.value.entry, one.value.implementation)}
        if self.group not in choice.region.groups or self.entry in names:
            return ""
        return f"group {self.group} is run by {choice}, not by '{self.entry}'"


@dataclass(frozen=True, slots=True)
class Together:
    """All of *groups* are in one region."""

    path: str
    groups: tuple[str, ...]
    rule: ClassVar[Rule] = NOT_TOGETHER

    def fault(self, choice: Choice) -> str:
        """Return how *choice* breaks it, or nothing."""
        inside = [group for group in self.groups if group in choice.region.groups]
        outside = [group for group in self.groups if group not in inside]
        return f"{choice.region} has {' and '.join(inside)} without {' and '.join(outside)}" if inside and outside else ""


@dataclass(frozen=True, slots=True)
class Apart:
    """No two of *groups* are in one region."""

    path: str
    groups: tuple[str, ...]
    rule: ClassVar[Rule] = NOT_APART

    def fault(self, choice: Choice) -> str:
        """Return how *choice* breaks it, or nothing."""
        inside = [group for group in self.groups if group in choice.region.groups]
        return f"{' and '.join(inside)} in one region, {choice.region}" if len(inside) > 1 else ""


LOCALS = (Conventional, Given, Together, Apart)
# What bears on which groups are in one region, also of conventional kernels.
OF_CUTS = (Together, Apart)


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over the choices of a plan is *at_most* so much; *unit* says what is counted, and *free* names entries that count nothing.

    Where it says what is *counted*, that is each entry among these, and each conventional implementation with one of them.
    """

    path: str
    rule: Rule
    at_most: int
    unit: str
    free: frozenset[str] = frozenset()
    counted: frozenset[str] | None = None

    def weight(self, choice: Choice) -> int:
        """Return what *choice* adds to the sum."""
        if self.counted is not None:
            return len(built_by(choice, self.counted))
        if self.rule is WORKSPACE_TOO_LARGE:
            return sum(contract.value.workspace_bytes or 0 for contract in choice.contracts)
        return int(choice.region.is_megakernel and not {*choice.entries} <= self.free)

    def total(self, variant: Sequence[Choice]) -> int:
        """Return the sum."""
        return sum(map(self.weight, variant))

    def in_64_bits(self, weights: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """Return weights and a limit that allow the same sums of some of *weights*, each taken once, for a solver that adds in 64 bits.

        Raises
        ------
        TooLargeToAdd
            Weights below the limit come to more than 64 bits hold.
        """
        if sum(weights) <= self.at_most:
            return (0,) * len(weights), 0
        # One weight above the limit passes it, by however much.
        least = tuple(min(weight, self.at_most + 1) for weight in weights)
        if sum(least) > _MOST_ADDED:
            raise TooLargeToAdd(f"{self.path}: the {self.unit} of all entries, {sum(weights):,}, are more than can be added up exactly")
        return least, self.at_most


@dataclass(frozen=True, slots=True)
class Needs:
    """Where *entry* is used, *needs* is used as well."""

    path: str
    entry: str
    needs: str
    rule: ClassVar[Rule] = ENTRY_MISSING


@dataclass(frozen=True, slots=True)
class Alone:
    """At most one of *entries* is used."""

    path: str
    entries: tuple[str, ...]
    rule: ClassVar[Rule] = ENTRIES_MEET


@dataclass(frozen=True, slots=True)
class Limit:
    """A simulated time of the plan is *at_most_ps*."""

    path: str
    objective: Objective
    at_most_ps: int
    rule: ClassVar[Rule] = OVER_LIMIT


JOINT = (Total, Needs, Alone)


Constraint = Conventional | Given | Together | Apart | Total | Needs | Alone | Limit


def built_by(choice: Choice, entries: frozenset[str]) -> frozenset[str]:
    """Return what has to be built for *choice* of which some *entries* do not exist: a megakernel, or kernels of a group as a whole."""
    return frozenset(token_of(one.value) for one in choice.contracts if one.value.entry in entries)


def token_of(contract: Contract) -> str:
    """Return by what *contract* counts as one thing to build: its entry, or the implementation of its group that it is a part of."""
    if contract.backend == "megakernel":
        return contract.entry
    return f"{contract.members[0]}={contract.implementation or contract.entry}"


def names_of(choice: Choice) -> frozenset[str]:
    """Return every name by which *choice* can be required or excluded: its compiled entries and its implementations."""
    contracts = [contract.value for contract in choice.contracts]
    return frozenset(name for one in contracts for name in (one.entry, one.implementation) if name)


def local_causes(constraints: Sequence[Constraint], choice: Choice) -> tuple[Cause, ...]:
    """Return the causes that lie in *choice* by itself."""
    local = [one for one in constraints if isinstance(one, LOCALS)]
    found = [(one, one.fault(choice)) for one in local]
    return tuple(Cause(one.rule, f"{because} ({one.path})", str(choice.region)) for one, because in found if because)


def joint_causes(constraints: Sequence[Constraint], variant: Sequence[Choice]) -> tuple[Cause, ...]:
    """Return the causes that lie in all choices of a plan together, simulated times apart."""
    used = frozenset(name for choice in variant for name in names_of(choice))
    return tuple(cause for one in constraints for cause in _joint(one, variant, used))


def _joint(one: Constraint, variant: Sequence[Choice], used: frozenset[str]) -> tuple[Cause, ...]:
    match one:
        case Total() if (total := one.total(variant)) > one.at_most:
            return (Cause(one.rule, f"{total:,} {one.unit} > {one.at_most:,} ({one.path})", one.path),)
        case Needs() if one.entry in used and one.needs not in used:
            return (Cause(one.rule, f"'{one.entry}' without '{one.needs}' ({one.path})", one.entry),)
        case Alone() if len(met := [entry for entry in one.entries if entry in used]) > 1:
            return (Cause(one.rule, f"{' and '.join(map(repr, met))} together ({one.path})", met[0]),)
    return ()
