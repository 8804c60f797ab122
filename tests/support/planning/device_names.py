"""Names by which drivers call shipped devices, and profiled GPUs that go by them."""

from __future__ import annotations

from megasolve.contracts.profiles import ObservedDevice

H100 = ObservedDevice(0, "NVIDIA H100 80GB HBM3", 132, "9.0")
