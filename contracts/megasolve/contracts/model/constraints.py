"""Constraints: what a user allows of a plan, beside what the device and the kernels can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from .base import Bytes, CountOrZero, DurationPs, EntryName, Frozen, Name

Groups = Annotated[tuple[Name, ...], Field(min_length=2)]
Entries = Annotated[tuple[EntryName, ...], Field(min_length=2)]


class AtMost(Frozen):
    """The largest number that is allowed."""

    at_most: CountOrZero


class Requirement(Frozen):
    """Where *entry* runs a region, *needs* runs another: a prefill that feeds only its own talker."""

    entry: EntryName
    needs: EntryName


class Limits(Frozen):
    """The longest times that are allowed, whatever is minimised."""

    first_publication_ps: DurationPs | None = Field(None, alias="first_publication_us")
    producer_step_ps: DurationPs | None = Field(None, alias="producer_step_us")
    chunk_interval_ps: DurationPs | None = Field(None, alias="chunk_interval_us")


class Constraints(Frozen):
    """What a plan must keep to.

    *new_megakernels* counts regions whose entry nobody has measured. *conventional* are groups that stay on conventional kernels, and
    *entries* names the entry, or the implementation, that runs a group. Groups listed *together* share one region, no two of those *apart*
    do. Entries that *excludes* lists together never meet in one plan. *workspace_bytes* bounds the sum over all entries of a plan.
    """

    megakernels: AtMost | None = None
    new_megakernels: AtMost | None = None
    conventional: tuple[Name, ...] = ()
    entries: Mapping[Name, EntryName] = Field(default_factory=dict)
    together: tuple[Groups, ...] = ()
    apart: tuple[Groups, ...] = ()
    requires: tuple[Requirement, ...] = ()
    excludes: tuple[Entries, ...] = ()
    workspace_bytes: Bytes | None = None
    limits: Limits | None = None
