"""What was published of the tasks of one persistent kernel: Qwen3.5-35B-A3B-FP8 in MPK on a B200, a decode step at batches 1, 8 and 16.

From mirage-project/mirage, demo/qwen3_5/accept/opt/m4i8 (commits 031e10f5 and 789f19d5): how many tasks of each stage a step has, how many
of them find work, and how long those take and all together. No time of a step is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BATCHES = (1, 8, 16)
WORKERS = 128
DATA_US, QUEUE_US = 1.15, 1.57
"""Medians over the edges of the kernel: from the end of a task to the start of one that waited for it, and to the next of its worker."""

EVENT_US = {1: 0.402, 8: 0.416, 16: 0.442}
"""What the worker whose task opened an event records of it, on average."""


TASK_US = 1.03
"""What a task costs beside its body, the least of what was published (1.03 to 1.20 at batch 16 on 136 workers)."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """The *tasks* of a stage in a step, how many of them work (*live*), how long one of those takes, and all tasks together."""

    tasks: int
    live: float
    live_us: float
    work_us: float

    @property
    def mean_us(self) -> float:
        """How long a task takes, whatever it finds."""
        return self.work_us / self.tasks


STAGES: Mapping[int, Mapping[str, StageTime]] = {
    1: {
        "dense": StageTime(16800, 15355.78, 6.934, 111454.2),
        "linear": StageTime(2280, 2280, 13.227, 30156.6),
        "w13": StageTime(10240, 2560, 13.485, 41450.2),
        "w2": StageTime(10240, 5059.55, 5.115, 29886.7),
        "recurrent": StageTime(3840, 3840, 5.609, 21539.0),
        "attention": StageTime(20, 20, 59.887, 1197.7),
        "quantize": StageTime(3840, 259.93, 4.415, 7874.8),
        "topk": StageTime(40, 40, 9.306, 372.3),
        "gate": StageTime(640, 396.41, 4.699, 2699.3),
        "combine": StageTime(640, 637.29, 5.797, 3704.7),
        "silu": StageTime(5280, 0, 1.417, 7482.4),
        "norm": StageTime(1296, 0, 1.387, 1797.4),
        "conv": StageTime(240, 240, 5.502, 1320.5),
        "argmax": StageTime(128, 128, 5.169, 661.6),
        "reduce": StageTime(1, 1, 2.3, 2.3),
        "embed": StageTime(1, 1, 54.5, 54.5),
    },
    8: {
        "dense": StageTime(16800, 16670.76, 7.437, 124467.4),
        "linear": StageTime(2280, 2280, 13.96, 31829.6),
        "w13": StageTime(10240, 10180.5, 15.907, 161983.9),
        "w2": StageTime(10240, 10236.38, 10.417, 106645.1),
        "recurrent": StageTime(7680, 7680, 10.408, 79933.4),
        "attention": StageTime(160, 160, 55.839, 8934.2),
        "quantize": StageTime(3840, 343.77, 4.537, 7890.8),
        "topk": StageTime(40, 40, 13.038, 521.5),
        "gate": StageTime(640, 636.86, 6.326, 4040.2),
        "combine": StageTime(640, 639.33, 5.321, 3404.6),
        "silu": StageTime(5280, 0, 1.563, 8254.6),
        "norm": StageTime(1296, 0, 1.455, 1885.1),
        "conv": StageTime(1920, 1920, 5.715, 10972.0),
        "argmax": StageTime(128, 128, 32.03, 4099.9),
        "reduce": StageTime(1, 1, 8.3, 8.3),
        "embed": StageTime(1, 1, 41.2, 41.2),
    },
    16: {
        "dense": StageTime(16800, 16697.92, 7.412, 124155.3),
        "linear": StageTime(2280, 2280, 13.93, 31761.4),
        "w13": StageTime(10240, 10240, 22.975, 235262.0),
        "w2": StageTime(10240, 10240, 15.125, 154883.3),
        "recurrent": StageTime(15360, 15360, 10.289, 158040.6),
        "attention": StageTime(320, 320, 65.151, 20848.5),
        "quantize": StageTime(3840, 286, 4.479, 7435.9),
        "topk": StageTime(40, 40, 13.311, 532.4),
        "gate": StageTime(640, 640, 6.365, 4073.9),
        "combine": StageTime(640, 632.85, 4.373, 2795.6),
        "silu": StageTime(5280, 129.31, 4.799, 8010.7),
        "norm": StageTime(1296, 0, 1.63, 2111.8),
        "conv": StageTime(3840, 3839.92, 5.507, 21145.9),
        "argmax": StageTime(128, 128, 61.318, 7848.7),
        "reduce": StageTime(1, 1, 16.0, 16.0),
        "embed": StageTime(1, 1, 24.6, 24.6),
    },
}
