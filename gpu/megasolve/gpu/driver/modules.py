"""Modules from cubins, and the kernels in them."""

from __future__ import annotations

from typing import Any

from .calls import ask, bindings
from .device import Context
from .errors import DoesNotFit
from .guarded import Guarded

_SHARED_WITHOUT_CONSENT_BYTES = 48 << 10


class Module(Guarded):
    """The kernels of one cubin, loaded.

    Loading is eager as far as kernels that are looked up go: `function` loads the code itself, never its first launch.
    """

    def __init__(self, context: Context, image: bytes) -> None:
        super().__init__(ask("cuModuleLoadData", image), "cuModuleUnload", context)
        self.context = context

    def function(self, name: str) -> Function:
        """Return the kernel of this symbol."""
        handle = ask("cuModuleGetFunction", self.handle, name.encode())
        # A kernel that is loaded at its first launch would wait for a kernel that spins.
        ask("cuFuncLoad", handle)
        return Function(self, name, handle)


class Function:
    """A kernel on the device of its module, with what the driver says it needs."""

    def __init__(self, module: Module, name: str, handle: Any) -> None:
        self._module = module
        self._handle = handle
        self.name = name
        self.device = module.context.device
        self.registers = self._attribute("NUM_REGS")
        self.local_bytes = self._attribute("LOCAL_SIZE_BYTES")
        self.shared_bytes = self._attribute("SHARED_SIZE_BYTES")
        self.threads_per_cta = self._attribute("MAX_THREADS_PER_BLOCK")

    @property
    def handle(self) -> Any:
        """What the driver knows the kernel by; its module must be open."""
        if not self._module.is_open:
            raise ValueError(f"the module of kernel {self.name} has been given back to the driver")
        return self._handle

    def allow_shared_bytes(self, dynamic_bytes: int) -> None:
        """Let launches use so much dynamic shared memory, which the driver wants to be told from 48 KiB on.

        Raises
        ------
        DoesNotFit
            Together with the kernel's own it is more than a block of this device can have.
        """
        limit = self.device.shared_bytes_per_cta
        # Static and dynamic share one limit; asking for both together names the overshoot before the driver refuses.
        needed = self.shared_bytes + dynamic_bytes
        if needed > limit:
            raise DoesNotFit(
                f"{self.name}: {needed:,} B of shared memory > {limit:,} B per block on {self.device.name}, {needed - limit:,} B too many"
            )
        if needed > _SHARED_WITHOUT_CONSENT_BYTES:
            # Never less than before: another launch of this kernel may have been prepared with more.
            allowed = max(dynamic_bytes, self._attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES"))
            ask("cuFuncSetAttribute", self.handle, self._named("MAX_DYNAMIC_SHARED_SIZE_BYTES"), allowed)

    def ctas_per_sm(self, threads: int, dynamic_shared_bytes: int = 0) -> int:
        """Return how many blocks of such a launch one SM holds at once; 0 if it cannot be launched."""
        return int(ask("cuOccupancyMaxActiveBlocksPerMultiprocessor", self.handle, threads, dynamic_shared_bytes))

    def _attribute(self, name: str) -> int:
        return int(ask("cuFuncGetAttribute", self._named(name), self._handle))

    @staticmethod
    def _named(name: str) -> Any:
        return getattr(bindings().CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
