"""Exports of Nsight Systems: what is read of them, exactly, and the refusal of what cannot be."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from megasolve.contracts.profiles import Format, Granularity, KernelShape, ObservedDevice, ProfileRefused, Site
from tests.support.profiles.nsys import KERNELS, PID, Export, global_id, imported, one_kernel

NS = 1000


def refusal(export: Export, folder: Path) -> str:
    """Return the one line with which *export* is refused."""
    return refusal_of(export.write(folder))


def refusal_of(path: Path) -> str:
    """Return the one line with which the file at *path* is refused."""
    with pytest.raises(ProfileRefused) as refused:
        imported(path)
    assert refused.value.path == str(path)
    assert "\n" not in str(refused.value)
    return refused.value.reason


def rewritten(path: Path, *statements: str) -> Path:
    """Return the database at *path* after the *statements*."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def test_a_kernel_is_read_with_its_times_shape_and_site(tmp_path: Path) -> None:
    export = one_kernel()
    path = export.write(tmp_path)
    execution = imported(path)
    (kernel,) = execution.kernels
    shape = KernelShape("decode<float>(float *)", (132, 1, 1), (128, 1, 1), 40, 1024, 512, 1536)
    assert (kernel.shape, kernel.site) == (shape, Site(device=0, context=1, stream=7, process=PID))
    assert (kernel.start_ps, kernel.duration_ps, kernel.row, kernel.correlation) == (1000 * NS, 2000 * NS, 1, 1)
    assert (kernel.graph, kernel.ranges, kernel.hbm_bytes) == (None, (), None)
    assert (execution.file, execution.sha256) == (str(path), hashlib.sha256(path.read_bytes()).hexdigest())
    assert (execution.format, execution.granularity) == (Format.NSYS_SQLITE, Granularity.KERNEL)
    assert execution.versions == {"schema": "3.24.14"}
    assert (execution.dropped, execution.notes) == ({}, ())


def test_times_beyond_the_digits_of_a_float_are_exact(tmp_path: Path) -> None:
    export = one_kernel()
    export.kernel("late", 1747101234567890123, 1747101234567890124)
    late = export.read(tmp_path).kernels[-1]
    assert (late.start_ps, late.duration_ps) == (1747101234567890123000, 1000)


def test_kernels_come_in_order_of_start_and_keep_the_row_that_they_stand_in(tmp_path: Path) -> None:
    export = Export()
    for start in (500, 100, 300, 100):
        export.kernel("step", start, start + 10)
    kernels = export.read(tmp_path).kernels
    assert [(kernel.start_ps, kernel.row) for kernel in kernels] == [(100 * NS, 2), (100 * NS, 4), (300 * NS, 3), (500 * NS, 1)]


def test_equal_shapes_and_sites_are_one_object(tmp_path: Path) -> None:
    export = Export()
    for start in range(0, 40, 10):
        export.kernel("step", start, start + 10, mangledName=export.string(f"_Z{start}"))
    kernels = export.read(tmp_path).kernels
    assert len({id(kernel.shape) for kernel in kernels}) == len({id(kernel.site) for kernel in kernels}) == 1


def test_copies_and_fills_are_no_kernels(tmp_path: Path) -> None:
    export = one_kernel()
    for table in ("CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"):
        export.row(table, start=4000, end=5000, deviceId=0, streamId=7, bytes=64)
    assert len(export.read(tmp_path).kernels) == 1


def test_the_demangled_name_is_preferred_and_the_short_one_is_the_last_resort(tmp_path: Path) -> None:
    export = Export()
    mangled = export.string("_Z6decodeIfEvPT_")
    export.kernel("decode<float>(float *)", 0, 1, mangledName=mangled)
    export.kernel("decode<half>(half *)", 2, 3, mangledName=mangled, demangledName=None)
    export.kernel("decode<int>(int *)", 4, 5, demangledName=None)
    names = [kernel.shape.name for kernel in export.read(tmp_path).kernels]
    assert names == ["decode<float>(float *)", "_Z6decodeIfEvPT_", "decode"]


