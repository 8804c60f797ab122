"""The base of every shape, and the parts that all results share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """A JSON object with exactly these keys."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


Exact = Annotated[
    int | str, Field(description="picoseconds, exact: a whole number, or the text numerator/denominator", examples=[42520000000, "7/2"])
]
Us = Annotated[float, Field(description="microseconds, rounded to the nearest number that JSON has", examples=[42520.0])]
Number = Annotated[float, Field(description="a fraction: 0.042 is 4.2 %", examples=[0.042])]
Candidate = Annotated[str, Field(description="the id of a candidate", examples=["m:P/m:B+L/m:C@dynamic:88/44"])]
Batch = Annotated[int, Field(description="the batch size", examples=[32])]


class InputShape(Shape):
    """A file that the result was made of."""

    path: str = Field(description="the file, named as it was read", examples=["specs/nh_tts.yaml"])
    sha256: str | None = Field(description="the SHA-256 of its content; null where it could not be read again", examples=["3f0a..."])


class StampedShape(Shape):
    """A result that says what it was made of."""

    spec: str = Field(description="the name of the spec", examples=["nh_tts"])
    device: str = Field(description="the name of the device that was planned for", examples=["h100_nvl"])
    version: str = Field(description="the version of megasolve", examples=["0.1.0"])
    options: dict[str, Any] = Field(description="the options that were asked for, by name", examples=[{"batch": [32], "seed": 0}])
    inputs: list[InputShape] = Field(description="every file that was read, the spec first")
