"""What Nsight Systems itself says went wrong while it recorded, by the sentences and error codes that are known.

A diagnostic may also name folders, programs and users of the machine: nothing of its text is passed on but versions, counts and codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..wording import listed
from .database import Database

_TABLE = "DIAGNOSTIC_EVENT"
_MOST_ROWS = 10_000
_LONGEST_TEXT = 2_000

_DRIVER = re.compile(r"Installed CUDA driver version \((\d{1,3}\.\d{1,3})\) is not supported by this build")
_DROPPED = re.compile(r"events dropped:\s{0,8}([1-9]\d{0,17})")
_CODE = re.compile(r"\b(?:CUPTI_ERROR|CUDA_ERROR|NVPA_STATUS|NVML_ERROR)_[A-Z0-9_]{1,60}\b|\bERR_NVGPUCTRPERM\b")
_SENTENCES = ("Not all CUDA events might have been collected", "CUDA profiling might have not been started correctly")
_NO_EVENTS = "No CUDA events collected. Does the process use CUDA?"
_ERROR = 3

_AGAIN = "record it again"
_NEWER = "record with a newer Nsight Systems"
_PERMISSION = "let the driver permit it (developer.nvidia.com/ERR_NVGPUCTRPERM), or record as root"
_REMEDIES = {
    "ERR_NVGPUCTRPERM": _PERMISSION,
    "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES": _PERMISSION,
    "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES": "let the hypervisor permit profiling of its GPU",
    "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED": "record without the other profiler that was attached",
    "CUPTI_ERROR_HARDWARE_BUSY": "record while no other profiler uses the GPU",
    "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED": "record outside of WSL",
    "CUPTI_ERROR_OUT_OF_MEMORY": "record a shorter part of the program",
}


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What the diagnostics of a recording say, in their own words where these are known, and what would help.

    *other_errors* counts those that are no known sentence and have no known code, *used_no_cuda* is that nsys saw no use of CUDA.
    """

    said: tuple[str, ...]
    remedy: str
    other_errors: int = 0
    used_no_cuda: bool = False

    @property
    def text(self) -> str:
        """All that was said, for the middle of a sentence."""
        return ", ".join(self.said)


def diagnostics(database: Database) -> Diagnostics:
    """Return what the export says of its own recording."""
    rows = database.select(_TABLE, ("severity", "text"), f"LIMIT {_MOST_ROWS}")
    texts = [(severity, text[:_LONGEST_TEXT]) for severity, text in rows if isinstance(text, str)]
    every = [text for _, text in texts]
    codes = tuple(dict.fromkeys(code for text in every for code in _CODE.findall(text)))
    drivers = tuple(dict.fromkeys(version for text in every for version in _DRIVER.findall(text)))
    return Diagnostics(
        tuple(_said(every, drivers, codes)),
        _NEWER if drivers else next((_REMEDIES[code] for code in codes if code in _REMEDIES), _NEWER if codes else _AGAIN),
        sum(severity == _ERROR and not _CODE.search(text) for severity, text in texts),
        any(text.startswith(_NO_EVENTS) for text in every),
    )


def _said(texts: list[str], drivers: tuple[str, ...], codes: tuple[str, ...]) -> Iterator[str]:
    for version in drivers[:2]:
        yield f"'Installed CUDA driver version ({version}) is not supported by this build of Nsight Systems'"
    yield from (f"'{sentence}'" for sentence in _SENTENCES if any(sentence in text for text in texts))
    if dropped := sum(int(count) for text in texts for count in _DROPPED.findall(text)):
        yield f"{dropped:,} CUPTI events dropped"
    if codes:
        yield listed(codes, 4)
