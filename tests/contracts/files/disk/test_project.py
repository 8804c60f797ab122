"""Where a spec may lead: files of its project that are not hidden, found in time linear in what lies there."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from megasolve.contracts import OutsideRoot, check_paths, load_spec
from megasolve.contracts.files.disk.globs import MOST_NAMES, Folders, PatternRefused, matching
from megasolve.contracts.files.disk.project import project_in
from tests.support.command import megasolve
from tests.support.disk.rule_files import CONTRACT, DEVICE, RECORDS, SPEC, changed

SECRET = "machine x login y password hunter2\n"


def study(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write a whole study into *folder*, with *changes* of its spec, and return the file of the spec."""
    spec = changed(SPEC, *changes)
    for name, text in {"spec.yaml": spec, "device.yaml": DEVICE, "kernels/decode.yaml": CONTRACT, "records.yaml": RECORDS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "spec.yaml"


def naming(key: str, name: str) -> tuple[str, str]:
    """Return the change of the spec that names *name* under *key*."""
    if key == "device":
        return "device: device.yaml", f"device: {name}"
    if key == "other_devices":
        return "device: device.yaml", f"device: device.yaml\nother_devices: [{name}]"
    return ("records: []", f"records: []\n{key}: [{name!r}]") if key in {"profiles", "compiled"} else (f"{key}: []", f"{key}: [{name!r}]")


def findings(spec: Path, root: Path | None = None) -> list[str]:
    return [f"{one.rule.code} {one.message}" for one in check_paths([spec], root=root).findings]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder beside the project with files of somebody else."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "netrc").write_text(SECRET)
    (folder / "decode.yaml").write_text(CONTRACT)
    return folder


KEYS = ["device", "other_devices", "contracts", "records", "compiled", "profiles"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("way", ["up", "absolute", "link", "linked folder", "hidden", "in a hidden folder", "link to hidden"])
def test_nothing_that_a_spec_names_leads_out_of_its_project_or_to_what_is_hidden(tmp_path: Path, outside: Path, key: str, way: str) -> None:
    project = tmp_path / "project"
    names = {
        "up": "../outside/netrc",
        "absolute": str(outside / "netrc"),
        "link": "link/netrc",
        "linked folder": "linked/netrc",
        "hidden": "./.env",
        "in a hidden folder": ".git/config",
        "link to hidden": "shown/env",
    }
    spec = study(project, naming(key, names[way]))
    for folder in ("link", "shown", ".git"):
        (project / folder).mkdir()
    for file in (".env", ".git/config"):
        (project / file).write_text(SECRET)
    (project / "link/netrc").symlink_to(outside / "netrc")
    (project / "linked").symlink_to(outside)
    (project / "shown/env").symlink_to("../.env")
    found = findings(spec)
    assert [one for one in found if one.startswith("FIL-04 ")], found
    assert "hunter2" not in "".join(found)
    for form in ("text", "json", "github", "sarif", "junit"):
        result = megasolve("check", str(spec), "-f", form)
        assert result.exit_code == 1
        assert "hunter2" not in result.output


@pytest.mark.parametrize("pattern", ["*/*.yaml", "**/*.yaml", "lin*/decode.yaml", "linked/*.yaml"])
def test_a_wildcard_follows_no_link_out_of_the_project(tmp_path: Path, outside: Path, pattern: str) -> None:
    spec = study(tmp_path / "project", ("contracts: []", f"contracts: ['{pattern}', kernels/decode.yaml]"))
    (tmp_path / "project/linked").symlink_to(outside)
    assert "elsewhere" not in "".join(findings(spec))
    assert not any("outside/decode.yaml" in one or "linked/decode.yaml" in one for one in findings(spec))


def test_a_link_that_a_wildcard_matches_is_told_and_not_read(tmp_path: Path, outside: Path) -> None:
    spec = study(tmp_path / "project", ("contracts: []", "contracts: ['kernels/*.yaml']"))
    (tmp_path / "project/kernels/other.yaml").symlink_to(outside / "decode.yaml")
    (finding,) = (one for one in findings(spec) if one.startswith("FIL-04"))
    assert "kernels/other.yaml, which 'kernels/*.yaml' matches, leads out of the project of the spec" in finding


def test_a_link_within_the_project_is_followed(tmp_path: Path) -> None:
    spec = study(tmp_path, ("contracts: []", "contracts: ['linked/*.yaml']"))
    (tmp_path / "linked").symlink_to("kernels")
    assert len(load_spec(spec).contracts) == 1


@pytest.mark.usefixtures("outside")
def test_the_project_is_all_below_the_folder_that_holds_git(tmp_path: Path) -> None:
    spec = study(tmp_path / "project", ("contracts: []", "contracts: ['../outside/*.yaml']"))
    assert any(one.startswith("FIL-04") for one in findings(spec))
    (tmp_path / ".git").write_text("gitdir: elsewhere")
    assert len(load_spec(spec).contracts) == 1


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("words", [["check"], ["solve", "--no-cache"], ["table", "--no-cache"]], ids=lambda words: words[0])
def test_a_root_widens_the_project_in_every_command(tmp_path: Path, words: list[str]) -> None:
    spec = study(tmp_path / "project", ("contracts: []", "contracts: ['../outside/*.yaml']"), ("records: []", "records: [records.yaml]"))
    command = [words[0], str(spec), *words[1:]]
    assert "FIL-04" in megasolve(*command).output
    assert "FIL-04" not in megasolve(*command, "--root", str(tmp_path)).output


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("root", ["outside", "nowhere", "project/kernels"])
def test_a_root_that_does_not_hold_the_spec_is_refused(tmp_path: Path, root: str) -> None:
    spec = study(tmp_path / "project")
    with pytest.raises(OutsideRoot, match="is no folder that holds"):
        check_paths([spec], root=tmp_path / root)
    result = megasolve("check", str(spec), "--root", str(tmp_path / root))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("outside")
def test_a_root_below_the_project_narrows_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    spec = study(tmp_path / "project", ("contracts: []", "contracts: ['../outside/*.yaml']"))
    assert len(load_spec(spec, root=tmp_path / "project").contracts) == 1


def test_a_spec_in_a_hidden_folder_names_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    spec = study(tmp_path / ".plans/mine", ("contracts: []", "contracts: [kernels/*.yaml]"), ("device.yaml", "../mine/device.yaml"))
    assert len(load_spec(spec).contracts) == 1


@pytest.mark.usefixtures("outside")
def test_the_source_of_a_contract_outside_the_project_is_not_read(tmp_path: Path) -> None:
    spec = study(tmp_path / "project", ("contracts: []", "contracts: [kernels/*.yaml]"))
    contract = tmp_path / "project/kernels/decode.yaml"
    contract.write_text(f'{CONTRACT}source: {{file: ../../outside/netrc, symbol: k, sha256: "{"0" * 64}"}}\n')
    assert not any(one.startswith("REF-09") for one in findings(spec))
    assert any(one.startswith("REF-09") for one in findings(spec, root=tmp_path))


def test_a_contract_checked_alone_reads_no_other_file(outside: Path) -> None:
    contract = outside / "decode.yaml"
    contract.write_text(f'{CONTRACT}source: {{file: netrc, symbol: k, sha256: "{"0" * 64}"}}\n')
    assert check_paths([contract]).findings == ()


def test_a_searched_folder_is_left_by_no_link(tmp_path: Path, outside: Path) -> None:
    study(tmp_path / "project")
    (tmp_path / "project/stranger.yaml").symlink_to(outside / "netrc")
    result = megasolve("check", str(tmp_path / "project"))
    assert result.exit_code == 2
    assert "stranger.yaml: is a link that leads out of the project" in result.stderr
    assert "hunter2" not in result.output


# Text of files that are none of ours


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("netrc", SECRET),
        ("secret.yaml", "password: hunter2\npassword: hunter3\n"),
        ("secret.yaml", "megasolve: hunter2\n"),
        ("secret.yaml", "? [hunter2]\n: !hunter2 x\n*hunter2 : 1\n"),
        ("secret.yaml", "- hunter2\n- {hunter2: 1}\n"),
        ("secret.yaml", "hunter2: [\n"),
        ("secret.yaml", f"a: 1{b'hunter2'.hex()}e99999\n"),
        ("secret.jsonl", '{"megasolve": "hunter2"}\n{"hunter2": 1, "hunter2": 2}\n'),
        ("secret.jsonl", '"hunter2"\n{"a": hunter2}\n'),
        ("secret.json", '{"hunter2": {}}'),
    ],
)
def test_no_text_of_a_file_that_is_none_of_ours_is_printed(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    study(tmp_path, ("records: []", f"records: []\nprofiles: [{name}]"), ("contracts: []", f"contracts: [{name}]"))
    for words in (["check", str(file)], ["check", str(tmp_path)], ["import", str(file)], ["solve", str(tmp_path / "spec.yaml")]):
        assert "hunter" not in megasolve(*words).output


def test_a_file_of_ours_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("megasolve: contract/v1\nentry: x\nentry: y\n")
    assert "duplicate key 'entry': 'x' on line 2 and 'y' on line 3; keep one" in megasolve("check", str(tmp_path / "one.yaml")).stdout


# Bounded work


@pytest.mark.parametrize(
    "pattern",
    ["*/../" * 18 + "x", "*/*/../../x.yaml", "**/../x", "x" * 5000, "[" * 300, "a\0b"],
    ids=["many", "two", "any", "long", "set", "null"],
)
def test_a_pattern_that_goes_round_or_is_no_path_is_refused_at_once(tmp_path: Path, pattern: str) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    with pytest.raises(PatternRefused):
        matching(pattern, project_in(tmp_path), str(tmp_path), Folders())


def test_links_that_lead_round_in_circles_are_followed_once(tmp_path: Path) -> None:
    for name in "abcdefgh":
        (tmp_path / name).symlink_to(".")
    (tmp_path / "x.yaml").write_text("")
    folders = Folders()
    matched = matching("/".join(["*"] * 20), project_in(tmp_path), str(tmp_path), folders)
    assert folders.names == 9 * 20
    assert len(matched.files) == 1


def test_a_deep_tree_is_walked_once_however_many_wildcards_a_pattern_has(tmp_path: Path) -> None:
    deepest = tmp_path
    for _ in range(200):
        deepest /= "d"
        deepest.mkdir()
    (deepest / "x.yaml").write_text("")
    folders = Folders()
    pattern = "/".join(["**/d"] * 5) + "/**/x.yaml"
    assert len(matching(pattern, project_in(tmp_path), str(tmp_path), folders).files) == 1
    assert folders.names == 201


def test_a_pattern_that_looks_at_too_many_names_is_refused_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("megasolve.contracts.files.disk.globs.MOST_NAMES", 20)
    for number in range(21):
        (tmp_path / f"other{number}").write_text("")
    spec = study(tmp_path, ("contracts: []", "contracts: ['**/decode.yaml', kernels/*.yaml]"))
    (finding,) = findings(spec)
    assert finding == "FIL-05 '**/decode.yaml' looks at more than 20 names; name the folders that hold the files"


def test_many_patterns_list_a_folder_once_and_end_soon(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"k{number}.yaml").write_text("")
    folders, project, start = Folders(), project_in(tmp_path), time.monotonic()

    def all_of_them() -> None:
        for number in range(100_000):
            matching(f"*x{number}.yaml", project, str(tmp_path), folders)

    with pytest.raises(PatternRefused, match=f"{MOST_NAMES:,} names"):
        all_of_them()
    assert folders.names == 300
    assert time.monotonic() - start < 60
