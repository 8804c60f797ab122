"""The studies that are changed: small ones of the tests, and those that are shipped, as trees by file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.fuzz.drawn.profiles import kineto
from tests.fuzz.drawn.random_models import Files, random_model
from tests.fuzz.drawn.trees import Tree
from tests.support.disk import derived_files, files

SPECS = Path(__file__).parents[3] / "specs"
SHIPPED = ("worked_example", "equal_partitions", "nh_tts", "nh_tts_standin", "qwen3_tts", "streamlet", "llama_1b")
COMPILED = """\
megasolve: compiled/v1
compiler: nvcc 13.0
source_sha256: 431d8e56d39f0895ab21025705707a944e79f02ab9f258bd84b703924a4fdf49
kernels:
  - {symbol: talker_loop, entries: [talker], compute_capability: "9.0", threads: 512, registers: 128, shared_bytes: 1024}
"""
MEASURED = """\
megasolve: measured/v1
runs:
  - session: one
    batch: 1
    precision: bf16
    device: h100
    qualified: true
    composition: {candidate: "m:P@serial", entries: [[talker]], samples_us: [12.5, 13, 12], places: [1, 1, 1]}
    provenance: {kind: measured, source: spec.yaml, tool: cuda events, date: "2026-11-04", device_sms: 132}
"""
LIGHT = ("worked_example", "equal_partitions")


def small_study(random: Random) -> Files:
    """Return a study of one group, one entry and one record."""
    kept = random.choice(("records.yaml", "records.jsonl"))
    trees = {"spec.yaml": files.SPEC, "h100.yaml": files.DEVICE, "contracts/talker.yaml": files.CONTRACT, kept: files.RECORDS}
    return {name: _loaded(text.replace("[records.yaml]", "[records.*]")) for name, text in trees.items()}


def study_with_more(random: Random) -> Files:
    """Return a small study that says what the compiler reports and what ran, with runs of whole designs beside it."""
    study = small_study(random)
    spec = study["spec.yaml"]
    assert isinstance(spec, dict)
    attribution: Tree = {"steps": random.choice(("whole", "marks:ProfilerStep#*", "period:auto")), "groups": [{"group": "P"}]}
    named: Tree = {**spec, "compiled": ["compiled.yaml"], "profiles": ["trace.*"], "attribution": attribution}
    return {**study, "spec.yaml": named, "compiled.yaml": _loaded(COMPILED), "measured.yaml": _loaded(MEASURED), **kineto(random)}


def derived_study(_: Random) -> Files:
    """Return a study whose times follow from programs of few tiles."""
    few = {"264": "6", "132 * batch": "4 * batch"}
    texts = {"spec.yaml": derived_files.SPEC, "h100.yaml": files.DEVICE, "records.yaml": derived_files.RECORDS}
    for name, text in (("fused", derived_files.FUSED), ("kernels", derived_files.KERNELS)):
        texts[f"contracts/{name}.yaml"] = re.sub("|".join(map(re.escape, few)), lambda match: few[match[0]], text)
    return {name: _loaded(text) for name, text in texts.items()}


@cache
def shipped_study(name: str) -> Files:
    """Return a shipped spec with all that lies beside it."""
    spec = _loaded((SPECS / f"{name}.yaml").read_text(encoding="utf-8"))
    found: Files = {"spec.yaml": {**spec, "batches": spec["batches"][:1], "other_devices": []}}
    for path in sorted((SPECS / name).rglob("*.yaml")):
        found[str(path.relative_to(SPECS))] = _loaded(path.read_text(encoding="utf-8"))
    return found


def light_study(random: Random) -> Files:
    """Return a study that is solved in some milliseconds."""
    draw = random.random()
    if draw < 0.75:
        return small_study(random)
    if draw < 0.88:
        return derived_study(random)
    return random_model(random) if draw < 0.95 else dict(shipped_study(random.choice(LIGHT)))


@cache
def _loaded(text: str) -> Any:
    # Trees are never changed in place, so one may be in many inputs.
    return yaml.load(text, yaml.CSafeLoader)
