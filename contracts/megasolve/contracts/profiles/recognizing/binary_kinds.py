"""What a file is that is no text: reports of tools before their export, archives, models, pictures, other profilers' formats."""

from __future__ import annotations

import re

from .names import ENGINE, MODEL, NCU_REPORT, binary_name_reason
from .protobuf import protobuf_reason
from .remedies import RECORD, SQLITE, TORCH_TRACE

_PACKED = "is {}, which is not unpacked: unpack it first, or pack it with gzip"
_PICTURE = f"is {{}}, not a profile: {RECORD}"
_TABLE = f"is {{}} file: {SQLITE}"
_CPROFILE = f"is a profile of Python's cProfile, which has calls on the CPU and no kernels: {RECORD}"
_PICKLE = "is a Python pickle, as PyTorch's memory snapshots are; import the trace of torch.profiler"

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"NVR\0", NCU_REPORT),
    (b"PK\x03\x04", _PACKED.format("a zip archive")),
    (b"PK\x05\x06", "is an empty zip archive"),
    (b"\x28\xb5\x2f\xfd", _PACKED.format("packed with zstd")),
    (b"\xfd7zXZ\0", _PACKED.format("packed with xz")),
    (b"BZh", _PACKED.format("packed with bzip2")),
    (b"7z\xbc\xaf\x27\x1c", _PACKED.format("a 7z archive")),
    (b"Rar!\x1a\x07", _PACKED.format("a rar archive")),
    (b"\x04\x22\x4d\x18", _PACKED.format("packed with lz4")),
    (b"\x1f\x8b", _PACKED.format("packed with gzip twice")),
    (b"\x1f\x9d", _PACKED.format("packed with compress")),
    (b"\xff\xfe\0\0", "is UTF-32 text: save it as UTF-8"),
    (b"\0\0\xfe\xff", "is UTF-32 text: save it as UTF-8"),
    (b"\xff\xfe", "is UTF-16 text, as PowerShell writes it: save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16 text: save it as UTF-8"),
    (b"PAR1", _TABLE.format("a Parquet")),
    (b"ARROW1", _TABLE.format("an Arrow")),
    (b"FEA1", _TABLE.format("a Feather")),
    (b"\x89HDF", _TABLE.format("an HDF5")),
    (b"\x7fELF", "is a program or library"),
    (b"MZ", "is a program or library of Windows"),
    (b"\xcf\xfa\xed\xfe", "is a program or library of macOS"),
    (b"ftrt", ENGINE),
    (b"ptrt", ENGINE),
    (b"GGUF", MODEL),
    (b"\x93NUMPY", f"is an array of NumPy, not a profile: {RECORD}"),
    (b"\x89PNG", _PICTURE.format("a picture (PNG)")),
    (b"\xff\xd8\xff", _PICTURE.format("a picture (JPEG)")),
    (b"GIF8", _PICTURE.format("a picture (GIF)")),
    (b"%PDF-", _PICTURE.format("a PDF")),
    (b"\xd0\xcf\x11\xe0", _PICTURE.format("a document of Microsoft Office")),
    (b"PERFILE2", f"is a recording of perf, which has samples of the CPU and no kernels: {RECORD}"),
    (b"\x80\x02", _PICKLE),
    (b"\x80\x03", _PICKLE),
    (b"\x80\x04", _PICKLE),
    (b"\x80\x05", _PICKLE),
)
# A zip tells by its first entries what it is beside an archive.
_ZIPPED: tuple[tuple[bytes, str], ...] = (
    (b"[Content_Types].xml", f"is a workbook or document of Microsoft Office, as TraceLens writes them, not a profile: {RECORD}"),
    (b"data.pkl", MODEL),
    (b".npy", f"is arrays of NumPy, not a profile: {RECORD}"),
)
_TENSORBOARD = b"brain.Event:"
_TAR_MAGIC = slice(257, 262)
_LONGEST_HEADER = 2**27
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
_SNIFFED_BYTES = 8192


def binary_reason(head: bytes, name: str) -> str | None:
    """Return why a file that begins with *head* is no profile that is read, or None where it may be text."""
    for magic, reason in _MAGIC:
        if head.startswith(magic):
            return _zipped(head) or reason
    if head[_TAR_MAGIC] == b"ustar":
        return _PACKED.format("a tar archive")
    sniffed = head[:_SNIFFED_BYTES]
    # Beside NUL, one stray control character in a text is somebody's kernel name; a file full of them is no text.
    if b"\0" not in sniffed and 10 * len(_CONTROL.findall(sniffed)) <= len(sniffed):
        return None
    return _inside(head) or binary_name_reason(name) or protobuf_reason(head) or "is a binary file of no known kind"


def _zipped(head: bytes) -> str | None:
    return next((reason for entry, reason in _ZIPPED if head.startswith(b"PK") and entry in head), None)


def _inside(head: bytes) -> str | None:
    """Return what a binary file is by what stands behind its first bytes."""
    if head[0] in b"\xfb\x7b" and b"<" in head[:64] and head[1:2] in b"\xa9\x29\x28\xa8":
        return _CPROFILE
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < _LONGEST_HEADER:
        return MODEL
    if _TENSORBOARD in head[:64]:
        return f"is an event file of TensorBoard: {TORCH_TRACE}"
    if len(head) > 3 and (not any(head[1:64:2]) or not any(head[0:64:2])):
        return "is UTF-16 text without its mark: save it as UTF-8"
    return None
