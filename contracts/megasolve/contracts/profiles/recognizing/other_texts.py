"""Text of other tools that is no table, told by words that stand in it, and why each is no profile that a plan can be made from."""

from __future__ import annotations

from itertools import islice

from .remedies import RECORD, SQLITE, TORCH_TRACE, TRTEXEC

_CPU = f"which has samples of the CPU and no kernels: {RECORD}"
_LOOKED_AT_LINES = 20

# A text is the first all of whose words stand in it.
_WORDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("# of Calls", "Self CPU"), f"is the table of torch.profiler's key_averages(), which has sums only: {TORCH_TRACE}"),
    (("# of Calls", "CUDA total"), f"is the table of torch.profiler's key_averages(), which has sums only: {TORCH_TRACE}"),
    (("# gpu", "pid", "# Idx"), f"is a log of nvidia-smi pmon, which has loads of the GPU and no kernels: {RECORD}"),
    (("#HH:MM:SS", "gpu"), f"is a log of nvidia-smi dmon, which has loads of the GPU and no kernels: {RECORD}"),
    (("# gpu", "# Idx"), f"is a log of nvidia-smi dmon, which has loads of the GPU and no kernels: {RECORD}"),
    (("NVIDIA-SMI", "Driver Version"), f"is the screen of nvidia-smi, which has loads of the GPU and no kernels: {RECORD}"),
    (("NVSMI LOG",), f"is a log of nvidia-smi, which has loads of the GPU and no kernels: {RECORD}"),
    (("ROCm System Management Interface",), f"is the screen of rocm-smi, which has loads of the GPU and no kernels: {RECORD}"),
    (("GR3D_FREQ",), f"is a log of tegrastats, which has loads of the GPU and no kernels: {RECORD}"),
    (("#Entity", "GPU 0"), f"is a log of dcgmi dmon, which has counters of the GPU and no kernels: {RECORD}"),
    (("# HELP ", "# TYPE "), f"is metrics of a server (Prometheus), which have no kernels: {RECORD}"),
    (("&&&& RUNNING TensorRT",), f"is the log of trtexec: {TRTEXEC}"),
    (("=== Device Timing",), f"is output of Intel's unitrace or onetrace, which is not read: {RECORD}"),
    (("ncalls", "tottime", "cumtime"), f"is a table of Python's cProfile, {_CPU}"),
    (("Timer unit:", "Line #"), f"is a table of line_profiler, {_CPU}"),
    (("Flat profile:", "cumulative"), f"is a table of gprof, {_CPU}"),
    (("Overhead", "Shared Object", "Symbol"), f"is a table of perf report, {_CPU}"),
    (("Generating '", ".qdstrm"), f"is what nsys profile says while it records: {SQLITE}"),
    (("NSYS Configuration File",), f"is no recording of nsys: {SQLITE}"),
    (("Traceback (most recent call last)",), f"is the output of a program that failed: {RECORD}"),
    (("Serving Benchmark Result",), f"is the result of a serving benchmark, which has latencies and no kernels: {RECORD}"),
)
_STARTS: tuple[tuple[str, str], ...] = (
    ("version https://git-lfs", "is a Git LFS pointer, not the profile itself: run `git lfs pull`"),
    ("<!doctype html", "is a web page, not a profile: download the file itself"),
    ("<html", "is a web page, not a profile: download the file itself"),
    ("<svg", f"is an SVG image, as of a flame graph, not a profile: {RECORD}"),
    ("<?xml", "is XML, not a profile"),
    ("%pdf-", f"is a PDF, not a profile: {RECORD}"),
    ("%!ps", f"is a PostScript page, not a profile: {RECORD}"),
    ("# pprof", f"is a profile of pprof, {_CPU}"),
    ("megasolve:", "is a YAML file of megasolve, not a profile"),
    ("#!", f"is a program, not the profile of its run: {RECORD}"),
    ("from __future__", f"is a program, not the profile of its run: {RECORD}"),
    ("#include", f"is a program, not the profile of its run: {RECORD}"),
)


def start_reason(head: str) -> str | None:
    """Return what a text is that begins with *head*, None where its first words do not tell."""
    folded = head[:64].casefold()
    if folded.startswith("<?xml") and "<svg" in head[:2048]:
        folded = "<svg"
    return next((reason for start, reason in _STARTS if folded.startswith(start)), None)


def text_reason(head: str) -> str | None:
    """Return what a text is by the words in its *head*, None where it is of no known tool."""
    for words, reason in _WORDS:
        if all(word in head for word in words):
            return reason
    return f"has call stacks with counts, as py-spy, perf and flame graphs do, {_CPU}" if _is_folded(head) else None


def _is_folded(head: str) -> bool:
    """Return whether every line that is looked at is a stack and a count: ``main;run;step 12``."""
    lines = list(islice(filter(str.strip, head.splitlines()), _LOOKED_AT_LINES))
    # The last line of a head may be cut.
    return any(";" in line for line in lines) and all(line.rpartition(" ")[2].isdigit() for line in lines[: max(1, len(lines) - 1)])
