"""What a cubin itself says of its kernels, read without any tool of CUDA: a second source beside the log of the assembler.

The layout of `.nv.info` is not documented. An attribute is (format, kind, size) and a value; with format 4 the value has *size* bytes, and
for registers and frame it is the number of a symbol and the figure.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_FRAME, _REGISTERS = 0x11, 0x2F
_SIZED = 4


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    kind: int
    start: int
    size: int
    link: int


def registers_and_frames(image: bytes) -> Mapping[str, tuple[int, int]]:
    """Return the registers and the bytes of the stack frame of each kernel in a cubin, by symbol."""
    sections = _sections(image)
    notes = next(section for section in sections if section.name == ".nv.info")
    figures: dict[str, dict[int, int]] = {}
    for kind, value in _attributes(image[notes.start : notes.start + notes.size]):
        if kind in (_FRAME, _REGISTERS):
            symbol, figure = struct.unpack("<II", value)
            figures.setdefault(_symbol(image, sections, notes.link, symbol), {})[kind] = figure
    return {symbol: (found[_REGISTERS], found[_FRAME]) for symbol, found in figures.items() if _REGISTERS in found}


def _sections(image: bytes) -> list[_Section]:
    first, count, names = struct.unpack_from("<Q", image, 40)[0], *struct.unpack_from("<HH", image, 60)
    heads = [struct.unpack_from("<IIQQQQII", image, first + 64 * index) for index in range(count)]
    return [_Section(_text(image, heads[names][4] + head[0]), head[1], head[4], head[5], head[6]) for head in heads]


def _attributes(notes: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(notes):
        form, kind, size = struct.unpack_from("<BBH", notes, at)
        at += 4
        if form == _SIZED:
            yield kind, notes[at : at + size]
            at += size


def _symbol(image: bytes, sections: list[_Section], table: int, number: int) -> str:
    (name,) = struct.unpack_from("<I", image, sections[table].start + 24 * number)
    return _text(image, sections[sections[table].link].start + name)


def _text(image: bytes, start: int) -> str:
    return image[start : image.index(b"\0", start)].decode()
