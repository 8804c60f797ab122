"""Profiles with private values planted wherever their formats have room for some, around kernels that are fine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.profiles.kineto_traces import annotation, call, event, kernel, trace_text
from tests.support.profiles.nsys import one_kernel
from tests.support.profiles.reports import DETAILS_HEADER, table
from tests.support.profiles.step_traces import GPU

SECRETS = ("s3cret-token", "alice", "build-host-17", "/home/alice/model")
_TOKEN, _USER, _HOST, _FOLDER = SECRETS
_ENVIRONMENT = f"HF_TOKEN={_TOKEN} USER={_USER} HOSTNAME={_HOST} PWD={_FOLDER}"


def private_kineto(folder: Path) -> Path:
    """Write a PyTorch trace whose metadata and CPU events name the user, the host and the environment."""
    system = {"node": _HOST, "user": _USER, "environment": {"HF_TOKEN": _TOKEN}, "command": f"{_FOLDER}/run.py --token {_TOKEN}"}
    process = {"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": f"python {_FOLDER}/run.py"}}
    labels = {"ph": "M", "name": "process_labels", "pid": 100, "tid": 0, "ts": 0, "args": {"labels": _HOST}}
    python = event("python_function", f"{_FOLDER}/model.py(10): forward", 1, 90)
    told: dict[str, Any] = {"Process Group Name": _HOST, "Environment": _ENVIRONMENT}
    metadata = kernel("gemm_bf16", 10, 5, **told)
    events = (process, labels, python, annotation("ProfilerStep#1", 1, 90), call("cudaLaunchKernel", 2, 1), metadata)
    text = trace_text(*events, metadata=system, hostname=_HOST, USER=_USER, deviceProperties=[GPU])
    path = folder / "trace.json"
    path.write_text(text.replace('"t.json"', f'"{_FOLDER}/trace.json"'))
    return path


def private_nsys(folder: Path) -> Path:
    """Write an Nsight Systems export with the tables that hold the environment, the host, the user and processes."""
    export = one_kernel()
    export.row("TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="DeviceEnvironment", name="Environment", nameEnum=1, value=_ENVIRONMENT)
    for name, value in (("EXPORT_USER_NAME", _USER), ("EXPORT_HOST_NAME", _HOST), ("EXPORT_ARGUMENTS", f"{_FOLDER} {_TOKEN}")):
        export.row("META_DATA_EXPORT", name=name, value=value)
    for name, value in (("HOST_NAME", _HOST), ("LAUNCH_ARGUMENTS", f"{_FOLDER}/run.py {_TOKEN}"), ("ENVIRONMENT", _ENVIRONMENT)):
        export.row("META_DATA_CAPTURE", name=name, value=value)
    export.row("PROCESSES", globalPid=1 << 48 | 4711 << 24, pid=4711, name=f"{_FOLDER}/run.py")
    export.row("ThreadNames", nameId=export.string(f"{_USER}@{_HOST}"), priority=0, globalTid=1)
    return export.write(folder)


def private_ncu(folder: Path) -> Path:
    """Write an Nsight Compute table whose rows name the process and the host."""
    row = ("0", "1", f"{_FOLDER}/run.py", _HOST, "decode<float>(float *)", "1", "7", "(128, 1, 1)", "(132, 1, 1)", "0", "9.0")
    metric = ("GPU Speed Of Light", "dram__bytes.sum", "byte", "4096", "", "", "")
    path = folder / "kernels.csv"
    path.write_text(f"==PROF== Connected to process 1 ({_FOLDER}/run.py)\n{_ENVIRONMENT}\n" + table(DETAILS_HEADER, [(*row, *metric)]))
    return path
