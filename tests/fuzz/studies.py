"""The studies that are changed: small ones of the tests, and those that are shipped, as trees by file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.fuzz.random_models import Files, random_model
from tests.support import derived_files, files

SPECS = Path(__file__).parents[2] / "specs"
SHIPPED = ("worked_example", "equal_partitions", "nh_tts", "nh_tts_standin", "qwen3_tts", "streamlet", "llama_1b")
LIGHT = ("worked_example", "equal_partitions")


def small_study(random: Random) -> Files:
    """Return a study of one group, one entry and one record."""
    kept = random.choice(("records.yaml", "records.jsonl"))
    trees = {"spec.yaml": files.SPEC, "h100.yaml": files.DEVICE, "contracts/talker.yaml": files.CONTRACT, kept: files.RECORDS}
    return {name: _loaded(text.replace("[records.yaml]", "[records.*]")) for name, text in trees.items()}


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
    if draw < 0.6:
        return small_study(random)
    if draw < 0.75:
        return derived_study(random)
    return random_model(random) if draw < 0.9 else dict(shipped_study(random.choice(LIGHT)))


@cache
def _loaded(text: str) -> Any:
    # Trees are never changed in place, so one may be in many inputs.
    return yaml.load(text, yaml.CSafeLoader)
