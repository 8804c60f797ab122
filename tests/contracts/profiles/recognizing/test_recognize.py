"""Formats are told from content alone, and whatever is none is called by its name."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import pytest

from megasolve.contracts.profiles import Format, ProfileRefused
from megasolve.contracts.profiles.recognizing.recognize import recognize
from megasolve.contracts.profiles.text.source import HEAD_BYTES, source
from tests.support.profiles.reports import (
    DETAILS_HEADER,
    EXEC_HEADER,
    SUM_HEADER,
    TRACE_HEADER,
    exec_row,
    kernel_row,
    layer,
    metric_row,
    quoted,
    raw_page,
    sum_row,
    table,
    trt_profile,
)

KINETO = json.dumps({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "k", "ts": 1, "dur": 1}]})
FORMATS = {
    Format.NSYS_GPU_TRACE: table(TRACE_HEADER, [kernel_row()]),
    Format.NSYS_EXEC_TRACE: table(EXEC_HEADER, [exec_row()]),
    Format.NSYS_KERN_SUM: table(SUM_HEADER, [sum_row()]),
    Format.NCU_DETAILS: quoted(DETAILS_HEADER, [metric_row("Duration", "us", "1")]),
    Format.NCU_RAW: raw_page({"dram__bytes.sum": "byte"}, [["1"]]),
    Format.KINETO: KINETO,
    Format.TENSORRT_PROFILE: trt_profile([layer("conv")]),
    Format.TENSORRT_LAYERS: json.dumps({"Layers": ["conv"], "Bindings": []}),
    Format.TENSORRT_TIMES: json.dumps([{"startEnqMs": 1, "computeMs": 0.5, "latencyMs": 1}]),
}
API_HEADER = "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
PUSHPOP_HEADER = (
    "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree"
)
KERN_EXEC_SUM = "Count,QCount,PID,TID,DevId,AAvg (ns),KAvg (ns),API Name,Kernel Name"
PERFETTO = b"\x0a\x04\x08\x01\x10\x02" * 20 + b"\x0a\x02\x00\x01"


def written(folder: Path, content: bytes, name: str = "profile") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def found(folder: Path, content: bytes | str, name: str = "profile") -> Format:
    return recognize(source(written(folder, content.encode() if isinstance(content, str) else content, name)))


def reason(folder: Path, content: bytes | str, name: str = "profile") -> str:
    with pytest.raises(ProfileRefused) as caught:
        found(folder, content, name)
    assert "\n" not in str(caught.value)
    return caught.value.reason


@pytest.mark.parametrize("of", FORMATS)
@pytest.mark.parametrize("name", ["profile", "profile.sqlite", "profile.json.gz", "profile.pb"])
def test_a_format_is_recognized_under_any_name(tmp_path: Path, of: Format, name: str) -> None:
    assert found(tmp_path, FORMATS[of], name) is of
    assert found(tmp_path, gzip.compress(FORMATS[of].encode()), name) is of
    assert found(tmp_path, "\ufeff" + FORMATS[of], name) is of


def test_sqlite_is_recognized_but_not_inside_gzip(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "profile.csv")
    connection.execute("CREATE TABLE StringIds (id, value)")
    connection.commit()
    connection.close()
    assert recognize(source(tmp_path / "profile.csv")) is Format.NSYS_SQLITE
    assert "unzip it first" in reason(tmp_path, gzip.compress((tmp_path / "profile.csv").read_bytes()))


@pytest.mark.parametrize(
    "text",
    [
        '{"traceEvents": [',
        '{"deviceProperties": [{"id": 0, "name": "x"}], "with_stack": 0',
        '{"traceName": "a", "displayTimeUnit": "ms"',
        '[{"ph": "X", "cat": "kernel", "ts": 1, "dur": 2, "args": {"count": 3}}]',
        '  \n[\n{"name": "k", "args": {"Layers": 1}, "ph": "B", "ts": 1}',
        '{"baseTimeNanoseconds": 1, "traceEvents": [{"name": "void "quoted"", "ph": "X"}',
    ],
)
def test_a_trace_is_recognized_with_its_keys_in_any_order_or_as_a_bare_array_and_broken_behind(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) is Format.KINETO


def test_only_the_head_of_json_is_looked_at(tmp_path: Path) -> None:
    assert found(tmp_path, '{"schemaVersion": 1, "distributedInfo": {"ranks": [' + "1," * HEAD_BYTES) is Format.KINETO


def test_a_trace_goes_before_a_summary_in_one_output(tmp_path: Path) -> None:
    both = table(SUM_HEADER, [sum_row()]) + "\n ** CUDA GPU Trace (cuda_gpu_trace):\n\n" + table(TRACE_HEADER, [kernel_row()])
    assert found(tmp_path, both) is Format.NSYS_GPU_TRACE


def test_a_table_may_begin_behind_a_long_output_of_the_program(tmp_path: Path) -> None:
    said = "==PROF== Connected to process 1\n" + "step done\n" * 10_000
    assert found(tmp_path, said + FORMATS[Format.NCU_RAW]) is Format.NCU_DETAILS
    calls = table(API_HEADER, [sum_row(name=f"call{number}") for number in range(2000)])
    assert found(tmp_path, calls + "\n" + FORMATS[Format.NSYS_KERN_SUM]) is Format.NSYS_KERN_SUM


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", "is a Git LFS pointer, not the profile itself"),
        ('{"rocprofiler-sdk-tool": [{"metadata": {"pid": 1}}]}', "is a rocprofv3 profile"),
        ('"Kind","Agent_Id","Kernel_Name","Start_Timestamp","End_Timestamp"\n', "is a rocprof CSV"),
        ('{"Type":79,"CudaEvent":{"startNs":"1"}}\n{"Type":59,"NvtxEvent":{}}\n', "is the jsonlines export of nsys"),
        ('{"Type":127}\n{"Type":128}\n', "is the jsonlines export of nsys"),
        ('{"a":1}\n{"b":2}\n', "is JSON lines of no known tool"),
        ('[{"Start (ns)": 1, "Name": "k"}]', "is the JSON of nsys stats"),
        ('{"performance_summary": {"Throughput": 1}}', "is a metadata file of TensorRT Engine Explorer"),
        ('{"model_options": {}, "build_options": {}}', "is a metadata file of TensorRT Engine Explorer"),
        ('[{"Name": "NVIDIA TITAN RTX", "ComputeCapability": [7, 5]}]', "is a metadata file of TensorRT Engine Explorer"),
        ('{"megasolve": "records/v1"}\n{}', "is a file of megasolve, not a profile"),
        ("# a spec\nmegasolve: spec/v1\n", "is a YAML file of megasolve, not a profile"),
        ("[]", "is an empty JSON array: nothing was recorded"),
        ("[1, 2]", "is a JSON array of no known tool"),
        ('{"some": {"traceEvents": 1}}', "is JSON of no known tool: it has none of traceEvents, Layers; record"),
        ("<!DOCTYPE html>\n<html>", "is a web page, not a profile: download the file itself"),
        ("<?xml version='1.0'?>", "is XML, not a profile"),
        ("==ERROR== Option did not match any section.\n", "is a failed capture: it has only ==ERROR== lines of ncu and no table"),
        ("==PROF== Connected\n  gemm (1, 1, 1)x(2, 1, 1)\n    Section: Occupancy\n", "is text output of ncu: export it with --csv"),
        ("==7== NVPROF is profiling process 7\n", "is output of nvprof"),
        (" Time (%)  Total Time (ns)  Instances\n --------  ---------------\n", "is a table for reading from nsys stats"),
        ("SKIPPED: x.sqlite does not contain CUDA kernel data.\n", "is output of nsys stats that found no kernels"),
        (table(API_HEADER, [sum_row()]), "holds nsys's cuda_api_sum or osrt_sum report, which has no kernels; import what"),
        (f"{PUSHPOP_HEADER}\n1,2,1,0,x,1,1,0,1,,:1,x\n", "holds nsys's nvtx_pushpop_trace report, which has no kernels; import what"),
        (f"{KERN_EXEC_SUM}\n1,1,41,41,0,1\n", "holds nsys's cuda_kern_exec_sum report, which sums kernels in another way"),
        ("a,b,c\n1,2,3\n", "is text of no known tool; what is read: nsys sqlite"),
        ("| Time (%) | Total Time (ns) | Name |\n|---|---|---|\n", "is a table for reading from nsys stats"),
        ("[tool.x]\ny = 1\n", "is text of no known tool"),
        ("SQLite format 2\n", "is text of no known tool"),
        (b"\xff\xfea\0,\0b\0", "is UTF-16 text, as PowerShell writes it: save it as UTF-8"),
        (b"\xfe\xff\0a", "is UTF-16 text: save it as UTF-8"),
        (b"NVR\0\x01\x02", "is a report of Nsight Compute before its export: run `ncu --import REPORT --csv --page raw`"),
        (b"\x28\xb5\x2f\xfd\x04\0", "is packed with zstd, which is not unpacked"),
        (gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "is packed with gzip twice"),
        (b"\x1f\x8bnothing", "is damaged gzip"),
        (b"\x0a\xa1\xf0\x08\x12\x0e/host:metadata\"\0", "is an XPlane protobuf of XLA, JAX or TensorFlow"),
        (PERFETTO, "is a Perfetto protobuf trace"),
        (b"\x00\x01\x02\x03", "is a binary file of no known kind"),
    ],
)  # fmt: skip
def test_pitfall_30_what_is_no_profile_is_called_by_its_name(tmp_path: Path, content: bytes | str, said: str) -> None:
    assert reason(tmp_path, content).startswith(said)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("run.nsys-rep", "nsys export --type sqlite"),
        ("run.qdrep", "nsys export --type sqlite"),
        ("run.ncu-rep", "ncu --import REPORT --csv"),
    ],
)
def test_a_report_without_a_signature_is_explained_by_its_name(tmp_path: Path, name: str, command: str) -> None:
    assert command in reason(tmp_path, bytes(range(256)) * 4, name)
    assert found(tmp_path, KINETO, name) is Format.KINETO


def test_archives_are_named_and_not_unpacked(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("trace.json", KINETO)
    assert reason(tmp_path, packed.getvalue()) == "is a zip archive, which is not unpacked: unpack it first, or pack it with gzip"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("trace.json"), io.BytesIO())
    assert reason(tmp_path, packed.getvalue()).startswith("is a tar archive")
    assert reason(tmp_path, gzip.compress(packed.getvalue())).startswith("is a tar archive")


def test_a_gzip_of_what_is_no_profile_is_looked_into(tmp_path: Path) -> None:
    assert reason(tmp_path, gzip.compress(b'{"rocprofiler-sdk-tool": []}')).startswith("is a rocprofv3 profile")
    assert reason(tmp_path, gzip.compress(b"")) == "is empty"
