"""What a file is by the end of its name, where its content has no signature: a name only explains what is refused anyway."""

from __future__ import annotations

from collections.abc import Mapping

from .protobuf import PERFETTO
from .remedies import RECORD, SQLITE, TRTEXEC

NSYS_REPORT = f"is a report of Nsight Systems before its export: {SQLITE}"
NCU_REPORT = "is a report of Nsight Compute before its export: run `ncu --import REPORT --csv --page raw` and import what that prints"
NVPROF = "is a profile of nvprof, which is not read: record it with nsys"
ENGINE = f"is an engine of TensorRT, not a profile of it: {TRTEXEC}"
MODEL = f"is a model, not a profile of its run: {RECORD}"
PROGRAM = f"is a program, not the profile of its run: {RECORD}"

_BINARY: Mapping[tuple[str, ...], str] = {
    (".nsys-rep", ".qdrep", ".qdstrm"): NSYS_REPORT,
    (".ncu-rep", ".nsight-cuprof-report"): NCU_REPORT,
    (".nvvp", ".nvprof"): NVPROF,
    (".engine", ".plan", ".trt"): ENGINE,
    (".onnx", ".pt", ".pth", ".safetensors", ".gguf", ".bin", ".ckpt"): MODEL,
    (".etl",): f"is an event log of Windows, which is not read: {RECORD}",
    (".perf", "perf.data"): f"is a recording of perf, which has samples of the CPU and no kernels: {RECORD}",
    (".pftrace", ".perfetto-trace"): PERFETTO,
    (".mem", ".heap"): f"is a profile of memory, not of kernels: {RECORD}",
}
_TEXT: Mapping[tuple[str, ...], str] = {
    (".py", ".pyi", ".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hip", ".sh", ".ps1", ".bat", ".ptx", ".sass", ".ipynb"): PROGRAM,
}


def binary_name_reason(name: str) -> str | None:
    """Return what a binary file of this *name* is, None where the name does not tell."""
    return _by_end(name, _BINARY)


def text_name_reason(name: str) -> str | None:
    """Return what a text of this *name* is, None where the name does not tell."""
    return _by_end(name, _TEXT)


def _by_end(name: str, reasons: Mapping[tuple[str, ...], str]) -> str | None:
    plain = name.casefold().removesuffix(".gz")
    return next((reason for ends, reason in reasons.items() if plain.endswith(ends)), None)
