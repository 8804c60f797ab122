"""The CUDA C++ sources of the kernels, as the compilers read them: the files of `kernels/`, and two headers made of the operations."""

from __future__ import annotations

from importlib.resources import files

from ..programs.operation import MOST_ARGUMENTS, Operation
from ..programs.operations import OPERATIONS

GENERATED_HEADER, EVERY_OPERATOR = "operations.h", "operators.h"


def kernel_sources() -> dict[str, str]:
    """Return the text of every source file by the name in its `#include`, the generated headers among them.

    `interpreter.cu` and `conventional.cu` are the two to compile, with `MS_THREADS` (and `MS_ENTRY`) defined.
    """
    folder = files("megasolve.gpu") / "kernels"
    sources = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name.endswith((".h", ".cu"))}
    return dict(sorted({**sources, GENERATED_HEADER: header_text(), EVERY_OPERATOR: includes_text()}.items()))


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
        *(f"enum {_camel(name)}Function {{ {_numbered(operation)} }};" for name, operation in OPERATIONS.items() if operation.functions),
        "",
        *(f"constexpr int k{_camel(name)}Bytes = {_bytes(operation)};" for name, operation in OPERATIONS.items()),
        "",
        *(f"struct {_struct_name(operation)} {{ int {', '.join(operation.arguments)}; }};" for operation in OPERATIONS.values()),
        "",
        "}  // namespace megasolve",
    ]
    return "\n".join(lines) + "\n"


def includes_text() -> str:
    """Return the header that includes the kernels of every operator."""
    headers = {"device.h", GENERATED_HEADER, *(operation.header_file for operation in OPERATIONS.values())}
    lines = [
        "// Every operator: `op_NAME(arenas, arguments, shared)` computes one tile with all threads of a block.",
        "#pragma once",
        "",
        *(f'#include "{header}"' for header in sorted(headers)),
    ]
    return "\n".join(lines) + "\n"


def _struct_name(operation: Operation) -> str:
    return f"{_camel(operation.name)}Arguments"


def _numbered(operation: Operation) -> str:
    return ", ".join(f"k{_camel(name)} = {number}" for name, number in operation.functions)


def _bytes(operation: Operation) -> str:
    # Left to the compiler, so that one header serves every number of threads.
    return f"{operation.block_shared_bytes} + {operation.warp_shared_bytes} * (MS_THREADS / 32)"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
