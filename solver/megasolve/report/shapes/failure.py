"""The shape of `failure/v1`: what stands among the lines of many studies where one of them has no result."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .check import FindingShape
from .shape import Shape


class FailureShape(Shape):
    """Why a study has no result."""

    megasolve: Literal["failure/v1"] = Field(description="the kind of this line", examples=["failure/v1"])
    version: str = Field(description="the version of megasolve", examples=["0.1.0"])
    file: str = Field(description="the file of the spec, as it was named", examples=["specs/nh_tts.yaml"])
    batch: int | None = Field(description="the batch size; null where the spec could not be used for any", examples=[None])
    because: str = Field(description="why, in one line", examples=["specs/nh_tts.yaml: no such file"])
    fault: bool = Field(description="whether megasolve, or the machine, is to blame, and not the input", examples=[False])
    findings: list[FindingShape] = Field(description="what was found in its files", examples=[[]])
