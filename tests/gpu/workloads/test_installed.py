"""Only what is installed counts: a module that merely lies somewhere is never imported, whatever path leads to it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from megasolve.gpu.workloads.installed import NotInstalled, installed_module


def write_module(folder: Path, name: str, text: str = "WORKLOAD = None\n") -> Path:
    """Write the module *name*, as a package below *folder* where the name has dots."""
    *packages, last = name.split(".")
    for package in packages:
        folder /= package
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{last}.py"
    file.write_text(text, encoding="utf-8")
    return file


def write_distribution(site: Path, name: str, *files: str, editable: Path | None = None) -> None:
    """Write what an installer leaves of a distribution in *site*: the list of its files, and where an editable one comes from."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    if editable is not None:
        (info / "direct_url.json").write_text(json.dumps({"url": editable.as_uri(), "dir_info": {"editable": True}}), encoding="utf-8")
    listed = [*files, *(f"{info.name}/{file.name}" for file in info.iterdir())]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in listed), encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that code is imported from."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def refusal(name: str, spec_folder: Path) -> str:
    with pytest.raises(NotInstalled) as refused:
        installed_module(name, str(spec_folder))
    return str(refused.value)


def test_a_module_that_a_distribution_lists_is_found_without_running_it(site: Path, tmp_path: Path) -> None:
    file = write_module(site, "pack_a.inner.kernels", "raise SystemExit('ran')\n")
    write_distribution(site, "pack-a", "pack_a/__init__.py", "pack_a/inner/__init__.py", "pack_a/inner/kernels.py")
    assert installed_module("pack_a.inner.kernels", str(tmp_path)).origin == str(file)
    assert not any(name.startswith("pack_a") for name in sys.modules)


def test_a_file_beside_installed_packages_is_of_none_of_them(site: Path, tmp_path: Path) -> None:
    write_module(site, "loose")
    write_distribution(site, "pack-b", "other.py")
    assert "a file of no installed package" in refusal("loose", tmp_path)


def test_a_package_with_one_module_that_nobody_installed_is_refused_at_that_module(site: Path, tmp_path: Path) -> None:
    write_module(site, "pack_c.added")
    write_distribution(site, "pack-c", "pack_c/__init__.py")
    assert refusal("pack_c.added", tmp_path).startswith("module 'pack_c.added' is ")


def test_the_current_folder_does_not_count_even_with_the_papers_of_a_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_module(tmp_path, "forged")
    write_distribution(tmp_path, "forged", "forged.py")
    monkeypatch.chdir(tmp_path)
    assert "what lies in the current folder does not count" in refusal("forged", tmp_path / "specs")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "a file of no installed package but in the current folder" in refusal("forged", tmp_path / "specs")


def test_the_folder_of_the_spec_does_not_count_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_module(tmp_path / "specs", "near")
    write_distribution(tmp_path / "specs", "near", "near.py")
    assert "what lies in the folder of the spec does not count" in refusal("near", tmp_path / "specs")
    monkeypatch.syspath_prepend(str(tmp_path / "specs"))
    assert "a file of no installed package but in the folder of the spec" in refusal("near", tmp_path / "specs")


def test_an_editable_install_counts_for_the_folders_that_it_adds(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    file = write_module(project / "src", "pack_d.kernels")
    write_module(project / "tests", "stray")
    write_module(project / "src/deep", "below")
    (site / "pack_d.pth").write_text(f"{project / 'src'}\n", encoding="utf-8")
    write_distribution(site, "pack-d", "pack_d.pth", editable=project)
    for folder in ("src", "tests", "src/deep"):
        monkeypatch.syspath_prepend(str(project / folder))
    assert installed_module("pack_d.kernels", str(tmp_path)).origin == str(file)
    assert "no installed package" in refusal("stray", tmp_path)
    assert "no installed package" in refusal("below", tmp_path)


def test_an_editable_install_by_a_finder_counts_for_the_packages_that_it_maps(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_module(tmp_path / "project/src", "pack_e.kernels")
    finder = "__editable___pack_e_1_0_finder.py"
    mapping = {"pack_e": str(tmp_path / "project/src/pack_e")}
    (site / finder).write_text(f"from __future__ import annotations\nMAPPING: dict[str, str] = {mapping!r}\n", encoding="utf-8")
    write_distribution(site, "pack-e", finder, editable=tmp_path / "project")
    monkeypatch.syspath_prepend(str(tmp_path / "project/src"))
    assert installed_module("pack_e.kernels", str(tmp_path)).origin == str(file)


def test_a_path_file_of_a_distribution_that_is_not_editable_adds_nothing(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_module(tmp_path / "elsewhere", "added")
    (site / "pack_f.pth").write_text(f"{tmp_path / 'elsewhere'}\n", encoding="utf-8")
    write_distribution(site, "pack-f", "pack_f.pth")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    assert "no installed package" in refusal("added", tmp_path)


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("json", "a file of no installed package"),
        ("sys", "part of Python"),
        ("no_such_package.kernels", "there is no module 'no_such_package'; install the package that has it with pip"),
        ("numpy.no_such_module", "there is no module 'numpy.no_such_module'"),
        ("numpy.version.more", "'numpy.version' is no package"),
        ("megasolve", "a folder without code of its own"),
    ],
)
def test_other_names_are_refused_with_the_reason(name: str, because: str, tmp_path: Path) -> None:
    assert because in refusal(name, tmp_path)


def test_a_link_to_a_file_elsewhere_is_not_what_was_installed(site: Path, tmp_path: Path) -> None:
    target = write_module(tmp_path / "elsewhere", "linked")
    (site / "linked.py").symlink_to(target)
    write_distribution(site, "pack-g", "other.py")
    assert "no installed package" in refusal("linked", tmp_path)
