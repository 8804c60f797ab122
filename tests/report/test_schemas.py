"""The committed JSON Schemas are those of the models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from megasolve.contracts import KINDS
from megasolve.report import schema_json
from megasolve.report.schemas import RESULTS
from tests.support.command import CHECKOUT

SCHEMAS = CHECKOUT / "schemas"
NAMES = [kind.partition("/")[0] for kind in KINDS]


@pytest.mark.parametrize("kind", [*NAMES, *RESULTS])
def test_a_committed_schema_is_what_the_command_prints(kind: str) -> None:
    committed = (SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8")
    assert committed == schema_json(kind), f"write it with: megasolve schema {kind} -o schemas/{kind}.schema.json"


def test_there_is_a_schema_for_each_kind_and_no_other() -> None:
    assert sorted(path.name for path in SCHEMAS.iterdir()) == sorted(f"{name}.schema.json" for name in [*NAMES, *RESULTS])


@pytest.mark.parametrize("kind", NAMES)
def test_a_schema_names_the_keys_of_the_file_and_not_of_the_model(kind: str) -> None:
    told = json.loads(schema_json(kind))
    assert told["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert told["properties"]["megasolve"]["const"] == f"{kind}/v1"
    assert told["additionalProperties"] is False
    assert "_ps" not in "".join(name for model in (told, *told["$defs"].values()) for name in model.get("properties", {}))


@pytest.mark.parametrize("kind", ["contract", "device", "records", "spec"])
def test_check_jsonschema_accepts_every_shipped_file(kind: str) -> None:
    schema = CHECKOUT / f"schemas/{kind}.schema.json"
    files = [file for file in sorted((CHECKOUT / "specs").rglob("*.yaml")) if f"\nmegasolve: {kind}/v1\n" in f"\n{file.read_text()}"]
    assert len(files) > 10
    assert _check_jsonschema(schema, *files) == 0


def test_check_jsonschema_refuses_a_key_that_no_kind_of_file_knows(tmp_path: Path) -> None:
    file = tmp_path / "device.yaml"
    file.write_text((CHECKOUT / "specs/devices/h100_nvl.yaml").read_text() + "smss: 132\n")
    assert _check_jsonschema(CHECKOUT / "schemas/device.schema.json", file) == 1


def _check_jsonschema(schema: Path, *files: Path) -> int:
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(schema), *map(str, files)]
    return subprocess.run(command, capture_output=True, check=False).returncode
