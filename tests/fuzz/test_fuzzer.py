"""The fuzzer finds faults that are planted, shortens them, goes on behind them, and draws the same inputs again."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from megasolve.contracts import load_spec
from megasolve.simulate import Objective
from megasolve.solver import solve
from megasolve.solver.select import selection
from tests.fuzz import campaign as campaigns
from tests.fuzz import running
from tests.fuzz.campaign import Plan, Tally, campaign, run_inputs, turns
from tests.fuzz.drawn.byte_damage import OPERATIONS as DAMAGES
from tests.fuzz.drawn.byte_damage import Damage
from tests.fuzz.drawn.studies import small_study
from tests.fuzz.drawn.tree_mutations import OPERATIONS, Mutation
from tests.fuzz.drawn.trees import Tree, Twin, at, places, put, removed
from tests.fuzz.drawn.writing import written_bytes
from tests.fuzz.faults import shortened
from tests.fuzz.inputs import KINDS, Input, drawn_input
from tests.fuzz.invariants import studies as study_invariants
from tests.fuzz.invariants.bounds import least_ps
from tests.fuzz.judging import judge
from tests.fuzz.running import Broken
from tests.fuzz.twins import TwinProcess
from tests.support.planning.studies import SPECS

TREE: Tree = {"a": [1, {"b": "text"}], "c": {"d": 1.5}}


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEGASOLVE_CACHE_DIR", str(tmp_path / "cache"))


def sound() -> Input:
    """Return an input in which nothing was changed."""
    return Input("spec", 1, 0, small_study(Random(1)), ())


def fault_of(one: Input) -> str:
    fault = judge(one).fault
    assert fault is not None
    return fault.signature


def breaks(line: str) -> bool:
    """Return whether *line*, as all that a refusal says, breaks what must hold of an answer."""
    try:
        running.judge_answer(running.Answer(("solve",), 2, b"", line))
    except Broken:
        return True
    return False


def test_a_sound_study_is_accepted_and_breaks_nothing() -> None:
    verdict = judge(sound())
    assert verdict.fault is None
    assert verdict.accepted


def test_a_planted_exception_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("megasolve.solver.select.selection.design_key", lambda *_: 1 // 0)
    assert fault_of(sound()).startswith("exit 3: Error: internal error, please report it (ZeroDivisionError")


def test_a_planted_hang_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(running, "CPU_SECONDS", 0.2)
    monkeypatch.setattr("megasolve.solver.select.selection.design_key", spin)
    assert fault_of(sound()) == "hang of solve"


def test_a_planted_sleep_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "WALL_SECONDS", 0.2)
    monkeypatch.setattr("megasolve.solver.select.selection.design_key", lambda *_: time.sleep(60))
    assert fault_of(sound()) == "hang of solve"
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_planted_lost_candidate_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = selection._with_designs
    monkeypatch.setattr("megasolve.solver.select.selection._with_designs", lambda rows, objective: whole(rows, objective)[:-1])
    assert fault_of(sound()) in {"candidates are not ranked + excluded", "scores are not printed as they are, best first"}


def test_a_planted_score_under_its_bound_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_invariants, "least_ps", lambda *_: 10**30)
    assert fault_of(sound()) == "a score under its bound"


def test_a_planted_difference_between_check_and_solve_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_invariants, "_FILE_RULES", set())
    broken = Input("spec", 1, 0, {**small_study(Random(1)), "h100.yaml": {}}, ())
    assert fault_of(broken) == "check and solve disagree"


def test_a_planted_file_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def noted(_: object) -> tuple[str, ...]:
        Path("stray").touch()
        return ()

    monkeypatch.setattr("megasolve.solver.select.selection.evidence_notes", noted)
    assert fault_of(sound()) == "something was written beside the study"


def test_a_planted_silence_is_found() -> None:
    with pytest.raises(Broken, match="silent exit 2"):
        running.judge_answer(running.Answer(("solve",), 2, b"", ""))


@pytest.mark.parametrize("line", ["Traceback (most recent call last):", "bad thing", "Error: a\x1b[31mb", "Error: [Errno 2] No such file"])
def test_a_line_that_is_none_of_ours_is_found(line: str) -> None:
    assert breaks(line)


@pytest.mark.parametrize("line", ["Error: no such file", "a.yaml:3:1: SCH-01 unknown key 'x'  [$.x]", "no findings in 3 files"])
def test_a_line_of_ours_is_none(line: str) -> None:
    assert not breaks(line)


def test_other_bytes_under_other_hashes_are_found() -> None:
    verdict = judge(sound(), twin=lambda _: b"other")
    assert verdict.fault is not None
    assert verdict.fault.signature == "other bytes under other hashes"


def test_a_twin_prints_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound().write(tmp_path)
    monkeypatch.chdir(tmp_path)
    twin = TwinProcess()
    try:
        words = ("solve", "spec.yaml", "--format", "json")
        assert twin.run(words) == running.answer(*words).out
    finally:
        twin.close()


def test_a_fault_is_shortened_to_the_changes_that_it_needs() -> None:
    changes = tuple(Mutation("spec.yaml", "nudge", number) for number in range(4))
    one = Input("spec", 1, 5, small_study(Random(1)), changes)

    def broken(other: Input) -> Broken | None:
        return Broken("planted", "here") if changes[2] in other.changes else None

    fault = shortened(one, Broken("planted", "here"), broken)
    assert fault.least.changes == (changes[2],)
    assert fault.again == "python -m tests.fuzz --seed=1 --only=spec:5 --keep-changes=2"


def test_a_fault_is_counted_and_kept_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(study_invariants, "least_ps", lambda *_: 10**30)
    tally = Tally()
    run_inputs(iter([sound()] * 5), tally, keep_in=tmp_path / "kept")
    assert tally.inputs["spec"] == tally.sorts["a score under its bound"] == 5
    assert len(tally.faults) == campaigns.MOST_OF_A_SORT
    kept = (tmp_path / "kept/spec-1-0/FAULT.txt").read_text(encoding="utf-8")
    assert "python -m tests.fuzz --seed=1 --only=spec:0" in kept
    assert (tmp_path / "kept/spec-1-0/spec.yaml").is_file()


def test_a_process_that_dies_costs_one_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(campaigns, "_work", die_at_the_second)
    plan = Plan(1, ("words",), 10, 4, 1, tmp_path)
    tally = campaign(plan, lambda *_: None)
    assert tally.sorts["the process did not survive"] == 1
    assert [fault.found.index for fault in tally.faults] == [1]


def test_two_processes_judge_all_inputs_once_and_end(tmp_path: Path) -> None:
    tally = campaign(Plan(1, ("words",), 10, 6, 2, tmp_path), lambda *_: None)
    assert tally.inputs["words"] == 12
    assert tally.cpu_seconds > 0
    assert tally.faults == []


def die_at_the_second(plan: Plan, number: int, skipped: int, deadline: float, telling: Any) -> None:
    """Play a worker that ends without a word at its second input."""
    assert (plan.seed, number) == (1, 0)
    assert deadline > 0
    for position in range(skipped, 4):
        telling.send(position)
        if position == 1:
            signal.raise_signal(signal.SIGKILL)
    telling.send(None)


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_is_the_same_whenever_it_is_drawn(kind: str) -> None:
    first, second = (drawn_input(KINDS[kind], 3, 4) for _ in range(2))
    assert first.contents() == second.contents()
    assert first.words == second.words


def test_processes_share_the_turns_of_one_seed() -> None:
    kinds = list(KINDS.values())
    whole = [(kind.name, index) for (kind, index), _ in zip(turns(1, kinds), range(40), strict=False)]
    halves = [[(kind.name, index) for (kind, index), _ in zip(turns(1, kinds, first, 2), range(20), strict=False)] for first in (0, 1)]
    assert sorted(whole) == sorted(halves[0] + halves[1])


def test_places_are_read_replaced_and_removed_and_the_tree_stays_as_it_was() -> None:
    before = json.dumps(TREE)
    assert at(TREE, ("a", 1, "b")) == "text"
    assert put(TREE, ("a", 0), 2) == {"a": [2, {"b": "text"}], "c": {"d": 1.5}}
    assert removed(TREE, ("a", 1)) == {"a": [1], "c": {"d": 1.5}}
    assert len(places(TREE)) == 6
    assert json.dumps(TREE) == before


def test_a_twin_of_a_key_stands_beside_it() -> None:
    assert written_bytes("a.yaml", {"a": 1, Twin("a"): 2}) == b'{"a": 1, "a": 2}'


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_mutation_is_decided_by_its_number_and_changes_a_copy(operation: str) -> None:
    before = json.dumps(TREE)
    for number in range(30):
        mutation = Mutation("a.yaml", operation, number)
        assert repr(mutation.applied(TREE)) == repr(mutation.applied(TREE))
    assert json.dumps(TREE) == before


@pytest.mark.parametrize("operation", DAMAGES)
def test_damage_is_decided_by_its_number_whatever_the_bytes(operation: str) -> None:
    for content in (b"", b"a", b"a: 1\nb: 2\n"):
        for number in range(20):
            assert Damage("a", operation, number).applied(content) == Damage("a", operation, number).applied(content)


def test_the_bound_of_the_worked_example_is_what_its_records_say() -> None:
    (batch,) = solve(load_spec(SPECS / "worked_example.yaml")).results
    least = {row.id: least_ps(row.composed.composition, Objective.FIRST_PUBLICATION) for row in batch.ranking}
    # 11.8 ms of prefill, two steps of 4 ms, then a step of 4 and a codec of 6 ms: one after the other, or on 88/44 CTAs
    # a step beside 8 ms.
    assert least["m:P/m:B+L/m:C@serial"] == 29_800_000_000
    assert least["m:P/m:B+L/m:C@dynamic:88/44"] == 27_800_000_000
