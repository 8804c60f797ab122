"""Files of other tools that people pass by mistake: each is named for what it is, with what to import instead."""

from __future__ import annotations

import cProfile
import gzip
import io
import json
import lzma
import marshal
import pickle
import sqlite3
import zipfile
from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused, read_profile

KEY_AVERAGES = """\
----------------  ------------  ------------  ------------  ------------
            Name    Self CPU %      Self CPU    CUDA total    # of Calls
----------------  ------------  ------------  ------------  ------------
     aten::addmm         2.10%     120.000us       1.200ms            24
"""
DMON = "# gpu    pwr  gtemp  mtemp     sm    mem\n# Idx      W      C      C      %      %\n    0    300     60     70     95     80\n"
PMON = "# gpu         pid   type     sm    mem\n# Idx           #    C/G      %      %\n    0       1234     C     95     80\n"
FOLDED = "main;run;forward 120\nmain;run;backward (model.py:12) 80\nmain;idle 3\n"
TEXTS = {
    "key_averages.txt": (KEY_AVERAGES, "is the table of torch.profiler's key_averages()", "export_chrome_trace"),
    "dmon.txt": (DMON, "is a log of nvidia-smi dmon", "record kernels"),
    "pmon.txt": (PMON, "is a log of nvidia-smi pmon", "record kernels"),
    "dmon_times.txt": ("#HH:MM:SS    gpu     sm\n#Idx        %\n 10:00:00   0   90\n", "is a log of nvidia-smi dmon", "record kernels"),
    "smi.csv": ("timestamp, utilization.gpu [%], memory.used [MiB]\n2026, 90 %, 10 MiB\n", "is a log of nvidia-smi", "record kernels"),
    "smi.txt": ("| NVIDIA-SMI 570.86   Driver Version: 570.86   CUDA Version: 12.8 |\n", "is the screen of nvidia-smi", "record kernels"),
    "smi_q.txt": ("==============NVSMI LOG==============\n\nTimestamp : now\n", "is a log of nvidia-smi", "record kernels"),
    "dcgm.csv": ("timestamp,DCGM_FI_PROF_SM_ACTIVE\n1,0.9\n", "is a log of DCGM", "record kernels"),
    "dcgm.txt": ("#Entity   GPUTL  SMACT\nID\nGPU 0     95     0.9\n", "is a log of dcgmi dmon", "record kernels"),
    "tegrastats.txt": ("RAM 2000/7000MB GR3D_FREQ 98%\n", "is a log of tegrastats", "record kernels"),
    "metrics.txt": ("# HELP vllm:x Count\n# TYPE vllm:x counter\nvllm:x 1\n", "is metrics of a server (Prometheus)", "record kernels"),
    "hta.csv": (
        "name,sum (us),max (us),min (us),stddev,mean (us),kernel_type,rank\ngemm,1,1,1,0,1,COMPUTATION,0\n",
        "is a table of Holistic",
        "trace",
    ),
    "tracelens.csv": (
        "Parent op category,Parent cpu_op,Kernel name,Kernel duration (µs)_sum\nGEMM,aten::mm,k,1\n",
        "is a table of TraceLens",
        "trace",
    ),
    "timeline.csv": ("type,time ms,percent\nbusy_time,1.0,99\n", "is a table of TraceLens", "trace"),
    "stats.csv": ('"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"k",1,1,1,100\n', "is a rocprof CSV", "torch.profiler"),
    "results.csv": ("Index,KernelName,gpu-id,queue-id\n0,k,0,0\n", "is a rocprof CSV", "torch.profiler"),
    "nvprof.csv": ('"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n', "is output of nvprof", "record kernels"),
    "profile.txt": (
        "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n",
        "is a table of Python's cProfile",
        "record kernels",
    ),
    "flame.txt": (FOLDED, "has call stacks with counts, as py-spy", "record kernels"),
    "flame.svg": ('<?xml version="1.0"?>\n<svg width="1"></svg>\n', "is an SVG image, as of a flame graph", "record kernels"),
    "flame2.svg": ("<svg></svg>", "is an SVG image", "record kernels"),
    "trtexec.log": ("&&&& RUNNING TensorRT.trtexec [TensorRT v100300]\n", "is the log of trtexec", "--exportProfile"),
    "nsys.log": ("Generating '/tmp/nsys-report-1.qdstrm'\n[1/1] run.nsys-rep\n", "is what nsys profile says", "nsys export"),
    "train.py": ("import torch\n\nmodel = build()\n", "is a program, not the profile of its run", "record kernels"),
    "crash.log": (
        'Traceback (most recent call last):\n  File "x.py", line 1\n',
        "is the output of a program that failed",
        "record kernels",
    ),
    "events.jsonl": (
        '{"ph": "X", "cat": "kernel", "ts": 1, "dur": 2}\n{"ph": "X", "ts": 3}\n',
        "is the events of a trace, one a line",
        "jq -s",
    ),
    "event.json": ('{"ph": "X", "cat": "kernel", "ts": 1, "dur": 2}', "is the events of a trace, one a line", "jq -s"),
}
JSONS: dict[str, tuple[object, str, str]] = {
    "memory_snapshot.json": ({"segments": [{"device": 0}], "device_traces": [[]]}, "is a memory snapshot of PyTorch", "torch.profiler"),
    "proton.hatchet": (
        [{"frame": {"name": "ROOT"}, "metrics": {}, "children": []}, {"CUDA": {}}],
        "is a profile of Triton's Proton",
        "torch.profiler",
    ),
    "execution_details.json": (
        [{"file": "a.gz", "batch_size": 32, "mode": "FULL"}],
        "is the list of an engine's capture traces",
        "the trace of the run",
    ),
    "et.json": ({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": []}, "is an execution trace of PyTorch", "torch.profiler"),
    "run.cpuprofile": ({"nodes": [], "startTime": 1, "samples": [], "timeDeltas": []}, "is a profile of JavaScript", "record kernels"),
    "run.speedscope.json": ({"$schema": "x", "shared": {"frames": []}, "profiles": []}, "is a profile of speedscope", "record kernels"),
    "notebook.ipynb": ({"cells": [], "metadata": {}, "nbformat": 4}, "is a notebook", "record kernels"),
    "config.json": ({"architectures": ["Qwen3"], "model_type": "qwen3"}, "is the configuration of a model", "record kernels"),
    "model.safetensors.index.json": ({"metadata": {}, "weight_map": {}}, "is the configuration of a model", "record kernels"),
    "bench.json": ({"request_throughput": 3.0, "mean_ttft_ms": 20}, "is the result of a serving benchmark", "record kernels"),
    "gbench.json": ({"context": {}, "benchmarks": []}, "is the result of Google Benchmark", "record kernels"),
}


def refused(path: Path) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read_profile(path)
    assert "\n" not in caught.value.reason
    return caught.value.reason


def check(folder: Path, name: str, content: bytes, said: str, remedy: str) -> None:
    for path, written in ((folder / name, content), (folder / f"{name}.gz", gzip.compress(content))):
        path.write_bytes(written)
        reason = refused(path)
        assert reason.startswith(said)
        assert remedy in reason


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_another_tool_is_named(tmp_path: Path, name: str) -> None:
    text, said, remedy = TEXTS[name]
    check(tmp_path, name, text.encode(), said, remedy)


@pytest.mark.parametrize("name", JSONS)
def test_json_of_another_tool_is_named(tmp_path: Path, name: str) -> None:
    content, said, remedy = JSONS[name]
    check(tmp_path, name, json.dumps(content).encode(), said, remedy)


def packed(*entries: str) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        for entry in entries:
            zipped.writestr(entry, "x")
    return archive.getvalue()


def protobuf(*fields: bytes) -> bytes:
    return b"".join(fields)


def calls() -> bytes:
    profile = cProfile.Profile()
    profile.runcall(sum, range(3))
    profile.create_stats()
    return marshal.dumps(profile.stats)


HEADER = b'{"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
BINARIES = {
    "model.safetensors": (len(HEADER).to_bytes(8, "little") + HEADER + b"\0\0", "is a model, not a profile"),
    "model.gguf": (b"GGUF\x03\0\0\0", "is a model, not a profile"),
    "onnx_without_suffix": (b"\x08\x08\x12\x07pytorch\x1a\x032.3\x00", "is a model in ONNX"),
    "model.engine": (b"ftrt\0\0\0\0", "is an engine of TensorRT"),
    "model.plan": (b"\x01\x00\x02\x00\x05\x07\x09\x0b", "is an engine of TensorRT"),
    "model.pt": (packed("archive/data.pkl", "archive/version"), "is a model, not a profile"),
    "arrays.npz": (packed("a.npy"), "is arrays of NumPy"),
    "array.npy": (b"\x93NUMPY\x01\0", "is an array of NumPy"),
    "report.xlsx": (packed("[Content_Types].xml", "xl/workbook.xml"), "is a workbook or document of Microsoft Office, as TraceLens"),
    "traces.zip": (packed("trace.json"), "is a zip archive"),
    "snapshot.pickle": (pickle.dumps({"segments": []}, protocol=4), "is a Python pickle, as PyTorch's memory snapshots are"),
    "old.pickle": (pickle.dumps({"segments": []}, protocol=2), "is a Python pickle"),
    "run.prof": (calls(), "is a profile of Python's cProfile"),
    "events.out.tfevents.1": (b"\x18\0\0\0\0\0\0\0abcd\x09\0\0\0\0\0\0\0\x1a\x0dbrain.Event:2", "is an event file of TensorBoard"),
    "shot.png": (b"\x89PNG\r\n\x1a\n\0", "is a picture (PNG)"),
    "shot.jpg": (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "is a picture (JPEG)"),
    "paper.pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "is a PDF"),
    "table.parquet": (b"PAR1\x15\x04\0", "is a Parquet file"),
    "trace.xz": (lzma.compress(b"{}"), "is packed with xz"),
    "perf.data": (b"PERFILE2\0\0", "is a recording of perf"),
    "run.nsys-rep": (bytes(range(256)), "is a report of Nsight Systems before its export"),
    "run.ncu-rep": (b"NVR\0\1\2", "is a report of Nsight Compute before its export"),
    "utf16.json": ('{"traceEvents": []}'.encode("utf-16"), "is UTF-16 text, as PowerShell writes it"),
    "bare16.json": ('{"traceEvents": []}'.encode("utf-16-le"), "is UTF-16 text without its mark"),
    "bare16be.json": ('{"traceEvents": []}'.encode("utf-16-be"), "is UTF-16 text without its mark"),
    "utf32.json": ('{"traceEvents": []}'.encode("utf-32"), "is UTF-32 text"),
    "libcuda.so": (b"\x7fELF\2\1\1\0", "is a program or library"),
}


@pytest.mark.parametrize("name", BINARIES)
def test_what_is_no_text_is_named(tmp_path: Path, name: str) -> None:
    content, said = BINARIES[name]
    check(tmp_path, name, content, said, "")


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (["rocpd_op", "rocpd_kernelapi"], "is a database of rocprofiler (rocpd, RPD), which is not read: record the ROCm program"),
        (["CUPTI_ACTIVITY_KIND_DRIVER", "StringTable"], "is a database of nvprof or the Visual Profiler"),
        (["runs", "experiments"], "is a database of an experiment tracker"),
        (["s3cret"], "is a SQLite database, but no export of Nsight Systems: it has 1 table of another kind"),
    ],
)
def test_a_database_of_another_tool_is_named_and_no_table_of_an_unknown_one_is(tmp_path: Path, tables: list[str], said: str) -> None:
    connection = sqlite3.connect(tmp_path / "run.sqlite")
    for table in tables:
        connection.execute(f"CREATE TABLE {table} (id INTEGER)")
    connection.commit()
    connection.close()
    reason = refused(tmp_path / "run.sqlite")
    assert reason.startswith(said)
    assert "s3cret" not in reason


