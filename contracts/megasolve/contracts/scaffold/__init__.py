"""The front door of scaffolding: from what was observed to the specs, contracts and records that follow from it."""

from .asking import declared_attribution, steps_by, steps_words
from .circumstances import Circumstances, assumed_sentences, circumstances
from .cutting.batches import BatchPart, OtherBatch
from .cutting.cut import Cut
from .cutting.shapes import ShapedStep
from .cutting.structured import Structure, around_steps, named_alike, proposal, structured
from .cutting.today import TodayTime, todays
from .cutting.updating import StudyUpdate, study_update
from .device import identified, profiled_device
from .importing import fresh_records, study_records
from .looping import Looping, looping
from .records import records_json_lines, records_yaml
from .scaffold import Scaffold, Wishes, scaffold
from .timings import Unused
from .words.yaml_text import commented, flow

__all__ = [
    "BatchPart",
    "Circumstances",
    "Cut",
    "Looping",
    "OtherBatch",
    "Scaffold",
    "ShapedStep",
    "Structure",
    "StudyUpdate",
    "TodayTime",
    "Unused",
    "Wishes",
    "around_steps",
    "assumed_sentences",
    "circumstances",
    "commented",
    "declared_attribution",
    "flow",
    "fresh_records",
    "identified",
    "looping",
    "named_alike",
    "profiled_device",
    "proposal",
    "records_json_lines",
    "records_yaml",
    "scaffold",
    "steps_by",
    "steps_words",
    "structured",
    "study_records",
    "study_update",
    "todays",
]
