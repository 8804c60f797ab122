"""Damage to the bytes of a written file: cut off, spliced, flipped, with the marks that other systems leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

TELLING = b"\x00\t\n\r\x1b \"#&'*,-./0:<>?@[\\]^`{|}~\x7f\x80\xc3\xef\xff"
INSERTS = (
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\r\n", b"\x0b", b"\x85", b"\xe2\x80\xa8", b"---\n", b"...\n", b"%YAML 1.1\n", b"<<: *a\n",
    b"&a ", b"*a", b"!!binary ", b"!x ", b"? ", b"| ", b"> ", b"\t", b"[" * 200, b"{" * 200, b"9" * 5000, b"# coding: latin-1\n",
    b"\x1f\x8b\x08",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Damage:
    """One change of the bytes of *file*."""

    file: str
    operation: str
    number: int

    def applied(self, content: bytes) -> bytes:
        """Return *content* changed."""
        return OPERATIONS[self.operation](content, Random(self.number))


def drawn_damage(random: Random, files: Iterable[str]) -> Damage:
    """Return a change of the bytes of one of *files*."""
    return Damage(random.choice([*files]), random.choice([*OPERATIONS]), random.getrandbits(32))


def _cut_off(content: bytes, random: Random) -> bytes:
    return content[: random.randint(0, len(content))]


def _without_a_stretch(content: bytes, random: Random) -> bytes:
    start, end = sorted(random.randint(0, len(content)) for _ in range(2))
    return content[:start] + content[min(end, start + 64) :]


def _flipped(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8)) if content else 0):
        changed[random.randrange(len(changed))] = random.choice(TELLING) if random.random() < 0.7 else random.randrange(256)
    return bytes(changed)


def _inserted(content: bytes, random: Random) -> bytes:
    index = random.choice((0, len(content), random.randint(0, len(content))))
    return content[:index] + random.choice(INSERTS) + content[index:]


def _spliced(content: bytes, random: Random) -> bytes:
    start, end, at = (random.randint(0, len(content)) for _ in range(3))
    return content[:at] + content[min(start, end) : max(start, end)] + content[at:]


def _twice(content: bytes, random: Random) -> bytes:
    return random.choice((b"", b"\n", b"---\n")).join((content, content))


def _line_moved(content: bytes, random: Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    line = lines.pop(random.randrange(len(lines)))
    lines.insert(random.randint(0, len(lines)), line)
    return b"".join(lines)


def _recoded(content: bytes, random: Random) -> bytes:
    return content.decode("utf-8", "replace").encode(random.choice(("utf-16", "utf-32", "latin-1", "cp1252")), "replace")


OPERATIONS: dict[str, Callable[[bytes, Random], bytes]] = {
    "cut off": _cut_off,
    "without a stretch": _without_a_stretch,
    "flip": _flipped,
    "insert": _inserted,
    "splice": _spliced,
    "twice": _twice,
    "carriage returns": lambda content, random: content.replace(b"\n", random.choice((b"\r\n", b"\r"))),
    "no line ends": lambda content, random: content.replace(b"\n", random.choice((b"", b" "))),
    "move a line": _line_moved,
    "recode": _recoded,
}
