"""Many studies: every answer in its place, whatever becomes of the others, and what is finished is not done again."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from megasolve.contracts import Stamp
from megasolve.report import solved_line
from megasolve.solver import AskedStudies, ProcessPool, Result, Stage, Store, StudyAnswer, solve_studies
from megasolve.solver.optimize.studies import solving
from megasolve.solver.optimize.studies.asked import Written
from megasolve.solver.pool import crew, pool
from tests.support.disk.files import write
from tests.support.disk.many_specs import BATCHES, write_many
from tests.support.profiles.kineto_traces import kernel, trace_text
from tests.support.profiles.step_traces import GPU

ASKED = AskedStudies(batches=(1, 7))
PLANNED: list[tuple[str, int]] = []


@pytest.fixture
def specs(tmp_path: Path) -> list[str]:
    return write_many(tmp_path / "specs", 3)


def answers(
    files: list[str],
    asked: AskedStudies = ASKED,
    *,
    written: Written = solved_line,
    jobs: int = 1,
    store: Store | None = None,
    resume: bool = False,
) -> list[StudyAnswer]:
    found: list[StudyAnswer] = []
    with ProcessPool(jobs) as executor:
        solve_studies(files, asked, found.append, written=written, executor=executor, store=store, resume=resume)
    return found


def places(found: list[StudyAnswer]) -> list[tuple[str, int | None]]:
    return [(Path(one.file).stem, one.batch) for one in found]


def counted_line(result: Result, stamp: Stamp) -> str:
    PLANNED.append((result.spec, result.results[0].batch))
    return solved_line(result, stamp)


def failing_line(result: Result, stamp: Stamp) -> str:
    if result.spec == "step2":
        raise KeyError("no such shelf")
    return solved_line(result, stamp)


def killing_line(result: Result, stamp: Stamp) -> str:
    if result.spec == "step2" and multiprocessing.parent_process():
        os.kill(os.getpid(), 9)
    return solved_line(result, stamp)


def test_there_is_an_answer_for_every_spec_and_batch_in_the_order_asked(specs: list[str]) -> None:
    found = answers([specs[2], specs[0], specs[2]])
    assert places(found) == [("step03", 1), ("step03", 7), ("step01", 1), ("step01", 7), ("step03", 1), ("step03", 7)]
    assert found[0] == found[4]
    lines = [json.loads(one.line) for one in found]
    assert [(line["spec"], [batch["batch"] for batch in line["results"]]) for line in lines[:3]] == [
        ("step3", [1]),
        ("step3", [7]),
        ("step1", [1]),
    ]
    assert [line["results"][0]["best"] for line in lines[:3]] == [["c:S@serial"], ["m:S@serial"], ["c:S@serial"]]
    assert places(answers([specs[0]], AskedStudies())) == [("step01", batch) for batch in BATCHES]


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_an_answer_is_the_same_whatever_else_is_asked_and_however_many_work(
    start_method: str, specs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "start_method", lambda: start_method)
    monkeypatch.setattr(pool, "SECONDS_TO_START", {"fork": 0, "spawn": 0})
    monkeypatch.setattr(solving, "OPEN_AT_ONCE", 2)
    together = answers(specs, jobs=2)
    assert together == [one for spec in specs for one in answers([spec])]
    assert answers([specs[1]], AskedStudies(batches=(7,))) == together[3:4]


def test_what_goes_wrong_with_one_is_its_answer_and_the_others_go_on(specs: list[str], tmp_path: Path) -> None:
    broken = tmp_path / "specs" / "broken.yaml"
    broken.write_text(Path(specs[0]).read_text().replace("precision: bf16", "precision: 16"))
    found = answers([str(tmp_path / "none.yaml"), specs[0], str(broken), specs[1]])
    assert places(found) == [("none", None), ("step01", 1), ("step01", 7), ("broken", None), ("step02", 1), ("step02", 7)]
    missing, faulty = found[0].failure, found[3].failure
    assert missing is not None
    assert (missing.because, missing.is_fault) == (f"{tmp_path / 'none.yaml'}: no such file", False)
    assert faulty is not None
    assert faulty.because.startswith(f"{broken}: cannot be used: {broken}:4:12: SCH-")
    assert "\n" not in faulty.because
    assert [finding.path for finding in faulty.findings] == ["$.precision"]
    assert all(one.failure is None and one.is_feasible for one in (*found[1:3], *found[4:]))


def test_a_profile_among_the_specs_is_named_as_what_it_is(specs: list[str], tmp_path: Path) -> None:
    trace = str(write(tmp_path, "trace.json", trace_text(kernel("step", 0, 10), deviceProperties=[GPU])))
    profile, *others = answers([trace, specs[0]])
    assert profile.failure is not None
    assert profile.failure.because.startswith(f"{trace} is a ")
    assert profile.failure.because.endswith(f", no spec; megasolve new SPEC --from {trace} makes one of it")
    assert all(one.failure is None for one in others)


@pytest.mark.parametrize(
    ("asked", "because"),
    [
        (AskedStudies(batches=(11,)), "batch 11"),
        (AskedStudies(settings=("records[group=X].duration_us=1",)), "--set 'records[group=X].duration_us'"),
        (AskedStudies(batches=(1,), objectives=("chunk_interval",)), "chunk_interval"),
        (AskedStudies(batches=(1,), where=("megakernels<0.5",)), "megakernels<0.5"),
        (AskedStudies(device="nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_asked_of_a_spec_is_its_answer(specs: list[str], asked: AskedStudies, because: str) -> None:
    for one, spec in zip(answers(specs, asked), specs, strict=True):
        assert one.failure is not None
        assert because in one.failure.because
        assert one.failure.because.startswith(spec)
        assert (one.file, one.failure.is_fault) == (spec, False)


def test_a_fault_of_megasolve_is_the_answer_of_the_study_that_meets_it(specs: list[str]) -> None:
    found = answers(specs, written=failing_line)
    assert [one.failure is None for one in found] == [True, True, False, False, True, True]
    assert found[2].failure is not None
    assert found[2].failure.because == f"{specs[1]}: internal error, please report it (KeyError: 'no such shelf')"
    assert found[2].failure.is_fault


def test_a_study_that_takes_two_processes_along_fails_alone(specs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SECONDS_TO_START", {"fork": 0, "spawn": 0})
    found = answers(specs, written=killing_line, jobs=2)
    assert [one.failure is None for one in found] == [True, True, False, False, True, True]
    assert found[3].failure is not None
    fate = "a process that worked beside this one was killed by SIGKILL, as did one before it at the same task"
    assert (found[3].failure.because, found[3].failure.is_fault) == (f"{specs[1]}: {fate}", True)


def test_only_what_was_not_finished_is_done(specs: list[str], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = answers(specs[:2], AskedStudies(batches=(1,)), store=store)
    PLANNED.clear()
    again = answers(specs, written=counted_line, store=store, resume=True)
    assert PLANNED == [("step1", 7), ("step2", 7), ("step3", 1), ("step3", 7)]
    assert [one.is_stored for one in again] == [True, False, True, False, False, False]
    assert [one.line for one in again] == [one.line for one in answers(specs)]
    assert [one.line for one in first] == [again[0].line, again[2].line]


def test_without_resume_everything_is_done_and_kept_anew(specs: list[str], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    answers(specs, store=store)
    PLANNED.clear()
    assert not any(one.is_stored for one in answers(specs, written=counted_line, store=store))
    assert len(PLANNED) == 6


@pytest.mark.parametrize(
    "other",
    [
        AskedStudies(batches=(1,), where=("megakernels<=0",)),
        AskedStudies(batches=(1,), ablation="additive"),
        AskedStudies(batches=(1,), settings=("records[group=S,batch=1,backend=megakernel].duration_us=31",)),
        AskedStudies(batches=(1,), top=3),
        AskedStudies(batches=(1,), options={"shown": True}),
    ],
)
def test_a_result_of_another_question_is_not_taken(specs: list[str], tmp_path: Path, other: AskedStudies) -> None:
    store = Store(tmp_path / "store")
    answers(specs[:1], AskedStudies(batches=(1,)), store=store)
    (found,) = answers(specs[:1], other, store=store, resume=True)
    assert not found.is_stored


@pytest.mark.parametrize("file", ["step01.yaml", "records.yaml", "contracts/fused.yaml", "h100.yaml"])
def test_a_result_of_other_files_is_not_taken(specs: list[str], tmp_path: Path, file: str) -> None:
    store = Store(tmp_path / "store")
    answers(specs[:1], store=store)
    changed = tmp_path / "specs" / file
    changed.write_text(f"{changed.read_text()}\n# measured again\n")
    assert not any(one.is_stored for one in answers(specs[:1], store=store, resume=True))


def test_failures_are_not_kept(specs: list[str], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    answers(specs, written=failing_line, store=store)
    assert [one.failure is None for one in answers(specs, store=store, resume=True)] == [True] * 6


def test_whoever_watches_sees_how_many_answers_are_left(specs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "OPEN_AT_ONCE", 2)
    seen: list[Stage] = []
    solve_studies(specs, ASKED, lambda _: None, written=solved_line, watch=seen.append)
    assert [(stage.done, stage.of) for stage in seen] == [(0, 3), (0, 5), (1, 5), (2, 5), (3, 5), (4, 5), (4, 6), (5, 6), (6, 6)]
