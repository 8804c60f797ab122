"""Whatever happens to the bytes of a file, the answer is an execution or one line that refuses it."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.reports import (
    DETAILS_HEADER,
    SUM_HEADER,
    TRACE_HEADER,
    kernel_row,
    layer,
    memory_row,
    metric_row,
    quoted,
    raw_page,
    rule_row,
    sum_row,
    table,
    trt_profile,
)

WHOLE = {
    "trace": table(TRACE_HEADER, [kernel_row(), memory_row(), kernel_row("2,000", name="copy")]),
    "sums": "Processing...\n\n" + table(SUM_HEADER, [sum_row(), sum_row(name="copy")]),
    "details": quoted(DETAILS_HEADER, [metric_row("Grid Size", "", "528"), metric_row("Duration", "us", "1.5"), rule_row()]),
    "raw": raw_page({"dram__bytes.sum": "Kbyte", "launch__registers_per_thread": ""}, [["1,024.5", "64"], ["n/a", "32"]]),
    "layers": '{"Layers": ["conv", {"Name": "pool"}], "Bindings": []}',
    "profile": trt_profile([layer("conv", medianMs=0.5), layer("no-op", 0, 0)]),
    "times": '[\n  { "startEnqMs" : 1, "computeMs" : 0.5 }\n, { "computeMs" : 0.25 }\n]\n',
}
BYTES = b"\x00\x0a\x0d\x22\x2c\x2d\x2e\x30\x39\x5b\x5c\x5d\x7b\x7d\x80\xc3\xff"


def cuts(content: bytes) -> Iterator[bytes]:
    for kept in range(len(content)):
        yield content[:kept]


def flips(content: bytes, seed: int) -> Iterator[bytes]:
    drawn = random.Random(seed)
    for _ in range(400):
        flipped = bytearray(content)
        for _ in range(drawn.randint(1, 3)):
            flipped[drawn.randrange(len(flipped))] = drawn.choice(BYTES) if drawn.random() < 0.8 else drawn.randrange(256)
        yield bytes(flipped)


def outcome(path: Path, content: bytes) -> str | None:
    """Return the reason for refusing *content*, None where it is read; any other exception is the fault that is looked for."""
    path.write_bytes(content)
    try:
        read_profile(path)
    except ProfileRefused as refused:
        said = refused
    else:
        return None
    assert "\n" not in str(said)
    assert said.path == str(path)
    return said.reason


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_that_is_cut_anywhere_but_behind_a_row_or_a_closing_quote_is_refused(tmp_path: Path, kind: str) -> None:
    whole = WHOLE[kind].encode()
    assert outcome(tmp_path / "profile", whole) is None
    for cut in cuts(whole.rstrip()):
        reason = outcome(tmp_path / "profile", cut)
        assert reason is not None or cut.endswith((b"\n", b'"'))


@pytest.mark.parametrize("kind", WHOLE)
def test_flipped_bytes_give_an_execution_or_a_refusal(tmp_path: Path, kind: str) -> None:
    reasons = [outcome(tmp_path / "profile", flipped) for flipped in flips(WHOLE[kind].encode(), seed=len(kind))]
    assert 0 < reasons.count(None) < len(reasons)
    assert "" not in reasons


def test_flipped_bytes_of_gzip_never_pass_unnoticed(tmp_path: Path) -> None:
    packed = gzip.compress(WHOLE["trace"].encode(), mtime=0)
    body = range(10, len(packed))
    for at in body:
        flipped = bytearray(packed)
        flipped[at] ^= 0x10
        assert outcome(tmp_path / "profile", bytes(flipped)) is not None


def test_a_splice_of_two_files_is_refused(tmp_path: Path) -> None:
    for first in ("trace", "sums", "details", "raw"):
        halves = WHOLE[first].encode()
        spliced = halves[: len(halves) * 2 // 3] + halves[len(halves) // 3 :]
        assert outcome(tmp_path / "profile", spliced) is not None
