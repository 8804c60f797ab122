"""What a candidate must have evidence for: groups, budgets, phases, shapes and how often they occur."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import Study
from megasolve.simulate import Objective
from megasolve.solver import ImpossibleObjective, Judge, Need, Question, candidates, explain, solve
from megasolve.solver.select.result import Ranked
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

FOUR = [group("P", "admission"), group("B", "producer"), group("L", "producer", calls=8), group("C", "consumer", calls=2)]
PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}
STREAM: Fields = {"delay": 5, "first_chunk": 2, "lookahead": 1}
BUDGETS = (132, 88, 44)
FIRST = Objective.FIRST_PUBLICATION


def asked(stream: Fields = STREAM, groups: list[Fields] | None = None) -> Study:
    entries = [("P",), ("P", "B", "L"), ("B", "L"), ("B", "L", "C"), ("P", "B", "L", "C"), ("C",)]
    contracts = [megakernel(*members, budgets=BUDGETS, loops_on_device="B" in members) for members in entries]
    return study(spec(groups or FOUR, stream=stream, budget_pairs=[PAIR]), contracts, [])


def needs(name: str, objective: Objective = FIRST, stream: Fields = STREAM) -> list[tuple[str, str, int, int]]:
    whole = asked(stream)
    judge = Judge(whole, Question(whole.spec.value, 1, objective))
    candidate = next(one for one in candidates(whole.spec.value) if str(one) == name)
    (variant,) = judge.variants(candidate)
    return [told(need) for choice in variant for need in judge.needs(choice, candidate.policy)]


def told(need: Need) -> tuple[str, str, int, int]:
    return need.group.name, need.phase.value, need.budget_ctas, need.runs


def test_serial_runs_everything_on_the_largest_budget() -> None:
    assert needs("m:P/m:B+L/m:C@serial") == [("P", "whole", 132, 1), ("B", "whole", 132, 8), ("L", "whole", 132, 8), ("C", "whole", 132, 1)]


def test_a_fixed_split_runs_separate_admission_on_the_whole_device() -> None:
    expected = [("P", "whole", 132, 1), ("B", "split", 88, 8), ("L", "split", 88, 8), ("C", "split", 44, 1)]
    assert needs("m:P/m:B+L/m:C@fixed:88/44") == expected


def test_admission_in_a_separate_producer_launch_runs_on_its_side_and_in_a_shared_one_on_all_of_it() -> None:
    assert needs("m:P+B+L/m:C@fixed:88/44")[0] == ("P", "split", 88, 1)
    assert needs("m:P+B+L+C@fixed:88/44")[0] == ("P", "split", 132, 1)


def test_a_dynamic_split_runs_the_producers_on_both_budgets() -> None:
    assert needs("m:P/m:B+L/m:C@dynamic:88/44")[1:] == [
        ("B", "whole", 132, 7),
        ("B", "split", 88, 1),
        ("L", "whole", 132, 7),
        ("L", "split", 88, 1),
        ("C", "split", 44, 1),
    ]


def test_without_a_tail_a_dynamic_split_needs_no_producer_on_its_side() -> None:
    found = needs("m:P/m:B+L/m:C@dynamic:88/44", stream={"delay": 5, "first_chunk": 2})
    assert [need for need in found if need[1] == "split"] == [("C", "split", 44, 1)]


def test_what_the_consumer_needs_to_its_right_moves_r_but_not_h() -> None:
    question = Question(asked({**STREAM, "lookahead": 3, "right_context": 2}).spec.value, 1, FIRST)
    assert (question.ready_step, question.horizon_step) == (9, 10)


def test_a_steady_cycle_has_the_steps_of_a_later_chunk() -> None:
    whole = asked({**STREAM, "next_chunk": 6, "interleave": {"steps": 3, "frames": 2}})
    assert Question(whole.spec.value, 1, Objective.CHUNK_INTERVAL).cycle_steps == 9
    assert Question(asked().spec.value, 1, Objective.PRODUCER_STEP).cycle_steps == 2


def test_a_windowed_consumer_decodes_its_context_again_but_has_none_at_the_start() -> None:
    windowed = group("C", "consumer", left_context_frames=25)
    whole = asked({"first_chunk": 2, "next_chunk": 25}, [*FOUR[:3], windowed])
    codec = whole.spec.value.groups[3]
    assert Question(whole.spec.value, 1, FIRST).shapes_of(codec) == {"frames": 2}
    assert Question(whole.spec.value, 1, Objective.CHUNK_INTERVAL).shapes_of(codec) == {"frames": 50}


def single(role: str, **fields: Any) -> Study:
    kernel = conventional("D")
    return study(spec([group("D", role)], **fields), [kernel], [record(kernel, "D", 7)])


def test_a_model_of_one_admission_group_is_planned() -> None:
    (row,) = solve(single("admission", publication={"group": "D"})).results[0].ranking
    assert (row.id, row.score_ps) == ("c:D@serial", 7_000_000)


@pytest.mark.parametrize(
    ("role", "publication", "objective"),
    [("admission", {"group": "D"}, Objective.PRODUCER_STEP), ("producer", {"group": "D", "step": 1}, Objective.CHUNK_INTERVAL)],
)
def test_an_objective_that_times_nothing_in_the_spec_is_an_error(role: str, publication: Fields, objective: Objective) -> None:
    with pytest.raises(ImpossibleObjective, match=objective.value):
        solve(single(role, publication=publication), objective=objective)
    with pytest.raises(ImpossibleObjective):
        explain(single(role, publication=publication), "c:D@serial", objective=objective)


def test_evidence_that_is_not_spent_is_not_used() -> None:
    prefill, step = conventional("P"), conventional("B")
    groups = [group("P", "admission"), group("B", "producer")]
    known = [record(prefill, "P", 40), record(step, "B", 10, accuracy=0.02)]
    whole = study(spec(groups, publication={"group": "P"}), [prefill, step], known)

    def best(objective: Objective) -> Ranked:
        return solve(whole, objective=objective).results[0].ranking[0]

    token, steady = best(FIRST), best(Objective.PRODUCER_STEP)
    assert [usage.need.group.name for usage in token.composed.usages] == ["P"]
    assert token.accuracy is None
    assert [usage.need.group.name for usage in steady.composed.usages] == ["B"]
    assert steady.accuracy is not None
    assert float(steady.accuracy) == pytest.approx(0.02)
    assert not steady.accuracy_is_partial
