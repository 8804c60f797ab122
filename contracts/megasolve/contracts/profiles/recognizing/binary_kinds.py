"""What a file is that is no text: reports of tools before their export, archives, other profilers' formats."""

from __future__ import annotations

import re

_NSYS_REPORT = "is a report of Nsight Systems before its export: run `nsys export --type sqlite REPORT` and import what that writes"
_NCU_REPORT = "is a report of Nsight Compute before its export: run `ncu --import REPORT --csv --page raw` and import what that prints"
_NVPROF = "is a profile of nvprof, which is not read: record it with nsys"
_PACKED = "is {}, which is not unpacked: unpack it first, or pack it with gzip"

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"NVR\0", _NCU_REPORT),
    (b"PK\x03\x04", _PACKED.format("a zip archive")),
    (b"PK\x05\x06", "is an empty zip archive"),
    (b"\x28\xb5\x2f\xfd", _PACKED.format("packed with zstd")),
    (b"\xfd7zXZ\0", _PACKED.format("packed with xz")),
    (b"BZh", _PACKED.format("packed with bzip2")),
    (b"7z\xbc\xaf\x27\x1c", _PACKED.format("a 7z archive")),
    (b"\x1f\x8b", _PACKED.format("packed with gzip twice")),
    (b"\xff\xfe", "is UTF-16 text, as PowerShell writes it: save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16 text: save it as UTF-8"),
    (b"PAR1", "is a Parquet file: run `nsys export --type sqlite REPORT` and import what that writes"),
    (b"ARROW1", "is an Arrow file: run `nsys export --type sqlite REPORT` and import what that writes"),
    (b"\x89HDF", "is an HDF5 file: run `nsys export --type sqlite REPORT` and import what that writes"),
    (b"\x7fELF", "is a program or library"),
    (b"\x80\x04", "is a Python pickle, as PyTorch's memory snapshots are; import the trace of torch.profiler"),
)
# The reports of these tools have no published signature; the name only explains what is refused anyway.
_SUFFIXES: tuple[tuple[tuple[str, ...], str], ...] = (
    ((".nsys-rep", ".qdrep", ".qdstrm"), _NSYS_REPORT),
    ((".ncu-rep", ".nsight-cuprof-report"), _NCU_REPORT),
    ((".nvvp", ".nvprof"), _NVPROF),
)
_XPLANE = "is an XPlane protobuf of XLA, JAX or TensorFlow, which is not read: import a CUDA or Kineto profile"
_PERFETTO = "is a Perfetto protobuf trace, which is not read: import the Kineto JSON of torch.profiler"
_XPLANE_NAMES = (b"/host:", b"/device:", b"Task Environment")
_FIELD_1 = 0x0A
_TAR_MAGIC = slice(257, 262)
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
_SNIFFED_BYTES = 8192


def binary_reason(head: bytes, name: str) -> str | None:
    """Return why a file that begins with *head* is no profile that is read, or None where it may be text."""
    for magic, reason in _MAGIC:
        if head.startswith(magic):
            return reason
    if head[_TAR_MAGIC] == b"ustar":
        return _PACKED.format("a tar archive")
    sniffed = head[:_SNIFFED_BYTES]
    # Beside NUL, one stray control character in a text is somebody's kernel name; a file full of them is no text.
    if b"\0" not in sniffed and 10 * len(_CONTROL.findall(sniffed)) <= len(sniffed):
        return None
    return _named(name) or _protobuf(head) or "is a binary file of no known kind"


def _named(name: str) -> str | None:
    for suffixes, reason in _SUFFIXES:
        if name.casefold().endswith(suffixes):
            return reason
    return None


def _protobuf(head: bytes) -> str | None:
    """Return which trace it is, where the file begins as a list of messages in field 1."""
    if head[0] != _FIELD_1:
        return None
    if any(plane in head[:256] for plane in _XPLANE_NAMES):
        return _XPLANE
    return _PERFETTO if _messages(head) else None


def _messages(head: bytes) -> bool:
    """Return whether *head* is messages of field 1, one behind the other, as far as it reaches."""
    at = 0
    while at < len(head):
        if head[at] != _FIELD_1:
            return False
        length, at = _varint(head, at + 1)
        at += length
    return True


def _varint(head: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    for end, byte in enumerate(head[at : at + 10], at + 1):
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, end
        shift += 7
    return 0, len(head)
