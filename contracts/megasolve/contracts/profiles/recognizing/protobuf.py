"""Which protobuf a binary file begins as: traces are lists of messages in field 1, models begin with a version."""

from __future__ import annotations

from .remedies import RECORD

XPLANE = "is an XPlane protobuf of XLA, JAX or TensorFlow, which is not read: import a CUDA or Kineto profile"
PERFETTO = "is a Perfetto protobuf trace, which is not read: import the Kineto JSON of torch.profiler"
ONNX = f"is a model in ONNX, not a profile of its run: {RECORD}"
PPROF = f"is a profile of pprof, which has samples of the CPU and no kernels: {RECORD}"

_XPLANE_NAMES = (b"/host:", b"/device:", b"Task Environment")
_FIELD_1 = 0x0A
_ONNX_VERSION, _ONNX_PRODUCER = 0x08, (0x12, 0x3A)
_NEWEST_ONNX = 0x40
# pprof begins with the type and the unit of its samples, as two numbers of texts.
_PPROF_TYPE = b"\x04\x08"


def protobuf_reason(head: bytes) -> str | None:
    """Return which protobuf *head* begins, None where it is none that is known."""
    if head[0] == _ONNX_VERSION and head[1:2] < bytes([_NEWEST_ONNX]) and head[2:3] and head[2] in _ONNX_PRODUCER:
        return ONNX
    if head[0] != _FIELD_1:
        return None
    if any(plane in head[:256] for plane in _XPLANE_NAMES):
        return XPLANE
    if head[1:3] == _PPROF_TYPE and b"samples" in head:
        return PPROF
    return PERFETTO if _messages(head) else None


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
