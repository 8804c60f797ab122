from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.gpu.errors import GpuError
from megasolve.gpu.standin.host_build import HostBuildFailed, HostCompilerMissing, build_kernels, build_runtime
from tests.support.command import environment
from tests.support.toolchain import needs_host_compiler

SOURCES = {"empty.cpp": '#include "part.h"\n', "part.h": "int part;\n"}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return a cache that holds the runtime already, as building it is slow."""
    runtime = build_runtime()
    (tmp_path / runtime.name).write_bytes(runtime.read_bytes())
    return tmp_path


@needs_host_compiler
def test_equal_input_is_built_once(cache: Path) -> None:
    first = build_kernels("empty.cpp", SOURCES, cache=cache)
    made = first.stat().st_mtime_ns
    assert build_kernels("empty.cpp", dict(reversed(SOURCES.items())), cache=cache) == first
    assert first.stat().st_mtime_ns == made


@needs_host_compiler
@pytest.mark.parametrize("change", ["content", "another library", "link", "writable by others", "unsealed"])
def test_a_library_that_is_not_as_it_was_built_is_built_again_and_never_loaded(cache: Path, tmp_path: Path, change: str) -> None:
    library = build_kernels("empty.cpp", SOURCES, cache=cache)
    whole = library.read_bytes()
    match change:
        case "content":
            library.write_bytes(whole.replace(b"GNU", b"gnu", 1))
        case "another library":
            library.write_bytes(build_runtime(cache).read_bytes())
        case "link":
            library.rename(tmp_path / "elsewhere")
            library.symlink_to(tmp_path / "elsewhere")
        case "writable by others":
            library.chmod(0o666)
        case _:
            library.write_bytes(whole[: whole.rindex(b"\nmegasolve sha256 ")])
    inode = library.lstat().st_ino
    assert build_kernels("empty.cpp", SOURCES, cache=cache) == library
    assert library.read_bytes() == whole
    assert library.lstat().st_ino != inode
    assert not library.is_symlink()
    assert library.stat().st_mode & 0o777 == 0o700


@needs_host_compiler
def test_a_changed_header_macro_or_watch_gives_another_library(cache: Path) -> None:
    changed = {**SOURCES, "part.h": "int other_part;\n"}
    libraries = {
        build_kernels("empty.cpp", SOURCES, cache=cache),
        build_kernels("empty.cpp", changed, cache=cache),
        build_kernels("empty.cpp", SOURCES, defines=("PART=1",), cache=cache),
        build_kernels("empty.cpp", SOURCES, sanitizer=True, cache=cache),
    }
    assert len(libraries) == 4


@needs_host_compiler
def test_a_source_that_does_not_compile_is_named_with_its_line_and_leaves_nothing(cache: Path) -> None:
    with pytest.raises(HostBuildFailed, match=r"^broken\.cpp does not compile for the CPU: broken\.cpp:2:14: error: ") as caught:
        build_kernels("broken.cpp", {"broken.cpp": "int fine;\nint broken = nothing;\n"}, cache=cache)
    assert "nothing" in caught.value.log
    assert [path.name for path in cache.iterdir()] == [build_runtime(cache).name]


@needs_host_compiler
def test_builds_beside_each_other_end_in_one_library(cache: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from megasolve.gpu.standin.host_build import build_kernels;"
        f"print(build_kernels('empty.cpp', {SOURCES!r}, cache=Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(cache)]
    builds = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) for _ in range(2)]
    named = {build.communicate()[0] for build in builds}
    assert len(named) == 1
    assert sorted(path.suffix for path in cache.iterdir()) == [".so", ".so"]


def test_without_a_compiler_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(HostCompilerMissing, match=r"install g\+\+ .* or set CXX, which is 'no-such-compiler' and names no program"):
        build_kernels("empty.cpp", SOURCES, cache=tmp_path)


def test_a_command_that_is_no_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(GpuError, match=r"false --version fails \(exit code 1\), so it is no C\+\+ compiler; set CXX"):
        build_runtime(tmp_path)


@needs_host_compiler
def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GpuError, match="set MEGASOLVE_CACHE_DIR"):
        build_runtime(tmp_path / "file/cache")
