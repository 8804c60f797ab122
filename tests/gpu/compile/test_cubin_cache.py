"""The cache of cubins: equal input is compiled once, and nothing that is damaged is ever taken for a cubin."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from megasolve.gpu.compile.compiler import CompileFailed, Cubin
from megasolve.gpu.compile.cubin_cache import compile_once
from tests.support.toolchain import needs_nvrtc

pytestmark = needs_nvrtc

SOURCES = {"one.cu": '#include "one.h"\nextern "C" __global__ void one(float* y) { *y = kOne; }\n', "one.h": "constexpr float kOne = 1;\n"}


def compiled(folder: Path, **changed: Any) -> Cubin:
    asked: dict[str, Any] = {"sources": SOURCES, "architecture": "sm_90a", "defines": (), "flags": (), **changed}
    return compile_once("one.cu", **asked, folder=folder)


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_equal_input_is_recalled_as_it_was_compiled(tmp_path: Path) -> None:
    first = compiled(tmp_path)
    (file,) = kept(tmp_path)
    # What is recalled is what the file says, so nothing was compiled.
    file.write_bytes(file.read_bytes().replace(b"nvrtc", b"NVRTC", 1))
    again = compiled(tmp_path)
    assert again.compiler == first.compiler.upper()
    assert (again.image, again.resources, again.options) == (first.image, first.resources, first.options)


@pytest.mark.parametrize(
    "changed",
    [
        {"sources": {**SOURCES, "one.h": "constexpr float kOne = 2;\n"}},
        {"architecture": "sm_80"},
        {"defines": ("UNUSED=1",)},
        {"flags": ("--use_fast_math",)},
    ],
    ids=["header", "architecture", "macro", "flag"],
)
def test_whatever_decides_a_cubin_is_part_of_its_key(tmp_path: Path, changed: dict[str, object]) -> None:
    compiled(tmp_path)
    compiled(tmp_path, **changed)
    assert len(kept(tmp_path)) == 2


@pytest.mark.parametrize("part", [slice(0), slice(-1), slice(10, None)], ids=["empty", "cut", "beheaded"])
def test_a_damaged_file_is_compiled_and_written_anew(tmp_path: Path, part: slice) -> None:
    first = compiled(tmp_path)
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[part])
    assert compiled(tmp_path) == first
    assert file.read_bytes() == whole


@pytest.mark.parametrize("head", [b'{"megasolve": "cubin/v1"}', b'{"resources": 1}', b"[]", b"1"])
def test_a_file_of_a_strange_form_is_no_cubin(tmp_path: Path, head: bytes) -> None:
    first = compiled(tmp_path)
    (file,) = kept(tmp_path)
    file.write_bytes(head + b"\n" + first.image)
    assert compiled(tmp_path) == first


@pytest.mark.parametrize("change", ["link", "writable"])
def test_a_file_that_others_may_have_written_is_compiled_again(tmp_path: Path, change: str) -> None:
    first = compiled(tmp_path)
    (file,) = kept(tmp_path)
    changed = file.read_bytes().replace(b"nvrtc", b"NVRTC", 1)
    if change == "link":
        file.unlink()
        (tmp_path / "elsewhere").write_bytes(changed)
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.write_bytes(changed)
        file.chmod(0o666)
    assert compiled(tmp_path) == first


def test_a_file_of_something_else_is_no_cubin(tmp_path: Path) -> None:
    first, other = compiled(tmp_path), compiled(tmp_path, architecture="sm_80")
    one, two = kept(tmp_path)
    swapped = one.read_bytes(), two.read_bytes()
    one.write_bytes(swapped[1])
    two.write_bytes(b"[]\n")
    assert (compiled(tmp_path), compiled(tmp_path, architecture="sm_80")) == (first, other)


def test_what_does_not_compile_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CompileFailed):
        compiled(tmp_path, sources={**SOURCES, "one.h": "nonsense\n"})
    assert kept(tmp_path) == []


def test_compilations_beside_each_other_end_in_one_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        cubins = list(pool.map(lambda _: compiled(tmp_path), range(4)))
    assert len({cubin.sha256 for cubin in cubins}) == 1
    assert [file.suffix for file in kept(tmp_path)] == [".cubin"]


def test_a_folder_that_cannot_be_written_costs_the_caching_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert compiled(tmp_path / "file") == compiled(tmp_path / "folder")