def test_clusters_are_counted_where_there_are_any(tmp_path: Path) -> None:
    export = Export()
    export.kernel("clustered", 0, 1, clusterX=2, clusterY=2, clusterZ=1)
    export.kernel("plain", 2, 3, clusterX=0, clusterY=0, clusterZ=0)
    assert [kernel.shape.cluster_ctas for kernel in export.read(tmp_path).kernels] == [4, None]


def test_a_kernel_of_no_length_is_legal(tmp_path: Path) -> None:
    export = one_kernel()
    export.kernel("instant", 4000, 4000)
    assert export.read(tmp_path).kernels[-1].duration_ps == 0


def test_the_gpus_that_ran_kernels_are_described(tmp_path: Path) -> None:
    export = one_kernel()
    export.row("TARGET_INFO_GPU", id=0, name="NVIDIA H100", smCount=132, computeMajor=9, computeMinor=0, busLocation="0000:03:00.0")
    export.row("TARGET_INFO_GPU", id=1, name="NVIDIA T4", smCount=40, computeMajor=7, computeMinor=5)
    assert export.read(tmp_path).devices == (ObservedDevice(0, "NVIDIA H100", 132, "9.0"),)


def test_captures_are_windows_even_when_they_nest_fail_or_end_on_another_thread(tmp_path: Path) -> None:
    export = one_kernel()
    export.call("cudaStreamBeginCapture_v10000", 100, 110)
    export.call("cuStreamBeginCapture_v2", 101, 109)
    export.call("cuStreamEndCapture", 201, 209)
    export.call("cudaStreamEndCapture_v10000", 200, 210)
    export.call("cudaStreamBeginCapture_v10000", 300, 310, returned=900)
    export.call("cudaStreamBeginCapture_v10000", 400, 410, thread=1)
    export.call("cudaStreamEndCapture_v10000", 500, 510, thread=2)
    export.call("cudaStreamEndCapture_v10000", 600, 610)
    windows = export.read(tmp_path).captures
    assert [(window.start_ps, window.end_ps, window.thread) for window in windows] == [(100 * NS, 209 * NS, 1), (400 * NS, 510 * NS, 1)]


def test_a_capture_that_is_never_ended_lasts_as_long_as_the_file(tmp_path: Path) -> None:
    export = one_kernel()
    export.call("cudaStreamBeginCapture_v10000", 100, 110)
    assert [window.end_ps for window in export.read(tmp_path).captures] == [3000 * NS]


@pytest.mark.parametrize("name", ["what?.sqlite", "a#b.sqlite", "50%25 done.sqlite", "ein ä.sqlite", "no suffix"])
def test_any_name_of_a_file_is_read_and_nothing_is_left_beside_it(tmp_path: Path, name: str) -> None:
    path = one_kernel().write(tmp_path, name)
    before = path.read_bytes()
    assert len(imported(path).kernels) == 1
    assert [found.name for found in tmp_path.iterdir()] == [name]
    assert path.read_bytes() == before


def test_a_file_and_folder_without_write_permission_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    path = one_kernel().write(folder)
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        assert len(imported(path).kernels) == 1
    finally:
        folder.chmod(0o755)


def test_a_database_in_write_ahead_mode_is_read(tmp_path: Path) -> None:
    path = rewritten(one_kernel().write(tmp_path), "PRAGMA journal_mode = WAL")
    assert path.read_bytes()[18:20] == b"\2\2"
    assert len(imported(path).kernels) == 1
    assert [found.name for found in tmp_path.iterdir()] == ["run.sqlite"]


def test_rows_that_still_stand_in_a_log_beside_the_file_are_asked_for(tmp_path: Path) -> None:
    written, copied = one_kernel().write(tmp_path), tmp_path / "copy.sqlite"
    with closing(sqlite3.connect(written)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"DELETE FROM {KERNELS}")
        connection.commit()
        shutil.copy(written, copied)
        shutil.copy(f"{written}-wal", f"{copied}-wal")
    assert refusal_of(copied) == "lacks what stands in copy.sqlite-wal; run: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'"


