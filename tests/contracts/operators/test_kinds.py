"""Kinds of operators: each is one module here, and nothing else on this side of the kernels knows its name."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from megasolve.contracts.operators.kind import OperatorKind, Widths
from megasolve.contracts.operators.kinds import OPERATOR_KINDS
from tests.support.planning.operators import HEAD, block

CHECKOUT = Path(__file__).resolve().parents[3]
SIDE = (CHECKOUT / "contracts/megasolve/contracts", CHECKOUT / "simulate/megasolve/simulate")
ROOTS = (CHECKOUT / "simulate", CHECKOUT / "solver", CHECKOUT / "gpu")
FORMS = SIDE[0] / "model/programs/operators.py"
"""The form of an operator with a shape, and of those without: explicit and opaque."""
OF_PROFILES = (SIDE[0] / "observe", SIDE[0] / "scaffold", SIDE[0] / "taskgraphs")
"""What tells by the shapes of a trace, or by names of tasks, which kinds ran: a kind need not be among those that it knows."""
OF_STREAMS = {"step"}
"""What streams count in has the name of a kind, too."""

each_kind = pytest.mark.parametrize("kind", OPERATOR_KINDS.values(), ids=OPERATOR_KINDS)


def test_kinds_are_numbered_in_a_row() -> None:
    assert [kind.number for kind in OPERATOR_KINDS.values()] == list(range(1, len(OPERATOR_KINDS) + 1))


@each_kind
def test_a_kind_stands_in_a_module_of_its_name(kind: OperatorKind) -> None:
    assert kind.work.__module__ == f"megasolve.contracts.operators.{kind.name}"


@each_kind
def test_a_kind_is_cut_along_sizes_that_its_shape_has(kind: OperatorKind) -> None:
    work = kind.work_at(dict.fromkeys(kind.known, 8), Widths(2, 2, 2, 0))
    assert {key for key in work.keys if key} == set(kind.tile) <= set(kind.known)
    assert kind.may_be_zero <= set(kind.known)


def texts_in(path: Path) -> Iterator[str]:
    """Yield every text in the code of *path*."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_other_module_names_a_kind() -> None:
    names = {*OPERATOR_KINDS, "explicit", "opaque"}
    elsewhere = {
        path.relative_to(CHECKOUT).as_posix(): named
        for folder in SIDE
        for path in folder.rglob("*.py")
        if path != FORMS
        and not any(map(path.is_relative_to, OF_PROFILES))
        and (named := (set(texts_in(path)) & names) - OF_STREAMS - {path.stem})
    }
    assert elsewhere == {}


SOFTMAX = '''\
"""A softmax over each row."""

from .kind import OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, OUTPUT, ROWS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    moved = shape["rows"] * shape["dim"] * widths.element
    tensors = (Tensor(ACTIVATIONS, moved, (ROWS,)), Tensor(OUTPUT, moved, (ROWS,)))
    return OperatorWork((shape["rows"], 1, 1), ("rows", None, None), tensors, 5 * shape["rows"] * shape["dim"])


def _contradictions(sizes: Sizes):
    if sizes["dim"] % 2:
        yield "dim", f"{sizes['dim']} is odd"


SOFTMAX = OperatorKind(16, "softmax", required=("rows", "dim"), tile=("rows",), work=_work, contradictions=_contradictions)
'''
EXPANDED = """\
from pathlib import Path
from fractions import Fraction
from megasolve.contracts.files.documents import read_document
from megasolve.simulate.expand.expansion import expand
from megasolve.simulate.expand.setup import DeviceRates
contract = read_document(Path("softmax.yaml"))[0].value
program = expand(contract, "B", {"batch": 5}, DeviceRates(2, 10**12, Fraction(10**12)))
arrays = program.prologue.arrays
print(arrays.costs.compute_ps[arrays.cost_of].tolist(), arrays.costs.output_bytes[arrays.cost_of].tolist())
"""


def in_a_copy(folder: Path, *arguments: str) -> str:
    """Return what Python says with *arguments* where the contracts lie in *folder*."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder, *ROOTS))), "NO_COLOR": "1"}
    run = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def test_a_kind_is_added_by_one_module(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT / "contracts/megasolve", tmp_path / "megasolve")
    (tmp_path / "megasolve/contracts/operators/softmax.py").write_text(SOFTMAX, encoding="utf-8")
    contract = f"{HEAD}programs:\n  B:\n"
    sound = block("name: a, kind: softmax, shape: {rows: batch, dim: 8}, tile: [{rows: 2}], efficiency: 1")
    (tmp_path / "softmax.yaml").write_text(contract + sound, encoding="utf-8")
    faults = "name: a, kind: softmax, shape: {rows: 3, dim: 7}, tile: [{dim: 2}]", "name: b, kind: softmax, shape: {row: 3, dim: 8}"
    (tmp_path / "faulty.yaml").write_text(contract + block(*faults), encoding="utf-8")

    assert in_a_copy(tmp_path, "-m", "megasolve.cli", "check", "softmax.yaml") == "no findings in 1 file\n"
    said = in_a_copy(tmp_path, "-m", "megasolve.cli", "check", "faulty.yaml")
    assert re.findall(r"OPR-\d\d.*(?=  \[)", said) == [
        "OPR-15 7 is odd",
        "OPR-05 kind softmax is not cut along 'dim'; known: rows",
        "OPR-04 'row' is no size of kind softmax; did you mean 'rows'?",
    ]
    assert '"softmax"' in in_a_copy(tmp_path, "-m", "megasolve.cli", "schema", "contract")
    assert in_a_copy(tmp_path, "-c", EXPANDED) == "[80, 80, 40] [32, 32, 16]\n"
