"""The file under a profile: what is opened, unzipped and hashed, and what is refused before that."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import tracemalloc
from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.text.source import HEAD_BYTES, ProfileSource, source
from tests.support.command import powerless
from tests.support.toolchain import needs_permissions

OPENED = """
from pathlib import Path
from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.text.source import source
try:
    source(Path(sys.argv[1]))
except ProfileRefused as error:
    print(error)
"""
TEXT = b"".join(b"line %d of a profile\n" % number for number in range(20_000))


def unzipped(at: Path) -> bytes:
    with source(at).open() as stream:
        return stream.read()


def test_a_plain_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "trace.json.gz").write_bytes(TEXT)
    assert unzipped(tmp_path / "trace.json.gz") == TEXT


def test_gzip_is_known_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_bytes(gzip.compress(TEXT))
    assert source(tmp_path / "trace.json").head == TEXT[:HEAD_BYTES]
    assert unzipped(tmp_path / "trace.json") == TEXT


def test_gzip_members_follow_each_other_and_zeros_may_pad_the_end(tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(gzip.compress(TEXT) + gzip.compress(b"and more\n") + bytes(4096))
    assert unzipped(tmp_path / "trace") == TEXT + b"and more\n"


def test_a_gzip_that_unzips_without_measure_is_refused(tmp_path: Path) -> None:
    at = tmp_path / "trace.json.gz"
    with gzip.open(at, "wb") as stream:
        for _ in range(20):
            stream.write(bytes(2**20))
    with pytest.raises(ProfileRefused, match=r"unzips to more than 100 times its size, .*; unzip it to import it all the same"):
        unzipped(at)


def test_the_hash_is_of_the_bytes_as_they_are(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT)
    (tmp_path / "trace").write_bytes(packed)
    assert source(tmp_path / "trace").sha256 == hashlib.sha256(packed).hexdigest()


def test_the_name_stays_as_the_user_gave_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trace").write_bytes(TEXT)
    monkeypatch.chdir(tmp_path)
    assert source("trace") == ProfileSource("trace", Path("trace"))


def test_gzip_that_is_cut_anywhere_is_refused_and_says_how_far_it_goes(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT[:3000])
    path = tmp_path / "trace"
    for kept in range(2, len(packed)):
        path.write_bytes(packed[:kept])
        with pytest.raises(ProfileRefused, match=r"is truncated gzip: it breaks off after [\d,]+ unzipped bytes"):
            unzipped(path)


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 1
    (tmp_path / "trace").write_bytes(packed)
    with pytest.raises(ProfileRefused, match="is damaged gzip"):
        unzipped(tmp_path / "trace")


def test_what_follows_a_gzip_member_must_be_another_one(tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(gzip.compress(TEXT) + b"garbage")
    with pytest.raises(ProfileRefused, match="is damaged gzip"):
        unzipped(tmp_path / "trace")


def test_the_head_of_damaged_gzip_is_what_there_is_of_it(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT)
    (tmp_path / "trace").write_bytes(packed[: len(packed) // 2])
    assert TEXT.startswith(source(tmp_path / "trace").head)
    (tmp_path / "no_trace").write_bytes(b"\x1f\x8bno gzip at all")
    assert source(tmp_path / "no_trace").head == b""


def test_unzipping_needs_no_memory_for_what_it_unzips(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    with gzip.open(path, "wb") as packed:
        for _ in range(64):
            # As tight as a recording ever is.
            packed.write(random.Random(7).randbytes(2**15) + bytes(2**20 - 2**15))
    tracemalloc.start()
    assert path.stat().st_size < 2**22
    with source(path).open() as stream:
        unzipped_bytes = sum(len(chunk) for chunk in iter(lambda: stream.read(2**16), b""))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert unzipped_bytes == 2**26
    assert peak_bytes < 2**22


def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    cases = {
        tmp_path: "is a folder, not a file",
        tmp_path / "pipe": "is a pipe, not a file",
        Path("/dev/null"): "is a device, not a file",
        tmp_path / "missing": "no such file",
        tmp_path / "loop": "is a link that leads back to itself",
    }
    for path, reason in cases.items():
        with pytest.raises(ProfileRefused) as caught:
            source(path)
        assert str(caught.value) == f"{path}: {reason}"


@needs_permissions
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(TEXT)
    (tmp_path / "trace").chmod(0)
    done = powerless(OPENED, str(tmp_path / "trace"))
    assert (done.returncode, done.stdout.decode()) == (0, f"{tmp_path / 'trace'}: no permission to read it\n")
