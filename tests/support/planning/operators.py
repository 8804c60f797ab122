"""Contracts with operators for tests: the worked tile schedules, and small programs to expand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from megasolve.contracts.files.documents import read_document
from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.device import Device
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import DeviceRates, Mechanisms
from megasolve.simulate.tiles.program import TileProgram
from megasolve.simulate.tiles.tile import Tile

FIXTURES = Path(__file__).parents[2] / "fixtures"
HEAD = """\
megasolve: contract/v1
entry: decode
backend: megakernel
members: [B]
budgets_ctas: [132]
launch: {threads: 256, registers: 128}
dispatch: {kind: stream, host_waits: false}
"""
RATES = DeviceRates(workers=4, bandwidth_bytes_per_s=10**12, flops_per_s=Fraction(10**12), registers=255)


def contract_of(*operators: str, head: str = HEAD, repeat: int | str = 1) -> Contract:
    """Return a contract whose program of B is one block of *operators*, each the inside of a YAML mapping."""
    return contract_with(block(*operators, repeat=repeat), head=head)


def block(*operators: str, repeat: int | str = 1) -> str:
    """Return a block of *operators* as YAML."""
    return f"    - repeat: {repeat}\n      operators:\n" + "".join(f"        - {{{operator}}}\n" for operator in operators)


def contract_with(*blocks: str, head: str = HEAD) -> Contract:
    """Return a contract whose program of B is these *blocks*."""
    document, findings = read_document("decode.yaml", f"{head}programs:\n  B:\n{''.join(blocks)}")
    assert not findings, [str(finding) for finding in findings]
    assert document is not None
    value = document.value
    assert isinstance(value, Contract)
    return value


def contract_at(path: Path) -> Contract:
    """Return the contract in the file at *path*."""
    document, findings = read_document(path)
    assert not findings
    assert document is not None
    assert isinstance(document.value, Contract)
    return document.value


def device_at(path: Path) -> Device:
    """Return the device in the file at *path*."""
    document, findings = read_document(path)
    assert not findings
    assert document is not None
    assert isinstance(document.value, Device)
    return document.value


def expanded(contract: Contract, *off: str, rates: DeviceRates = RATES, batch: int = 1) -> TileProgram:
    """Return the program of B with the mechanisms named in *off* off."""
    return expand(contract, "B", {"batch": batch}, rates, Mechanisms().without(*off))


def tiles_of(program: TileProgram, operator: str) -> list[Tile]:
    """Return the tiles of *operator* in all sections, those of the body once."""
    sections = (program.prologue, program.body, program.epilogue)
    return [tile for section in sections for tile in section.tiles if tile.operator == operator]


def stated(name: str, tiles: int = 1, after: str = "", **fields: object) -> str:
    """Return an operator of stated tiles that take 1 us each, unless *fields* say otherwise."""
    given = {"compute_us": 1, **fields}
    return (
        f"name: {name}, kind: explicit, tiles: {tiles}, "
        + "".join(f"{key}: {value}, " for key, value in given.items())
        + f"after: [{after}]"
    )


def on(operator: str, pattern: str = "all", previous: bool = False) -> str:
    """Return one dependency."""
    return f"{{operator: {operator}, pattern: {pattern}, previous: {str(previous).lower()}}}"
