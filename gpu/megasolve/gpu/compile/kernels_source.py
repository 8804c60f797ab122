"""The CUDA C++ sources of the kernels, as the compilers read them: the files of `kernels/`, and the header that the table generates."""

from __future__ import annotations

from importlib.resources import files

from ..programs.operations import FUNCTIONS, MOST_ARGUMENTS, OPERATIONS, Operation

GENERATED_HEADER = "operations.h"


def kernel_sources() -> dict[str, str]:
    """Return the text of every source file by the name in its `#include`, the generated header among them.

    `interpreter.cu` and `conventional.cu` are the two to compile, with `MS_THREADS` (and `MS_ENTRY`) defined.
    """
    folder = files("megasolve.gpu") / "kernels"
    sources = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name.endswith((".h", ".cu"))}
    return dict(sorted({**sources, GENERATED_HEADER: header_text()}.items()))


def header_text() -> str:
    """Return the header that tells the kernels the codes of the operators and their arguments, one struct each."""
    lines = [
        "// Generated from the table of operators.",
        "#pragma once",
        "",
        f"#define MS_ALL_OPERATIONS {sum(1 << operation.code for operation in OPERATIONS.values()):#x}",
        "// apply(code, name, struct of arguments)",
        "#define MS_FOR_EACH_OPERATION(apply) \\",
        *(f"    apply({operation.code}, {operation.name}, {_struct_name(operation)}) \\" for operation in OPERATIONS.values()),
        "",
        "namespace megasolve {",
        "",
        f"constexpr int kArguments = {MOST_ARGUMENTS};",
        f"enum ElementwiseFunction {{ {', '.join(f'k{_camel(name)} = {number}' for name, number in FUNCTIONS.items())} }};",
        "",
        *(f"constexpr int k{_camel(name)}Bytes = {_bytes(operation)};" for name, operation in OPERATIONS.items()),
        "",
        *(f"struct {_struct_name(operation)} {{ int {', '.join(operation.arguments)}; }};" for operation in OPERATIONS.values()),
        "",
        "}  // namespace megasolve",
    ]
    return "\n".join(lines) + "\n"


def _struct_name(operation: Operation) -> str:
    return f"{_camel(operation.name)}Arguments"


def _bytes(operation: Operation) -> str:
    return f"{operation.block_shared_bytes} + {operation.warp_shared_bytes} * (MS_THREADS / 32)"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
