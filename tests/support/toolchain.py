"""What tests need of the machine. Without it they are skipped, except in CI, where they fail."""

from __future__ import annotations

import ctypes
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from megasolve.gpu.standin.host_build import host_compiler
from tests.support.browser import CHROMIUM, DRIVER

_IS_CI = "MEGASOLVE_CI" in os.environ
_HAS_BINDINGS = find_spec("cuda") is not None


def _has_driver() -> bool:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


# What is said without a driver is tested wherever there is none, as in CI.
needs_no_driver = pytest.mark.skipif(_has_driver(), reason="this machine has a driver")

needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists() and not _IS_CI, reason="needs /dev/full")

# Where root runs the tests, processes that are to meet a permission give up its capabilities, which only Linux has.
needs_permissions = pytest.mark.skipif(os.geteuid() == 0 and sys.platform != "linux", reason="root may read and search everything")

needs_host_compiler = pytest.mark.skipif(host_compiler() is None and not _IS_CI, reason="needs a C++ compiler (g++, or CXX), on Linux")

needs_bindings = pytest.mark.skipif(not _HAS_BINDINGS and not _IS_CI, reason="needs pip install 'megasolve[gpu]', on Linux")

# The stand-in driver is built by the compiler, loaded by the CUDA bindings, and given cubins that NVRTC compiled.
needs_stand_in = pytest.mark.skipif(
    not (host_compiler() and _HAS_BINDINGS) and not _IS_CI, reason="needs a C++ compiler and pip install 'megasolve[gpu]', on Linux"
)

needs_nvrtc = pytest.mark.skipif(not _HAS_BINDINGS and not _IS_CI, reason="needs NVRTC: pip install 'megasolve[gpu]', on Linux")

# An unpacked archive has no history.
needs_history = pytest.mark.skipif(
    not (Path(__file__).parents[2] / ".git").exists() and not _IS_CI, reason="needs the history of the checkout"
)

_HAS_BROWSER = CHROMIUM is not None and DRIVER is not None and find_spec("selenium") is not None
needs_browser = pytest.mark.skipif(not _HAS_BROWSER and not _IS_CI, reason="needs chromium, chromedriver and selenium")

needs_dask = pytest.mark.skipif(find_spec("distributed") is None and not _IS_CI, reason="needs pip install 'megasolve[dask]'")

_HAS_COMPILER = find_spec("llvmlite") is not None
needs_compiler = pytest.mark.skipif(not _HAS_COMPILER and not _IS_CI, reason="llvmlite has no wheel for this Python and machine")
