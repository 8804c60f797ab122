"""What tests need of the machine. Without it they are skipped, except in CI, where they fail."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import pytest

from megasolve.gpu.standin.host_build import host_compiler

_IS_CI = "MEGASOLVE_CI" in os.environ
_HAS_BINDINGS = find_spec("cuda") is not None

# Where root runs the tests, processes that are to meet a permission give up its capabilities, which only Linux has.
needs_permissions = pytest.mark.skipif(os.geteuid() == 0 and sys.platform != "linux", reason="root may read and search everything")

needs_host_compiler = pytest.mark.skipif(host_compiler() is None and not _IS_CI, reason="needs a C++ compiler (g++, or CXX), on Linux")

needs_bindings = pytest.mark.skipif(not _HAS_BINDINGS and not _IS_CI, reason="needs pip install 'megasolve[gpu]', on Linux")

# The stand-in driver is built by the compiler, loaded by the CUDA bindings, and given cubins that NVRTC compiled.
needs_stand_in = pytest.mark.skipif(
    not (host_compiler() and _HAS_BINDINGS) and not _IS_CI, reason="needs a C++ compiler and pip install 'megasolve[gpu]', on Linux"
)

needs_nvrtc = pytest.mark.skipif(not _HAS_BINDINGS and not _IS_CI, reason="needs NVRTC: pip install 'megasolve[gpu]', on Linux")
