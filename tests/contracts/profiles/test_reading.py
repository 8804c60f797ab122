"""Reading one profile or several: the importer follows the content, and what may not be added up stays apart."""

from __future__ import annotations

import gc
import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.contracts.profiles import Format, ProfileRefused
from megasolve.contracts.profiles.reading import read_profile, read_profiles
from tests.support.profiles.reports import (
    DETAILS_HEADER,
    SUM_HEADER,
    TRACE_HEADER,
    kernel_row,
    metric_row,
    quoted,
    sum_row,
    table,
    trt_profile,
    written,
)

TRACE = table(TRACE_HEADER, [kernel_row()])
LATER_TRACE = table(TRACE_HEADER, [kernel_row(2000)])
DETAILS = quoted(DETAILS_HEADER, [metric_row("Duration", "us", "1")])


def refusal(*paths: Path) -> ProfileRefused:
    with pytest.raises(ProfileRefused) as caught:
        read_profiles(paths)
    return caught.value


def test_each_file_goes_to_the_importer_of_its_content(tmp_path: Path) -> None:
    texts = {Format.NSYS_GPU_TRACE: TRACE, Format.NCU_DETAILS: DETAILS, Format.NSYS_KERN_SUM: table(SUM_HEADER, [sum_row()])}
    for of, text in texts.items():
        assert read_profile(written(tmp_path, text, "profile.json")).format is of


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, Path("/dev/null"), tmp_path / "nul\0name"):
        with pytest.raises(ProfileRefused) as caught:
            read_profile(path)
        assert "\n" not in str(caught.value)


def test_a_number_without_its_end_inside_gzip_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(LATER_TRACE.encode())
    (tmp_path / "profile").write_bytes(packed[:-4])
    with pytest.raises(ProfileRefused, match="is truncated gzip"):
        read_profile(tmp_path / "profile")


@pytest.mark.parametrize("was_enabled", [True, False])
def test_the_collector_of_cycles_is_as_it_was_after_an_import_and_after_a_refusal(tmp_path: Path, *, was_enabled: bool) -> None:
    found = []
    (gc.enable if was_enabled else gc.disable)()
    try:
        read_profile(written(tmp_path, TRACE))
        found.append(gc.isenabled())
        refusal(written(tmp_path, TRACE[:-3], "truncated"))
        found.append(gc.isenabled())
    finally:
        gc.enable()
    assert found == [was_enabled, was_enabled]


@pytest.mark.parametrize(("name", "rank"), [("trace_rank3.csv", 3), ("a.csv", None)])
def test_pitfall_25_a_rank_comes_from_the_name_where_the_file_states_none(tmp_path: Path, name: str, rank: int | None) -> None:
    assert read_profile(written(tmp_path, TRACE, name)).rank == rank


def test_pitfall_25_the_same_rank_twice_is_refused(tmp_path: Path) -> None:
    first, again = written(tmp_path, TRACE, "rank0.csv"), written(tmp_path, LATER_TRACE, "again_rank0.csv")
    assert str(refusal(first, again)) == f"{again}: is of rank 0, as {first} is; import one recording of a rank at a time"


def test_pitfall_25_the_same_content_twice_is_refused_under_any_name(tmp_path: Path) -> None:
    first, again = written(tmp_path, TRACE, "rank0.csv"), written(tmp_path, TRACE, "rank1.csv")
    assert str(refusal(first, again)) == f"{again}: has the same content as {first}; name each profile once"


def test_pitfall_25_ranks_and_files_without_one_stay_apart(tmp_path: Path) -> None:
    paths = [written(tmp_path, TRACE, "rank0.csv"), written(tmp_path, LATER_TRACE, "rank1.csv"), written(tmp_path, DETAILS, "ncu.csv")]
    executions = read_profiles(paths)
    assert [execution.file for execution in executions] == [str(path) for path in paths]
    assert [len(execution.kernels) for execution in executions] == [1, 1, 1]


def test_counters_of_a_rank_may_stand_beside_its_timeline(tmp_path: Path) -> None:
    paths = [written(tmp_path, TRACE, "rank0.csv"), written(tmp_path, DETAILS, "rank0_ncu.csv")]
    assert [execution.rank for execution in read_profiles(paths)] == [0, 0]


def test_reading_one_format_loads_no_importer_of_another(tmp_path: Path) -> None:
    path = written(tmp_path, trt_profile([{"name": "conv", "timeMs": 1, "averageMs": 1}]))
    program = (
        "import sys\nfrom megasolve.contracts.profiles.reading import read_profile\n"
        f"read_profile({str(path)!r})\n"
        "print(*(name for name in ('sqlite3', 'ijson', 'numpy', 'ortools') if name in sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert loaded.stdout.split() == []