@pytest.mark.parametrize(
    "text",
    [
        '{"s3cret": 1}',
        '[{"s3cret": 1}]',
        '{"s3cret": 1}\n{"s3cret": 2}',
        "TOKEN=s3cret\n",
        "machine x password s3cret\n",
        "s3cret,b\n1,2\n",
    ],
)
def test_no_word_of_an_unknown_file_is_repeated(tmp_path: Path, text: str) -> None:
    (tmp_path / "unknown").write_text(text)
    assert "s3cret" not in refused(tmp_path / "unknown")


@pytest.mark.parametrize("text", ["a;b;c\n1;2;3\n", "a;b\n", "x 1\ny 2\n", ";\n"])
def test_other_lines_with_semicolons_are_no_call_stacks(tmp_path: Path, text: str) -> None:
    (tmp_path / "unknown").write_text(text)
    assert refused(tmp_path / "unknown").startswith("is text of no known tool")


def test_what_a_program_prints_before_the_table_of_its_profiler_is_passed_over(tmp_path: Path) -> None:
    table = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","1","k","Registers Per Thread","","40"\n'
    printed = "timestamp, utilization.gpu [%]\n2026, 90 %\nTraceback (most recent call last):\n" + KEY_AVERAGES
    (tmp_path / "run.csv").write_text(printed + table)
    assert read_profile(tmp_path / "run.csv").kernels[0].shape.registers == 40


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Time (%)" + " " * 60_000, "is text of no known tool"),
        ("| Start (ns) " + " " * 60_000, "is text of no known tool"),
        (" " * 60_000 + "[", "is an empty JSON array"),
        ("\n" * 60_000 + "x", "is text of no known tool"),
        ("a;" * 30_000, "is text of no known tool"),
        ("=" * 60_000, "is text of no known tool"),
    ],
)
def test_the_head_of_a_file_is_looked_at_in_one_pass(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "unknown").write_text(text)
    assert refused(tmp_path / "unknown").startswith(said)
