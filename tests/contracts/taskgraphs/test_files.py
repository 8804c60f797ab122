"""Files of MPK beside each other: told by content, and refused where they do not belong together."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused, format_of, read_profile
from megasolve.contracts.taskgraphs import are_task_files, notes_of, read_task_files
from tests.support.profiles.samples import sample
from tests.support.profiles.task_graphs import (
    ATTENTION,
    LINEAR,
    MEANS_US,
    graph_text,
    layered,
    sample_graph,
    sample_mean_times,
    sample_steps,
    sample_times,
    times_text,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a graph, its times and its steps under names that tell nothing."""
    for name, text in {"a.txt": sample_graph(), "b.json": sample_times(), "c": sample_steps()}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def named(folder: Path, *names: str) -> list[str]:
    return [str(folder / name) for name in names]


def test_files_are_told_by_their_content(folder: Path) -> None:
    files = read_task_files(named(folder, "c", "b.json", "a.txt"))
    assert [len(part) for part in (files.graphs, files.tables, files.steps)] == [1, 1, 1]
    assert all(are_task_files(named(folder, name)) for name in ("a.txt", "b.json", "c"))


def test_a_profile_and_a_missing_file_are_none_of_them(folder: Path) -> None:
    profile = str(sample("kineto", "hf_qwen1.5-0.5b_h100.json.gz"))
    assert not are_task_files([profile, str(folder / "missing")])
    with pytest.raises(ProfileRefused, match="is no file of MPK, as others here are"):
        read_task_files([*named(folder, "a.txt"), profile])
    (folder / "empty").write_text("\n")
    with pytest.raises(ProfileRefused, match="empty: is empty"):
        read_task_files(named(folder, "a.txt", "empty"))


@pytest.mark.parametrize("name", ["a.txt", "b.json", "c"])
def test_what_reads_profiles_says_what_such_a_file_is(folder: Path, name: str) -> None:
    assert format_of(folder / name) is None
    with pytest.raises(ProfileRefused, match="of MPK, not a profile: megasolve new"):
        read_profile(folder / name)


def test_the_batch_is_that_of_the_columns_that_fit_the_graph(folder: Path) -> None:
    timed = read_task_files(named(folder, "a.txt", "b.json")).timed(None)
    assert timed.batch == 1
    assert timed.times_ps[LINEAR] == 12_500_000


def test_a_mean_number_of_tasks_is_shown_with_what_is_left_of_a_whole_one(folder: Path) -> None:
    (folder / "means").write_text(sample_mean_times())
    with pytest.raises(ProfileRefused, match=r"at batch 1: 67\.9 tasks of linear there, 68 here"):
        read_task_files(named(folder, "a.txt", "means")).timed(1)


def test_columns_of_another_batch_are_of_another_graph(folder: Path) -> None:
    with pytest.raises(ProfileRefused, match=r"is of another task graph than .* at batch 4: 48 tasks of attention there, 12 here"):
        read_task_files(named(folder, "a.txt", "b.json")).timed(4)
    with pytest.raises(ProfileRefused, match="has no columns of batch 8; it has those of 1, 4"):
        read_task_files(named(folder, "a.txt", "b.json")).timed(8)


def test_times_of_another_number_of_workers_do_not_go_together(folder: Path) -> None:
    (folder / "d").write_text(sample_times(workers=16))
    with pytest.raises(ProfileRefused, match=r"is of 16 workers, .* of 8: times of one do not hold for the other"):
        read_task_files(named(folder, "b.json", "d"))


def test_columns_that_mix_batches_are_noted_and_refused_alone(folder: Path) -> None:
    live = {1: Decimal(1), 4: Decimal("0.25")}
    (folder / "four").write_text(graph_text(layered(6, batch=4).tasks))
    (folder / "mixed").write_text(sample_times(live=live))
    files = read_task_files(named(folder, "a.txt", "mixed"))
    (note,) = notes_of(files)[files.tables[0].file]
    assert note.startswith("the columns named batch 4 are of steps in which about 1 request ran: 12 of 48 tasks of attention")
    assert files.timed(None).batch == 1
    assert note in files.timed(1).notes
    with pytest.raises(ProfileRefused, match=r"named batch 4 .* no time of them is used"):
        read_task_files(named(folder, "four", "mixed")).timed(4)
    with pytest.raises(ProfileRefused, match="those that fit mix batches: say --batch N"):
        read_task_files(named(folder, "four", "mixed")).timed(None)


def test_tasks_without_a_time_are_named_and_times_without_tasks_are_noted(folder: Path) -> None:
    counts = {kind: {1: tasks} for kind, tasks in layered(6).counts.items() if kind != ATTENTION}
    (folder / "less").write_text(times_text(counts, MEANS_US))
    (folder / "more").write_text(sample_times() + f"777,TASK_X,x,{','.join(['1.0,5.0,0.62,5.00,1.0,5.0,1.0'] * 2)}\n")
    with pytest.raises(ProfileRefused, match=r"has no time at batch 1 for tasks of .*: attention \(257\)"):
        read_task_files(named(folder, "a.txt", "less")).timed(1)
    assert (
        "times of tasks that the graph does not have are not used: TASK_X (777)"
        in read_task_files(named(folder, "a.txt", "more")).timed(1).notes
    )


def test_one_graph_and_one_table_make_a_study_and_nothing_else_does(folder: Path) -> None:
    for names in (["a.txt"], ["b.json"], ["c"]):
        with pytest.raises(ProfileRefused, match="a study is made from one task graph and its table of times"):
            read_task_files(named(folder, *names)).timed(1)
