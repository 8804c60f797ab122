"""What Nsight Compute itself says of its failure, by the sentences and codes that are known; no other word of its lines is passed on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

ERROR_LINE = "==ERROR=="
_LONGEST_LINE = 2_000
_MOST_LINES = 10_000

_PERMISSION = (
    "'the user does not have permission to access NVIDIA GPU Performance Counters' (ERR_NVGPUCTRPERM): run ncu as root, or let the driver"
    " permit it (NVreg_RestrictProfilingToAdminUsers=0, developer.nvidia.com/ERR_NVGPUCTRPERM)"
)
# The most telling first: one failure draws others behind it.
_KNOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"ERR_NVGPUCTRPERM|permission to access NVIDIA GPU Performance Counters"), _PERMISSION),
    (re.compile(r"LibraryNotLoaded"), "'LibraryNotLoaded', no driver library fits it: use an ncu that is as new as the driver"),
    (re.compile(r"driver resource was unavailable"), "'a driver resource was unavailable': stop DCGM or any other profiler beside it"),
    (
        re.compile(r"[Pp]rofiling is not supported on (?:this )?device"),
        "'profiling is not supported on device': no ncu of this version knows the GPU",
    ),
    (
        re.compile(r"driver (?:is|was) not (?:compatible|supported)"),
        "the driver is not compatible with it: use an ncu that is as new as the driver",
    ),
    (re.compile(r"out of memory", re.IGNORECASE), "'out of memory': leave free what --replay-mode kernel saves of the GPU's memory"),
    (re.compile(r"did not match any section"), "'option did not match any section': ncu --list-sections shows their names"),
    (
        re.compile(r"Failed to (?:find|access)\b[^\n]{0,60}\bmetrics?\b"),
        "a metric that was asked for is not on this GPU: ncu --query-metrics shows those that are",
    ),
    (re.compile(r"lock file"), "its lock file belongs to another user: set TMPDIR, or remove it"),
    (re.compile(r"does not exist or is not an executable"), "the program to profile 'does not exist or is not an executable'"),
    (
        re.compile(r"Failed to (?:profile|prepare) (?:kernel|\")"),
        "a kernel could not be profiled: profile fewer metrics at once, or that kernel alone",
    ),
    (
        re.compile(r"No kernels were profiled"),
        "'no kernels were profiled': no launch matched its filters, or a child process launches them (--target-processes all)",
    ),
    (re.compile(r"The application returned an error code"), "'the application returned an error code': mend the program first"),
    (
        re.compile(r"before first instrumented API call"),
        "the program ended 'before first instrumented API call': it uses no CUDA, or in a child process",
    ),
)


@dataclass(frozen=True, slots=True)
class NcuFailure:
    """Why ncu failed: the *cause* with what helps, and the *line* of its first error; no cause where the sentence is not known."""

    cause: str | None
    line: int
    has_errors: bool = True

    @property
    def text(self) -> str:
        """The cause for the end of a sentence, or where it stands."""
        return f"ncu says {self.cause}" if self.cause is not None else f"why stands on line {self.line}; mend that and run ncu again"

    @property
    def reason(self) -> str:
        """Why a file is refused that has the failure and no table."""
        lines = "only ==ERROR== lines" if self.has_errors else "only messages"
        return f"is a failed capture: it has {lines} of ncu and no table; {self.text}"


def failure_of(lines: Iterable[tuple[int, str]]) -> NcuFailure | None:
    """Return what the numbered *lines* say of a failure, None where none of them says anything."""
    said = [(number, text[:_LONGEST_LINE]) for number, text in islice(filter(lambda line: is_said(line[1]), lines), _MOST_LINES)]
    cause = next((cause for spelling, cause in _KNOWN if any(spelling.search(text) for _, text in said)), None)
    errors = [number for number, text in said if text.startswith(ERROR_LINE)]
    return NcuFailure(cause, errors[0] if errors else said[0][0], bool(errors)) if errors or cause is not None else None


def is_said(text: str) -> bool:
    """Return whether a line is an error or a warning of ncu, or what else it says of its own run."""
    return text.startswith("==")
