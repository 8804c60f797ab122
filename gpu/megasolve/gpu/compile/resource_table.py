"""What the compiler says that each kernel of a spec needs.

`python -m megasolve.gpu.compile.resource_table SPEC` writes it beside the contracts.

Every contract is compiled for the spec's device, and the first entry by name that holds all groups for every other architecture, too.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from megasolve.contracts import Compiled, CompiledKernel, Contract, MegasolveError, Study, load_study

from .architectures import ARCHITECTURES
from .build import KernelBuild, build_of, compile_build, symbols_of
from .compiler import Cubin, compiler_version
from .manifest import manifests, sources_sha256

TABLE = "compiled.yaml"

_HEAD = "# Written by `python -m megasolve.gpu.compile.resource_table`: what the compiler reports of each kernel.\n"
_NEEDS = ("registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "shared_bytes")


def resource_table(study: Study) -> Compiled:
    """Compile the kernels of *study* and return what they need.

    Raises
    ------
    CompileFailed, GpuError
        A contract is not one of these kernels, one does not compile, or NVRTC is not installed.
    """
    contracts, own = [document.value for document in study.contracts], study.device.value.compute_capability
    groups = {group.name for group in study.spec.value.groups}
    whole = sorted(contract.entry for contract in contracts if contract.backend == "megakernel" and set(contract.members) == groups)
    wanted = [(contract, own) for contract in contracts]
    wanted += [(contract, other) for other in ARCHITECTURES if other != own for contract in contracts if contract.entry in whole[:1]]
    kernels = tuple(sorted(_kernels(wanted), key=_in_order))
    return Compiled(megasolve="compiled/v1", compiler=compiler_version(), source_sha256=sources_sha256(), kernels=kernels)


def table_text(table: Compiled) -> str:
    """Return *table* as its file holds it."""
    head = f'megasolve: compiled/v1\ncompiler: {table.compiler}\nsource_sha256: "{table.source_sha256}"\nkernels:\n'
    return _HEAD + head + "".join(map(_kernel_text, table.kernels))


def write(spec_file: Path) -> None:
    """Write the resource table and the manifests of the sources into the folder beside *spec_file*.

    Raises
    ------
    CompileFailed, GpuError
        As for `resource_table`.
    SystemExit
        The spec or one of its files cannot be used.
    """
    study, findings = load_study(spec_file)
    if study is None:
        raise SystemExit("\n".join(map(str, findings)))
    texts = {**manifests(), TABLE: table_text(resource_table(study))}
    for name, text in texts.items():
        (spec_file.with_suffix("") / name).write_text(text, encoding="utf-8")


def run_on_spec(work: Callable[[Path], None], arguments: Sequence[str]) -> None:
    """Let *work* write what belongs to the only spec among *arguments*, and end with one line if it cannot.

    Raises
    ------
    SystemExit
    """
    if len(arguments) != 1:
        raise SystemExit(f"expected one argument, the path of a spec; found {len(arguments)}")
    try:
        work(Path(arguments[0]))
    except MegasolveError as error:
        raise SystemExit(str(error)) from None


def _kernels(wanted: Iterable[tuple[Contract, str]]) -> Iterator[CompiledKernel]:
    """Compile every distinct build once, as many at a time as there are processors: NVRTC runs outside the interpreter's lock."""
    # Conventional contracts of one shape share a build: it holds the kernels of all operators.
    contracts: dict[tuple[KernelBuild, str], list[Contract]] = defaultdict(list)
    for contract, capability in wanted:
        contracts[build_of(contract), capability].append(contract)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cubins = pool.map(lambda asked: compile_build(*asked), contracts)
        # `map` keeps the order of the builds, whichever ends first.
        for ((_, capability), built), cubin in zip(contracts.items(), cubins, strict=True):
            yield from _kernels_in(cubin, capability, built)


def _kernels_in(cubin: Cubin, capability: str, contracts: Sequence[Contract]) -> Iterator[CompiledKernel]:
    """Yield the kernels of *cubin* that *contracts* declare, all of them for the same launch."""
    entries: dict[str, list[str]] = defaultdict(list)
    for contract in contracts:
        for symbol in symbols_of(contract):
            entries[symbol].append(contract.entry)
    # Both are macros of the build, so that contracts of one build agree in them.
    threads, ctas_per_sm = contracts[0].launch.threads, contracts[0].launch.ctas_per_sm
    for symbol, of in entries.items():
        declared = {"symbol": symbol, "entries": tuple(sorted(of)), "compute_capability": capability}
        launched = {"threads": threads, "ctas_per_sm": ctas_per_sm}
        yield CompiledKernel.model_validate({**declared, **launched, **asdict(cubin.resources[symbol])})


def _in_order(kernel: CompiledKernel) -> tuple[int, str, int, int]:
    capability = list(ARCHITECTURES).index(kernel.compute_capability)
    return capability, kernel.symbol, kernel.threads, kernel.ctas_per_sm


def _kernel_text(kernel: CompiledKernel) -> str:
    built_for = f'compute_capability: "{kernel.compute_capability}", threads: {kernel.threads}, ctas_per_sm: {kernel.ctas_per_sm}'
    needs = ", ".join(f"{name}: {getattr(kernel, name)}" for name in _NEEDS)
    return f"  - {{symbol: {kernel.symbol}, {built_for},\n     {needs},\n     entries: [{', '.join(kernel.entries)}]}}\n"


if __name__ == "__main__":
    run_on_spec(write, sys.argv[1:])
