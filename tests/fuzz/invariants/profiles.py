"""What must hold of a profile, whether it is imported or refused."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.invariants.studies import judge_study
from tests.fuzz.running import Answer, Broken, answer, snapshot

RECORDS, SPEC = "records_made.yaml", "spec.yaml"
STATED = ("--batch", "1", "--precision", "bf16")
DEVICES = ((), (), ("--device", "h100_sxm"), ("--device", "nowhere"))
GROUPS: tuple[tuple[str, ...], ...] = (
    (),
    (),
    ("--steps", "period:auto"),
    ("--steps", "period:2"),
    ("--steps", "marks:*Step*"),
    ("--steps", "marks:ProfilerStep#*", "--skip", "1"),
    ("--group", "P:admission=ranges:prefill*", "--group", "B"),
    ("--group", "A=names:gemm*", "--group", "C:consumer=names:*o*", "--group", "rest"),
    ("--gpu", "0"),
    ("--recover",),
)


def judge_profile(folder: Path, files: tuple[str, ...], random: Random) -> bool:
    """Judge the profiles *files* in *folder*, which is the current folder, and return whether they were imported."""
    before = snapshot(folder)
    told = answer("import", *files, "--format", "json")
    if told.exit_code == 1:
        raise Broken("import exits with 1", told.err[:300])
    if told.exit_code == 0:
        _judge_sums(told)
    asked = (*random.choice(GROUPS), *random.choice(DEVICES))
    # Each of these reads the profile again, so not every one is asked everything.
    match random.randrange(4):
        case 0 if told.exit_code == 0 and answer(*told.words).out != told.out:
            raise Broken("other bytes the second time", " ".join(told.words))
        case 1:
            answer("import", *files, *asked)
            if snapshot(folder) != before:
                raise Broken("something was written beside the profile", f"{sorted({*snapshot(folder)} ^ {*before})}")
        case 2:
            _judge_records(folder, files, asked)
        case 3:
            _judge_new(folder, files, asked, random)
    return told.exit_code == 0


def _judge_sums(told: Answer) -> None:
    for profile in json.loads(told.out)["profiles"]:
        total, union, span = (_us(profile[key]) for key in ("sum_us", "union_us", "span_us"))
        busy = [one for one in map(_us, _busy(profile)) if one is not None]
        if total is not None and union is not None and total < union:
            raise Broken("the sum of kernels is under the time with kernels", f"{total} < {union}")
        if total is not None and busy and total < sum(busy):
            raise Broken("the sum of kernels is under the busy time", f"{total} < {busy}")
        if span is not None and any(span < one for one in (*busy, *([] if union is None else [union]))):
            raise Broken("the span is under the busy time", f"{span} < {busy}, {union}")


def _busy(profile: dict[str, Any]) -> list[Any]:
    busy = profile["busy_us"]
    return list(busy.values()) if isinstance(busy, dict) else list(busy) if isinstance(busy, list) else [busy]


def _us(text: object) -> Decimal | None:
    return None if text is None else Decimal(str(text["busy_us"] if isinstance(text, dict) else text))


def _judge_records(folder: Path, files: tuple[str, ...], asked: tuple[str, ...]) -> None:
    made = answer("import", *files, "-o", RECORDS, *STATED, *asked)
    if made.exit_code == 0 and answer("check", RECORDS).exit_code:
        raise Broken("records that do not pass their check", answer("check", RECORDS).out.decode()[:300])
    if made.exit_code and (folder / RECORDS).exists():
        raise Broken("records of a refused import", made.err[:300])


def _judge_new(folder: Path, files: tuple[str, ...], asked: tuple[str, ...], random: Random) -> None:
    before = snapshot(folder)
    made = answer("new", SPEC, "--from", *files, *STATED, *asked)
    if made.exit_code == 0:
        checked = answer("check", SPEC)
        if checked.exit_code:
            raise Broken("a study that does not pass its check", checked.out.decode()[:300])
        if not judge_study(folder, random):
            raise Broken("a study that solve refuses", answer("solve", SPEC).err[:300])
    elif snapshot(folder) != before:
        raise Broken("half a study of a refused profile", f"{sorted({*snapshot(folder)} ^ {*before})}")
