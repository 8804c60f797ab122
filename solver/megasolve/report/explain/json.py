"""An explanation as JSON, `explanation/v1`; *status* says whether the candidate is ranked, excluded or unknown."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..solve.json import cause_facts, json_text, row_facts
from ..solve.steps import steps_facts
from ..text.findings import finding_facts
from ..text.numbers import exact_ps, ratio_text, us_text
from .breakdown import evidence_warnings, group_parts
from .sides import sides_facts

if TYPE_CHECKING:
    from megasolve.simulate import Branches, Segment
    from megasolve.solver import Explanation, Fitting, KernelShare, Picture, PicturedGroup, RegionShare, UnknownCandidate, Usage, WhyNot

    from .breakdown import GroupPart

_KIND = {"megasolve": "explanation/v1"}


def explanation_json(explained: Explanation, *, spec: str, device: str) -> str:
    """Return a ranked candidate's explanation as JSON text."""
    row = explained.row
    score = Fraction(row.score_ps)
    return json_text(
        {
            **_KIND,
            "spec": spec,
            "device": device,
            "id": row.id,
            "status": "ranked",
            "batch": explained.batch,
            "objective": explained.objective.value,
            "without": list(explained.without),
            "place": explained.place,
            "of": explained.of,
            "score_us": us_text(row.score_ps),
            "score_ps": exact_ps(row.score_ps),
            "difference": ratio_text(explained.difference),
            **row_facts(row),
            "warnings": list(evidence_warnings(row.evidence)),
            "continuity": list(explained.continuity),
            **finding_facts(explained.findings),
            **sides_facts(explained.paid_by_sides),
            **({"to_measure": list(explained.to_measure)} if explained.to_measure else {}),
            "critical_path": [_segment(segment, score) for segment in explained.segments],
            "branches": _branches(explained.branches) if explained.branches else None,
            "groups": [_group(part) for part in group_parts(explained)],
            "largest_group": explained.largest_group.group,
            "records": [_record(usage) for usage in explained.usages],
            "steps": steps_facts(explained.steps),
            "fitting": [_fitting(one) for one in explained.fitting],
            "regions": [_region(region) for region in explained.regions],
            **(_picture(explained.picture) if explained.picture else {}),
        }
    )


def _segment(segment: Segment, score: Fraction) -> JsonObject:
    return {
        "label": segment.label,
        "elapsed_us": us_text(segment.elapsed_ps),
        "elapsed_ps": exact_ps(segment.elapsed_ps),
        "share": ratio_text(Fraction(segment.elapsed_ps) / score),
        "is_contention": segment.is_contention,
    }


def _branches(branches: Branches) -> JsonObject:
    return {
        "bound_by": "both" if branches.in_sequence else branches.bound_by,
        "in_sequence": branches.in_sequence,
        "chunk_us": us_text(branches.chunk_ps),
        "horizon_us": us_text(branches.horizon_ps),
        "slack_us": us_text(branches.slack_ps),
        "slack_ps": exact_ps(branches.slack_ps),
    }


def _group(part: GroupPart) -> JsonObject:
    return {
        "group": part.group,
        "given_us": us_text(part.given_ps),
        "service_share": ratio_text(part.service_share),
        "path_us": us_text(part.path_ps),
        "path_share": ratio_text(part.path_share),
    }


def _record(usage: Usage) -> JsonObject:
    record = usage.use.record
    return {
        "place": str(usage.use.place),
        "group": record.group,
        "entry": usage.contract.entry,
        "backend": record.backend,
        "entries": list(record.entries),
        "budget_ctas": record.budget_ctas,
        "time_us": us_text(record.time_ps),
        "hbm_bytes": record.hbm_bytes,
        "calls": usage.calls,
        "accuracy": None if record.accuracy is None else ratio_text(Fraction(record.accuracy)),
        "provenance": record.provenance.model_dump(mode="json", by_alias=True, exclude_unset=True),
    }


def _fitting(one: Fitting) -> JsonObject:
    return {
        "region": one.region,
        "entries": one.entries,
        "is_used": one.is_used,
        "is_slower": one.is_slower,
        "causes": list(map(cause_facts, one.causes)),
    }


def _region(region: RegionShare) -> JsonObject:
    kernels = [_kernel(kernel) for kernel in region.kernels]
    return {"region": region.region, "spent_us": us_text(region.spent_ps), "kernels": kernels}


def _kernel(kernel: KernelShare) -> JsonObject:
    """Return equal kernels of a region; their records stand in `records` by their places."""
    entries = list(dict.fromkeys(usage.contract.entry for usage in kernel.usages))
    about: JsonObject = {"group": kernel.usages[0].need.group.name, "budget_ctas": kernel.usages[0].need.budget_ctas, "entries": entries}
    return {**about, "calls": kernel.calls, "launches": kernel.launches, "spent_us": us_text(kernel.spent_ps)}


def _picture(picture: Picture) -> JsonObject:
    """Return the region graph, and what another order of independent groups would give."""
    graph: list[JsonObject] = [_pictured(one) for one in picture.groups]
    exchanges: list[JsonObject] = [{**asdict(one), "score_ps": exact_ps(one.score_ps)} for one in picture.exchanges]
    return {"graph": graph, "exchanges": exchanges}


def _pictured(one: PicturedGroup) -> JsonObject:
    about: JsonObject = {**asdict(one), "after": list(one.after), "next": list(one.next)}
    # Only where regions of a role run on two streams there is one to tell.
    return {key: value for key, value in about.items() if key != "stream" or value is not None}


def why_not_json(excluded: WhyNot, *, spec: str, device: str) -> str:
    """Return every cause of an exclusion as JSON text."""
    question = {"batch": excluded.batch, "objective": excluded.objective.value, "without": list(excluded.without)}
    causes = [cause_facts(cause) for cause in excluded.causes]
    about = {"spec": spec, "device": device, "id": excluded.row.id, "status": "excluded"}
    return json_text({**_KIND, **about, **question, "causes": causes, "steps": steps_facts(excluded.steps)})


def unknown_json(unknown: UnknownCandidate) -> str:
    """Return the ids that look like an unknown one as JSON text."""
    return json_text({**_KIND, "id": unknown.id, "status": "unknown", "nearest": list(unknown.nearest)})
