"""Studies for tests, written as plain mappings and read through the real reader, in memory or from a folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from megasolve.contracts import Contract, Device, Document, Records, Spec, Study, load_spec, read_document
from tests.support.planning.launches import device as h100

Fields = dict[str, Any]

SPECS = Path(__file__).parents[3] / "specs"
SHAPE: Fields = {"threads": 256, "registers": 255, "ctas_per_sm": 1, "cooperative": True, "shared_bytes": 122880}
LAUNCH: Fields = {"kind": "cooperative", "host_waits": True, "host_us": 100, "exposed_us": 0}
GRAPH: Fields = {"kind": "graph", "host_waits": True, "host_us": 0, "exposed_us": 0, "gap_us": 0}
PROVENANCE: Fields = {"kind": "profiled", "source": "invented"}
CONTEXT_KEYS = ("launch", "geometry", "storage", "synchronization", "build")


def group(name: str, role: str, **fields: Any) -> Fields:
    """Return a group of the spec."""
    return {"name": name, "role": role, **fields}


def megakernel(*members: str, budgets: Sequence[int] = (132,), host_us: float = 100, **fields: Any) -> Fields:
    """Return the contract of a megakernel entry, named after its members unless *entry* says otherwise."""
    loops = {"loops_on_device": True} if {"B", "L"} <= {*members} or members == ("B",) else {}
    return {
        "megasolve": "contract/v1",
        "entry": "+".join(members),
        "backend": "megakernel",
        "members": list(members),
        "launch": dict(SHAPE),
        "budgets_ctas": list(budgets),
        "dispatch": {**LAUNCH, "host_us": host_us},
        **loops,
        **fields,
    }


def conventional(member: str, **fields: Any) -> Fields:
    """Return the contract of one kernel, or of a graph's kernels with one summed time."""
    return {
        "megasolve": "contract/v1",
        "entry": f"{member}_graph",
        "backend": "conventional",
        "members": [member],
        "launch": {},
        "dispatch": dict(GRAPH),
        **fields,
    }


def record(contract: Fields, member: str, duration_us: float, budget_ctas: int = 132, **fields: Any) -> Fields:
    """Return the record of one call of *member* in *contract*, under the contract's context."""
    return {
        "group": member,
        "backend": contract["backend"],
        "entries": [contract["entry"]],
        "budget_ctas": budget_ctas,
        "batch": 1,
        "precision": "bf16",
        "device": "h100",
        "context": {key: contract[key] for key in CONTEXT_KEYS if key in contract},
        "duration_us": duration_us,
        "hbm_bytes": 0,
        "provenance": PROVENANCE,
        **fields,
    }


def spec(groups: Sequence[Fields], **fields: Any) -> Fields:
    """Return a spec of one batch; *fields* add the stream, the pairs and whatever else."""
    return {
        "megasolve": "spec/v1",
        "name": "model",
        "device": "h100",
        "precision": "bf16",
        "batches": [1],
        "groups": list(groups),
        "contracts": ["contracts/*.yaml"],
        "records": ["records.yaml"],
        **fields,
    }


def study(asked: Fields, contracts: Sequence[Fields], records: Sequence[Fields], **figures: Any) -> Study:
    """Return the study that these mappings make up, on an H100 but for the device *figures* given. It is taken as checked."""
    files = {f"contracts/{one['entry']}.yaml": one for one in contracts}
    # Launch costs are added afterwards: a file has them in microseconds, a model in picoseconds.
    costs = {"launch": figures.pop("launch", {}), **{key: figures.pop(key) for key in tuple(figures) if key.endswith("_us")}}
    document = _read("device.yaml", h100(**figures).model_dump(mode="json", exclude_unset=True) | costs, Device)
    return Study(
        spec=_read("spec.yaml", asked, Spec),
        device=document,
        contracts=tuple(_read(file, files[file], Contract) for file in sorted(files)),
        records=(_read("records.yaml", {"megasolve": "records/v1", "records": list(records)}, Records),),
        is_checked=True,
    )


def _read(file: str, fields: Fields, model: type[Any]) -> Document[Any]:
    # JSON is YAML, so the reader takes it as it takes a file.
    document, findings = read_document(file, json.dumps(fields))
    assert document is not None, [finding.message for finding in findings]
    assert isinstance(document.value, model)
    return document


def nh_tts_with_later_chunks() -> Study:
    """Return the shipped NH-TTS study with later chunks as long as the first, so that it has a time from chunk to chunk."""
    path = SPECS / "nh_tts.yaml"
    text = path.read_text(encoding="utf-8").replace("first_chunk: 2", "first_chunk: 2, next_chunk: 2")
    return load_spec(path, text=text)


def stepped(producer: Fields, consumer: Fields, step_us: float, chunk_us: float, stream: Fields, **fields: Any) -> Study:
    """A producer B and a consumer C with the same times on each of their budgets."""
    known = [record(producer, "B", step_us, ctas) for ctas in producer.get("budgets_ctas", (132,))]
    known += [record(consumer, "C", chunk_us, ctas) for ctas in consumer.get("budgets_ctas", (132,))]
    asked = spec(
        [group("B", "producer"), group("C", "consumer")], stream=stream, budget_pairs=[{"producer_ctas": 88, "consumer_ctas": 44}], **fields
    )
    return study(asked, [producer, consumer], known)
