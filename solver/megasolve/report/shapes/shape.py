"""The base of every shape, and the parts that all results share."""

from __future__ import annotations

from typing import Annotated, Any, Union

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from megasolve.contracts import JsonObject


class Shape(BaseModel):
    """A JSON object with exactly these keys."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


Exact = Annotated[
    int | str, Field(description="picoseconds, exact: a whole number, or the text numerator/denominator", examples=[42520000000, "7/2"])
]
UsText = Annotated[str, Field(description="microseconds, text with six decimals", examples=["42520.000000"])]
Ratio6 = Annotated[str, Field(description="a fraction as text with six decimals: 0.042000 is 4.2 %", examples=["0.042000"])]
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


class CauseShape(Shape):
    """A rule that is broken: one cause of an exclusion, or what is wrong with a plan."""

    rule: str = Field(description="the code of the rule", examples=["CTA-03"])
    name: str = Field(description="the name of the rule", examples=["split-exceeds-device"])
    because: str = Field(description="the fact that breaks it", examples=["88 + 52 CTAs > 132"])
    subject: str = Field(description="what it is about: a region, a split, an entry, a group; a candidate", examples=["m:B+L"])


class ScheduleShape(Shape):
    """The stream schedule of the spec, in steps and frames."""

    delay: int = Field(description="steps before the first frame", examples=[5])
    first_chunk: int = Field(description="frames of the first chunk", examples=[2])
    right_context: int = Field(description="further steps that the consumer itself needs", examples=[0])
    lookahead: int = Field(description="further steps that publication alone waits for", examples=[1])
    next_chunk: int | None = Field(description="frames of a later chunk", examples=[8])
    length_steps: int | None = Field(description="the steps of a whole request", examples=[650])


class AwaitedShape(Shape):
    """Without a consumer: what the first publication waits for."""

    group: str = Field(description="the group", examples=["P"])
    step: int | None = Field(description="of a producer, after which step", examples=[1])


class StepsShape(Shape):
    """The steps r and h, and what they follow from."""

    ready_step: int = Field(description="step r: after it the first chunk can start", examples=[7])
    horizon_step: int = Field(description="step h: the last one that the first publication waits for", examples=[8])
    cycle_steps: int | None = Field(description="steps of a steady cycle; null where there is none", examples=[2])
    first_chunk_steps: int | None = Field(description="steps that the first chunk takes; null where nothing is streamed", examples=[2])
    stream: ScheduleShape | None = Field(description="the stream schedule; null where nothing is streamed")
    publication: AwaitedShape | None = Field(description="without a consumer, what publication waits for")


def result_schema(*shapes: type[Shape]) -> JsonObject:
    """Return the JSON Schema of a result of one of *shapes*: further keys may be added to it, so that it forbids none."""
    either: Any = Union[shapes]  # noqa: UP007
    schema = TypeAdapter(either).json_schema(by_alias=True)
    for section in (schema, *schema.get("$defs", {}).values()):
        section.pop("additionalProperties", None)
    return {key: value for key, value in schema.items() if key != "title"}
