"""The shape of `tasks/v1`: what `megasolve import --format json` prints of files of MPK."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .shape import Batch, Shape, UsText


class TaskTypeShape(Shape):
    """The tasks of one type in a graph."""

    type: int = Field(description="the number of the type", examples=[253])
    name: str = Field(description="what it is called", examples=["linear"])
    tasks: int = Field(description="how many there are in a step", examples=[2280])


class TaskGraphShape(Shape):
    """What a task graph has."""

    file: str = Field(description="the file", examples=["task_graph_rank0.json"])
    sha256: str = Field(description="the hash of its content", examples=["3f0a..."])
    order: Literal["static", "dynamic"] = Field(description="whether all tasks are in the workers' queues when a step begins")
    tasks: int = Field(description="tasks in a step", examples=[55526])
    events: int = Field(description="counters between them", examples=[2278])
    stages: int = Field(description="tasks of one type in a row with the same waits, counted together", examples=[1200])
    repeated: int = Field(description="stages that repeat; 0 where none do", examples=[60])
    times: int = Field(description="how often they do", examples=[9])
    types: list[TaskTypeShape] = Field(description="tasks by type")
    notes: list[str] = Field(description="what to know of it", examples=[[]])


class TaskTimeShape(Shape):
    """How long tasks of one type take at one batch."""

    type: int = Field(description="the number of the type", examples=[253])
    name: str = Field(description="what the table calls it", examples=["TASK_LINEAR_SM100"])
    batch: Batch
    tasks: float = Field(description="how many there are in a step, on average", examples=[2280.0])
    mean_us: UsText


class TimingTableShape(Shape):
    """What a table of task times says."""

    file: str = Field(description="the file", examples=["pertask_by_bs.csv"])
    sha256: str = Field(description="the hash of its content", examples=["3f0a..."])
    workers: int = Field(description="how many workers ran them", examples=[128])
    batches: list[int] = Field(description="the batches that it has columns of", examples=[[1, 8, 16]])
    times: list[TaskTimeShape] = Field(description="the times, by type and batch")
    notes: list[str] = Field(description="what to know of it: columns that are not of the batch that they name", examples=[[]])


class DecodedStepsShape(Shape):
    """The steps that decode one batch and do nothing else."""

    batch: Batch
    samples_us: list[str] = Field(description="the time of each, as text", examples=[["5781.400000"]])


class StepTableShape(Shape):
    """What a table of steps says."""

    file: str = Field(description="the file", examples=["bs1_iters.csv"])
    sha256: str = Field(description="the hash of its content", examples=["3f0a..."])
    steps: int = Field(description="how many steps it has", examples=[352])
    decoded: list[DecodedStepsShape] = Field(description="those that only decode, by batch")


class TasksShape(Shape):
    """What `megasolve import --format json` prints of files of MPK."""

    megasolve: Literal["tasks/v1"] = Field(description="the kind of this result")
    graphs: list[TaskGraphShape] = Field(description="the task graphs")
    tables: list[TimingTableShape] = Field(description="the tables of task times")
    steps: list[StepTableShape] = Field(description="the tables of steps")
