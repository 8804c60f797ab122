"""The front door to the files of MPK: task graphs, how long their tasks take, and studies of both."""

from .files import TaskFiles, are_task_files, notes_of, read_task_files
from .graph import TaskGraph
from .iterations import StepTable
from .joined import TimedGraph
from .kinds import task_name
from .stages import StageRepeat, TaskStage, repeat_of, stages_of
from .study import TaskStudy, TaskWishes, study_sentence, task_study
from .timing_table import TaskTiming, TimingTable

__all__ = [
    "StageRepeat",
    "StepTable",
    "TaskFiles",
    "TaskGraph",
    "TaskStage",
    "TaskStudy",
    "TaskTiming",
    "TaskWishes",
    "TimedGraph",
    "TimingTable",
    "are_task_files",
    "notes_of",
    "read_task_files",
    "repeat_of",
    "stages_of",
    "study_sentence",
    "task_name",
    "task_study",
]