def test_names_that_are_not_utf8_are_kept_as_far_as_they_can_be_read(tmp_path: Path) -> None:
    path = rewritten(one_kernel().write(tmp_path), "UPDATE StringIds SET value = CAST(x'6465c3' AS TEXT) WHERE value LIKE 'decode<%'")
    assert imported(path).kernels[0].shape.name == "de\N{REPLACEMENT CHARACTER}"


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n" * 20)
    assert refusal_of(path) == "is no database, or a damaged one (SQLite: file is not a database); export the report again"


def test_a_truncated_database_is_refused_with_what_is_missing(tmp_path: Path) -> None:
    path = one_kernel().write(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert refusal_of(path) == f"is truncated: {len(whole) - 100:,} of {len(whole):,} bytes are there; copy or export it again"


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = one_kernel().write(tmp_path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    assert refusal_of(path) == "is no database, or a damaged one (SQLite: database disk image is malformed); export the report again"


def test_a_damaged_schema_is_refused_in_one_line(tmp_path: Path) -> None:
    path = one_kernel().write(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE \xff\nBLE", 1))
    assert refusal_of(path) == "is no database, or a damaged one (SQLite: unreadable schema); export the report again"


@pytest.mark.parametrize(
    ("start", "end", "complaint"),
    [
        (2000, 1000, "ends at 1,000 ns, before it starts at 2,000 ns; export the report again"),
        (2000, -1, "ends at -1 ns, before it starts at 2,000 ns; export the report again"),
        (None, 1000, "start is NULL, not a whole number of nanoseconds; export the report again"),
        (1000, None, "end is NULL, not a whole number of nanoseconds; export the report again"),
        ("", 1000, "start is NULL, not a whole number of nanoseconds; export the report again"),
        ("12.5", 1000, "start is 12.5, not a whole number; export the report again"),
        ("1,234", 5000, "start is '1,234', not a whole number; export the report again"),
        ("soon", 5000, "start is 'soon', not a whole number; export the report again"),
        (b"12", 5000, "start is b'12', not a whole number; export the report again"),
        (1e18, 2e18, "end is 2e+18, not a whole number; export the report again"),
    ],
)
def test_a_time_that_cannot_be_is_refused_with_its_row(tmp_path: Path, start: object, end: object, complaint: str) -> None:
    types = {f"{KERNELS}.end": "REAL"} if isinstance(end, float) else {}
    export = Export(types)
    export.kernel("good", 0, 10)
    export.kernel("bad", start, end)
    assert refusal(export, tmp_path) == f"{KERNELS} row 2: {complaint}"


def test_whole_times_may_stand_in_columns_of_another_type(tmp_path: Path) -> None:
    export = Export({f"{KERNELS}.start": "TEXT", f"{KERNELS}.end": "REAL", f"{KERNELS}.correlationId": "TEXT", f"{KERNELS}.gridX": "TEXT"})
    export.call("cudaLaunchKernel_v7000", 900, 950, 1)
    export.kernel("decode", 1000, 3000, 1)
    (kernel,) = export.read(tmp_path).kernels
    assert (kernel.start_ps, kernel.duration_ps, kernel.correlation, kernel.shape.grid) == (1000 * NS, 2000 * NS, 1, (132, 1, 1))


def test_a_size_that_is_no_number_is_refused_with_its_row(tmp_path: Path) -> None:
    export = one_kernel()
    export.kernel("bad", 4000, 5000, registersPerThread="many")
    assert refusal(export, tmp_path) == f"{KERNELS} row 2: registersPerThread is 'many', not a whole number; export the report again"


def test_a_kernel_without_a_name_is_refused_with_its_row(tmp_path: Path) -> None:
    export = one_kernel()
    export.kernel("bad", 4000, 5000, demangledName=9999, shortName=None)
    assert refusal(export, tmp_path) == f"{KERNELS} row 2: the kernel's name is not in StringIds; export the report again, with all tables"


def test_an_export_without_kernels_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    export = Export()
    export.row("GPU_METRICS", timestamp=1, value=2)
    export.range("step", 0, 10)
    assert refusal(export, tmp_path) == (
        f"holds no kernels: table {KERNELS} is absent, there are only GPU metrics and NVTX events; "
        "record with --trace=cuda,nvtx and export all tables"
    )


def test_an_empty_table_of_kernels_is_refused(tmp_path: Path) -> None:
    path = rewritten(one_kernel().write(tmp_path), f"DELETE FROM {KERNELS}")
    assert refusal_of(path).startswith(f"holds no kernels: table {KERNELS} is empty, there are only CUDA calls;")


def test_a_database_of_another_program_is_refused_as_such(tmp_path: Path) -> None:
    path = rewritten(tmp_path / "shop.sqlite", *(f"CREATE TABLE {name} (id INTEGER)" for name in "edcba"))
    assert refusal_of(path) == "is a SQLite database, but no export of Nsight Systems: it has 5 tables of another kind"


def test_an_empty_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    assert refusal_of(path) == "is a SQLite database, but no export of Nsight Systems: it has no tables"


def test_c60_a_column_of_nulls_tells_as_much_as_a_missing_one(tmp_path: Path) -> None:
    columns = ["registersPerThread", "staticSharedMemory", "gridY", "graphNodeId", "contextId"]
    export = one_kernel()
    for column in columns:
        export.rows[KERNELS][0][column] = None
    nulls = export.write(tmp_path, "nulls.sqlite")
    for column in columns:
        del export.rows[KERNELS][0][column]
    missing = export.write(tmp_path, "missing.sqlite")
    (kernel,) = imported(nulls).kernels
    assert imported(missing).kernels == (kernel,)
    shape = kernel.shape
    assert (shape.registers, shape.grid, shape.static_shared_bytes, shape.shared_bytes) == (None, None, None, None)
    assert (shape.block, shape.dynamic_shared_bytes, kernel.site.context, kernel.graph) == ((128, 1, 1), 512, None, None)


def test_kernels_that_name_no_process_match_the_calls_of_the_only_one(tmp_path: Path) -> None:
    export = one_kernel()
    export.range("step", 800, 960)
    for kernel in export.rows[KERNELS]:
        del kernel["globalPid"]
    (kernel_read,) = export.read(tmp_path).kernels
    assert ([found.name for found in kernel_read.ranges], kernel_read.site.process) == (["step"], None)


def test_processes_behind_cuda_visible_devices_keep_their_gpus_apart(tmp_path: Path) -> None:
    export = Export()
    for process, gpu in ((10, 2), (11, 3)):
        export.kernel("step", 0, 10, process=process)
        export.row("TARGET_INFO_CUDA_DEVICE", pid=process, cudaId=0, gpuId=gpu)
        export.row("TARGET_INFO_GPU", id=gpu, cuDevice=0, name=f"GPU {gpu}")
    execution = export.read(tmp_path)
    assert [kernel.site.device for kernel in execution.kernels] == [2, 3]
    assert [device.name for device in execution.devices] == ["GPU 2", "GPU 3"]
    assert execution.notes == ("2 of 2 kernels without a launch call in the file",)


def test_processes_on_one_device_number_are_said_to_be_perhaps_on_several_gpus(tmp_path: Path) -> None:
    export = Export()
    for process in (10, 11):
        export.call("cudaLaunchKernel_v7000", 0, 1, 1, process=process)
        export.kernel("step", 0, 10, 1, process=process)
    (note,) = export.read(tmp_path).notes
    assert note.startswith("several processes ran on device 0, which may be several GPUs:")


def test_a_newer_schema_is_read_and_said(tmp_path: Path) -> None:
    export = one_kernel()
    export.rows["META_DATA_EXPORT"] = [{"name": "EXPORT_SCHEMA_VERSION", "value": "4.0.1"}]
    (note,) = export.read(tmp_path).notes
    assert note.startswith("the export has schema 4.0.1, newer than the ones known")


def test_the_process_and_thread_are_cut_out_of_the_global_number(tmp_path: Path) -> None:
    export = one_kernel()
    export.row("PROFILER_OVERHEAD", start=1, end=2, globalTid=global_id(0xABCDEF, 0x123456), nameId=export.string("CUPTI Buffer flush"))
    (overhead,) = export.read(tmp_path).overheads
    assert (overhead.process, overhead.thread) == (0xABCDEF, 0x123456)
