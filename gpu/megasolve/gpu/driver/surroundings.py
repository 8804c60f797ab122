"""What around a process changes how kernels run beside each other."""

from __future__ import annotations

from collections.abc import Mapping

# A kernel that is loaded at its first launch waits for the device, and for ever if a kernel spins there.
EXPERIMENT_ENVIRONMENT: Mapping[str, str] = {"CUDA_MODULE_LOADING": "EAGER"}

_SERIALIZING = {
    "CUDA_LAUNCH_BLOCKING": "each launch waits for its end",
    "CUDA_INJECTION64_PATH": "a profiler or checker is attached, which may run kernels one after the other",
    "NV_COMPUTE_PROFILER_PERFWORKS_DIR": "ncu is attached, which runs kernels one after the other",
}


def serialized_by(environment: Mapping[str, str]) -> str | None:
    """Return why kernels would not run beside each other in this *environment*, in one line; None if nothing speaks against it.

    Two kernels of which one waits for the other then never end, so co-run experiments have to be refused.
    """
    for name, why in _SERIALIZING.items():
        if environment.get(name, "0") not in {"", "0"}:
            return f"{name} is set: {why}; unset it for co-run experiments"
    return None
