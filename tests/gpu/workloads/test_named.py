"""What a contract names as its workload, and what is said where that cannot be one: a line with file and place, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.contracts import Study, load_study, read_document
from megasolve.gpu.errors import GpuError
from megasolve.gpu.workloads import Workload
from megasolve.gpu.workloads.named import STREAMLET, composing_workload, workload_of, workloads_of
from tests.gpu.workloads.test_installed import write_distribution, write_module
from tests.support.command import CHECKOUT, environment, megasolve
from tests.support.disk.one_entry import CONTRACT, SPEC
from tests.support.kernels.streamlet import shipped

EXPECTED = "an object of an installed package such as 'my_kernels:WORKLOAD': a module, ':' and a name in it, no path"
WHOLE = """from megasolve.gpu.workloads import Workload

class Kernels(Workload):
    def kernels(self, contract): FAILS
    def inputs(self, call, seed): return {}
    def reference(self, call, arrays): return {}
    def launches(self, call, contracts, ctas): return None

WORKLOAD = Kernels()
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with installed packages."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path / "site"


def write_spec(folder: Path, workload: str | None) -> Path:
    """Write a spec of one entry that names *workload*."""
    (folder / "contracts").mkdir(parents=True)
    named = "" if workload is None else f"workload: {workload}\n"
    (folder / "contracts/S.yaml").write_text(f"{CONTRACT}{named}", encoding="utf-8")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return folder / "spec.yaml"


def install(site: Path, name: str, text: str) -> None:
    write_module(site, name, text)
    write_distribution(site, name.replace("_", "-"), f"{name}.py")


