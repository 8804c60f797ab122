"""What must hold of a study, whether its files are accepted or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from megasolve.contracts import RULES, RuleKind, load_spec
from megasolve.report import solve_json
from megasolve.simulate import Score, critical_path, score
from megasolve.solver import BatchResult, Ranked, solve
from tests.fuzz.invariants.bounds import least_ps
from tests.fuzz.running import Answer, Broken, answer, snapshot

SPEC = "spec.yaml"
FORMS = ("table", "csv", "markdown")

QUESTIONS = (
    ("--ablation", "additive"),
    ("--ablation", "no_overlap"),
    ("--objective", "producer_step"),
    ("--objective", "chunk_interval"),
    ("--without", "contention", "--without", "dispatch"),
    ("--without", "prefetch", "--without", "synchronization"),
    ("--no-cache", "--device", "h100_sxm"),
)

_STAMP = ("version", "options", "inputs")
_FILE_RULES = {rule.code for rule in RULES if rule.kind is RuleKind.FILE}

Twin = Callable[[tuple[str, ...]], bytes]


def judge_study(folder: Path, random: Random, twin: Twin | None = None) -> bool:
    """Judge the study in *folder*, which is the current folder, and return whether it was planned.

    *twin* runs a command in a process with other hashes, and returns what it printed.
    """
    before = snapshot(folder)
    checked, solved = answer("check", SPEC, "--format", "json"), answer("solve", SPEC, "--format", "json")
    _judge_agreement(checked, solved)
    if random.random() < 0.1:
        answer("check", ".")
    if random.random() < 0.1:
        _judge_stdin(folder, solved)
    if solved.exit_code != 2:
        _judge_results(solved, random)
        if twin is not None and twin(solved.words) != solved.out:
            raise Broken("other bytes under other hashes", " ".join(solved.words))
    if checked.exit_code and random.random() < 0.5:
        answer("check", SPEC, "--format", random.choice(("text", "github", "sarif", "junit")))
    if snapshot(folder) != before:
        raise Broken("something was written beside the study", f"{sorted({*snapshot(folder)} ^ {*before})}")
    return solved.exit_code != 2


def judge_checked(folder: Path) -> bool:
    """Judge the check alone of the study in *folder*, which is the current folder, and return whether it has no findings."""
    before = snapshot(folder)
    checked = answer("check", SPEC, "--format", "json")
    if checked.exit_code != 2 and answer(*checked.words).out != checked.out:
        raise Broken("other bytes the second time", " ".join(checked.words))
    if snapshot(folder) != before:
        raise Broken("something was written beside the study", f"{sorted({*snapshot(folder)} ^ {*before})}")
    return checked.exit_code == 0


def _judge_agreement(checked: Answer, solved: Answer) -> None:
    if checked.exit_code == 2:
        if solved.exit_code != 2:
            raise Broken("solve takes what check cannot read", solved.err[:300])
        return
    findings = json.loads(checked.out)["findings"]
    stopping = [one for one in findings if one["severity"] == "error" and one["rule"] in _FILE_RULES]
    errors = [one for one in findings if one["severity"] == "error"]
    if bool(errors) != bool(checked.exit_code):
        raise Broken("check's exit code is not what its findings say", f"{checked.exit_code}, {errors}")
    if bool(stopping) != (solved.exit_code == 2) and not _is_too_large(solved):
        said = f"check: {stopping[:2] or 'nothing that stops solve'}; solve {solved.exit_code}: {solved.err[:300]}"
        raise Broken("check and solve disagree", said)


def _is_too_large(solved: Answer) -> bool:
    """Whether a sound study is refused for the size of its space alone."""
    return any("covers >" in line or "variants" in line for line in solved.lines)


def _judge_stdin(folder: Path, solved: Answer) -> None:
    again = answer("solve", "-", "--stdin-filename", SPEC, "--format", "json", stdin=(folder / SPEC).read_bytes())
    if (again.exit_code, again.out) != (solved.exit_code, solved.out):
        raise Broken("stdin is planned otherwise than the file", f"{solved.exit_code}, {again.exit_code}: {again.err[:300]}")


def _judge_results(solved: Answer, random: Random) -> None:
    result = solve(load_spec(SPEC))
    if json.loads(solve_json(result)) != {key: value for key, value in json.loads(solved.out).items() if key not in _STAMP}:
        raise Broken("other bytes the second time", " ".join(solved.words))
    if result.is_feasible != (solved.exit_code == 0):
        raise Broken("solve's exit code is not what its result says", f"{solved.exit_code}")
    for batch, printed in zip(result.results, json.loads(solved.out)["results"], strict=True):
        _judge_batch(batch, printed)
    # Each of these plans the study again, so not every study is asked everything.
    match random.randrange(4):
        case 0:
            answer("solve", SPEC, "--format", random.choice(FORMS))
        case 1:
            _judge_table()
        case 2:
            _judge_explanation(random.choice(result.results), random)
        case 3:
            answer("solve", SPEC, "--format", "csv", *random.choice(QUESTIONS))


def _judge_batch(batch: BatchResult, printed: dict[str, Any]) -> None:
    if len(batch.ranking) + len(batch.excluded) != batch.candidates or len({row.id for row in batch.ranking}) != len(batch.ranking):
        raise Broken("candidates are not ranked + excluded", f"{batch.candidates}: {len(batch.ranking)} + {len(batch.excluded)}")
    if any(not row.causes for row in batch.excluded):
        raise Broken("an exclusion without a cause", next(row.id for row in batch.excluded if not row.causes))
    scores = [Fraction(row.score_ps) for row in batch.ranking]
    if [Fraction(row["score_ps"]) for row in printed["ranking"]] != scores or scores != sorted(scores):
        raise Broken("scores are not printed as they are, best first", f"{scores[:3]}")
    if list(batch.best) != [row.id for row in batch.ranking if row.score_ps == batch.ranking[0].score_ps]:
        raise Broken("the best are not all of minimum score", f"{batch.best}")
    for row in batch.ranking:
        _judge_score(batch, row)


def _judge_score(batch: BatchResult, row: Ranked) -> None:
    least = least_ps(row.composed.composition, batch.objective)
    if not row.score_ps > 0 or row.score_ps < least:
        raise Broken("a score under its bound", f"{row.id}: {row.score_ps} ps < {least} ps")
    scored = score(row.composed.composition, batch.objective)
    if not isinstance(scored, Score) or scored.value_ps != row.score_ps:
        raise Broken("a score that cannot be had again", f"{row.id}: {row.score_ps}")
    if sum(segment.elapsed_ps for segment in critical_path(scored)) != row.score_ps:
        raise Broken("a critical path that is not the score", f"{row.id}: {row.score_ps}")


def _judge_explanation(batch: BatchResult, random: Random) -> None:
    ranked, excluded = {row.id for row in batch.ranking}, [row.id for row in batch.excluded]
    candidate = random.choice(sorted(ranked) or excluded) if random.random() < 0.8 else random.choice(excluded or sorted(ranked))
    question = ("explain", SPEC, candidate, "--batch", str(batch.batch))
    told = json.loads(answer(*question, "--format", "json").out)
    if told["status"] != ("ranked" if candidate in ranked else "excluded"):
        raise Broken("explain and solve disagree", f"{candidate}: {told['status']}")
    if candidate in ranked and sum(Fraction(part["elapsed_ps"]) for part in told["critical_path"]) != Fraction(told["score_ps"]):
        raise Broken("a critical path that does not sum to the score", candidate)
    answer(*question)


def _judge_table() -> None:
    told = answer("table", SPEC, "--format", "json")
    for row in json.loads(told.out)["rows"]:
        if row["simulated"] is not None and int(row["time_ps"]) < int(row["bound_ps"]):
            raise Broken("a derived time under its bound", f"{row['entry']} {row['group']}: {row['time_ps']} < {row['bound_ps']}")
