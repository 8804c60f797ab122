"""The shape of `check/v1`: what `megasolve check --format json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .shape import Shape

_SEVERITY = Literal["error", "warning"]


class RepeatedShape(Shape):
    """Where else in its file a finding holds."""

    line: int = Field(description="the line, from 1", examples=[12])
    column: int = Field(description="the column in code points, from 1", examples=[12])
    end_column: int | None = Field(description="the column behind it; null where only the start is known", examples=[13])
    path: str = Field(description="where in the file's values", examples=["$.records[1].batch"])


class FindingShape(Shape):
    """What breaks a rule, at its place; equal findings of a file are one from four on."""

    file: str = Field(description="the file", examples=["contracts/stage0.yaml"])
    line: int = Field(description="the line, from 1", examples=[5])
    column: int = Field(description="the column in code points, from 1", examples=[35])
    end_column: int | None = Field(description="the column behind it; null where only the start is known", examples=[52])
    severity: _SEVERITY = Field(description="whether it blocks")
    rule: str = Field(description="the code of the rule", examples=["LIM-09"])
    name: str = Field(description="the name of the rule", examples=["registers-exceed-sm"])
    path: str = Field(description="where in the file's values", examples=["$.launch.registers"])
    message: str = Field(description="what was found and what is allowed", examples=["duplicate key 'budgets_ctas'"])
    count: int = Field(description="how many equal findings of the file this is", examples=[1])
    also: list[RepeatedShape] = Field(description="where the others are, the first of them")


class IgnoredShape(FindingShape):
    """A finding that its file asks to be left out."""

    because: str = Field(description="why, in the words of the file", examples=["batch 3 is kept for a study of next month"])


class FurtherShape(Shape):
    """How many findings of a rule are not listed."""

    rule: str = Field(description="the code of the rule", examples=["SCH-01"])
    severity: _SEVERITY = Field(description="their severity")
    findings: int = Field(description="how many", examples=[340])


class RuleCountShape(Shape):
    """How often a rule is broken."""

    rule: str = Field(description="the code of the rule", examples=["REC-15"])
    name: str = Field(description="the name of the rule", examples=["batch-unplanned"])
    errors: int = Field(description="how many errors there are, listed or not", examples=[0])
    warnings: int = Field(description="how many warnings there are, listed or not", examples=[1340])
    files: int = Field(description="in how many files the listed ones stand", examples=[1])


class UnreadableShape(Shape):
    """A file that could not be read."""

    file: str = Field(description="the file", examples=["records.yaml"])
    reason: str = Field(description="why", examples=["no such file"])


class UnmeasuredGroupShape(Shape):
    """The derived times of one group."""

    group: str = Field(description="the group", examples=["B"])
    derived: int = Field(description="how many of its times are derived", examples=[12])
    command: str | None = Field(description="what measures them; null for kernels that megasolve does not have", examples=[None])


class UnmeasuredShape(Shape):
    """A spec with times that are derived from programs."""

    spec: str = Field(description="the file of the spec", examples=["specs/streamlet.yaml"])
    device: str = Field(description="the device", examples=["h200"])
    derived: int = Field(description="how many of its times are derived", examples=[48])
    of: int = Field(description="of how many", examples=[48])
    groups: list[UnmeasuredGroupShape] = Field(description="the same by group")
    command: str | None = Field(description="what measures them all", examples=["megasolve measure specs/streamlet.yaml"])


class CheckShape(Shape):
    """What `megasolve check --format json` prints."""

    megasolve: Literal["check/v1"] = Field(description="the kind of this result")
    files_checked: int = Field(description="how many files were read", examples=[23])
    errors: int = Field(description="how many errors there are, listed or not", examples=[0])
    warnings: int = Field(description="how many warnings there are, listed or not", examples=[2])
    findings: list[FindingShape] = Field(description="the first 1,000, by file and line, equal ones of a file as one")
    ignored: list[IgnoredShape] = Field(description="findings that files ask to be left out; they count nowhere else")
    further: list[FurtherShape] = Field(description="how many more there are, by rule")
    statistics: list[RuleCountShape] = Field(description="how often each rule is broken, the most frequent first")
    unreadable: list[UnreadableShape] = Field(description="files that could not be read")
    unmeasured: list[UnmeasuredShape] = Field(description="specs whose plans derive times that nobody recorded")