def told(spec: Path, site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Measure *spec* where code is also imported from *site*, in the folder of the spec."""
    variables = {**environment(), "PYTHONPATH": os.pathsep.join([environment()["PYTHONPATH"], str(site)])}
    line = [sys.executable, "-m", "megasolve.cli", "measure", str(spec), *words]
    return subprocess.run(line, check=False, capture_output=True, text=True, env=variables, cwd=spec.parent)


def loaded(spec: Path) -> Study:
    study, findings = load_study(spec)
    assert study is not None, findings
    return study


def refusal(spec: Path) -> str:
    """Return what is said of the workload, behind the place of its name."""
    study = loaded(spec)
    with pytest.raises(GpuError) as refused:
        workload_of(study, study.contracts[0].value)
    (line,) = str(refused.value).splitlines()
    place = f"{spec.parent / 'contracts/S.yaml'}:9:11: workload '"
    assert line.startswith(place), line
    return line.removeprefix(place)


@pytest.mark.parametrize(
    ("name", "text", "because"),
    [
        (
            "pack_1:WORKLOAD",
            "WORKLOAD = {}\n",
            "'WORKLOAD' is of type dict and no Workload: it has no kernels, inputs, reference, launches",
        ),
        ("pack_2:WORKLOAD", "WORKLOADS = {}\n", "module 'pack_2' has no 'WORKLOAD'; did you mean 'WORKLOADS'?"),
        ("pack_3:Workload", "from megasolve.gpu.workloads import Workload\n", "'Workload' is a class: name an object of it"),
        ("pack_4:WORKLOAD", "\nONE = 1 / 0\n", "importing 'pack_4' raises ZeroDivisionError: division by zero ({site}/pack_4.py:2)"),
        (
            "pack_5:X",
            "import no_such\n",
            "importing 'pack_5' raises ModuleNotFoundError: No module named 'no_such' ({site}/pack_5.py:1)",
        ),
        ("pack_6:WORKLOAD", "def\n", "importing 'pack_6' raises SyntaxError: invalid syntax (pack_6.py, line 1)"),
        ("pack_7:WORKLOAD", "raise SystemExit(3)\n", "importing 'pack_7' raises SystemExit: 3 ({site}/pack_7.py:1)"),
        (
            "pack_8:WORKLOAD",
            WHOLE.replace("reference(", "other("),
            "importing 'pack_8' raises TypeError: Can't instantiate abstract class",
        ),
    ],
)
def test_what_cannot_be_a_workload_is_told_in_one_line(name: str, text: str, because: str, tmp_path: Path, site: Path) -> None:
    install(site, name.partition(":")[0], text)
    assert refusal(write_spec(tmp_path / "study", name)).startswith(f"{name}': {because.format(site=site)}")


def test_a_module_that_is_not_there_is_told(tmp_path: Path, site: Path) -> None:
    done = told(write_spec(tmp_path / "study", "no_such.kernels:WORKLOAD"), site, "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    place = tmp_path / "study/contracts/S.yaml"
    because = "there is no module 'no_such'; install the package that has it with pip"
    assert done.stderr == f"Error: {place}:9:11: workload 'no_such.kernels:WORKLOAD': {because}\n"


def test_a_module_beside_the_spec_and_in_the_current_folder_is_never_imported(tmp_path: Path, site: Path) -> None:
    spec = write_spec(tmp_path / "study", "mine:WORKLOAD")
    mark = tmp_path / "ran"
    write_module(spec.parent, "mine", f"open({str(mark)!r}, 'w')\n")
    done = told(spec, site, "--dry-run")
    assert done.returncode == 2
    assert "mine.py, a file of no installed package but in the folder of the spec" in done.stderr
    assert not mark.exists()


@pytest.mark.parametrize("name", ["kernels.py", "../kernels:WORKLOAD", "a b:WORKLOAD", "kernels:", ":WORKLOAD", "kernels:A.b", "kernels"])
def test_what_is_no_name_of_an_object_is_a_fault_of_the_contract(name: str, tmp_path: Path) -> None:
    write_spec(tmp_path / "study", f"'{name}'")
    _, (finding,) = read_document(tmp_path / "study/contracts/S.yaml")
    assert (finding.rule.code, finding.place.line, finding.place.column) == ("SCH-04", 9, 11)
    assert finding.message == f"found '{name}', expected {EXPECTED}"


def code_refusal(fails: str, name: str, tmp_path: Path, site: Path) -> str:
    install(site, name, WHOLE.replace("FAILS", fails))
    study = loaded(write_spec(tmp_path / "study", f"{name}:WORKLOAD"))
    contract = study.contracts[0].value
    with pytest.raises(GpuError) as refused:
        workload_of(study, contract).kernels(contract)
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "fails", "because"),
    [
        (
            "pack_20",
            "return contract.nothing",
            "kernels() raises AttributeError: 'Contract' object has no attribute 'nothing' ({site}/pack_20.py:4)",
        ),
        ("pack_21", "return 'code'", "kernels() returns a str, where a KernelCode is asked for"),
        ("pack_22", "raise SystemExit(3)", "kernels() raises SystemExit: 3 ({site}/pack_22.py:4)"),
        (
            "pack_23",
            "open('no_such.cu')",
            "kernels() raises FileNotFoundError: [Errno 2] No such file or directory: 'no_such.cu' ({site}/pack_23.py:4)",
        ),
    ],
)
def test_a_workload_that_raises_is_told_in_one_line(name: str, fails: str, because: str, tmp_path: Path, site: Path) -> None:
    place = tmp_path / "study/contracts/S.yaml"
    assert code_refusal(fails, name, tmp_path, site) == f"{place}:9:11: workload '{name}:WORKLOAD': {because.format(site=site)}"


def test_only_measuring_imports_a_workload(tmp_path: Path, site: Path) -> None:
    install(site, "pack_30", WHOLE)
    spec = str(write_spec(tmp_path / "study", "pack_30:WORKLOAD"))
    for words in (["check", spec], ["solve", spec], ["table", spec], ["explain", spec, "m:S@serial"]):
        done = megasolve(*words)
        assert done.exit_code in (0, 1), done.output
        assert "pack_30" not in sys.modules, words
    assert megasolve("measure", spec, "--dry-run").exit_code == 0
    assert "pack_30" in sys.modules


def test_the_command_line_imports_no_workload_of_its_own_where_nothing_is_measured() -> None:
    program = (
        "import sys\nfrom megasolve.cli.app import program\ntry: program(['check', 'specs/streamlet.yaml'])\nexcept SystemExit: pass\n"
    )
    program += "print([name for name in sys.modules if name.startswith('megasolve.gpu')])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment(), cwd=CHECKOUT)
    assert done.stdout.splitlines()[-1] == "[]"


def test_contracts_of_streamlet_name_it_and_those_that_name_nothing_are_of_its_kernels(tmp_path: Path) -> None:
    study = shipped()
    assert {document.value.workload for document in study.contracts} == {STREAMLET}
    (workload,) = workloads_of(study)
    assert isinstance(workload.workload, Workload)
    unnamed = loaded(write_spec(tmp_path / "study", None))
    assert workload_of(unnamed, unnamed.contracts[0].value).name == STREAMLET


def test_whole_candidates_run_workloads_that_say_what_they_begin_with(tmp_path: Path, site: Path) -> None:
    install(site, "pack_without", WHOLE)
    study = loaded(write_spec(tmp_path / "study", "pack_without:WORKLOAD"))
    with pytest.raises(GpuError, match=r"S.yaml:9:11: workload 'pack_without:WORKLOAD' has no start\(\), which says what whole candidates"):
        composing_workload(study, [study.contracts[0].value])
    assert composing_workload(shipped(), [document.value for document in shipped().contracts]).composes


def test_one_candidate_runs_kernels_of_one_workload(tmp_path: Path) -> None:
    study = loaded(write_spec(tmp_path / "study", "pack:WORKLOAD"))
    own = study.contracts[0].value
    other = own.model_copy(update={"entry": "other", "workload": STREAMLET})
    with pytest.raises(GpuError, match="entry 'other' is of another workload than 'S', and whole candidates and co-runs run on"):
        composing_workload(study, [own, other])
