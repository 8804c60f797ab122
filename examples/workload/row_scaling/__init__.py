"""Rows divided by their root mean square, as a workload: copy it, and put your own kernels, inputs and reference in their place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from megasolve.contracts import Contract, Study
from megasolve.gpu.workloads import Arrays, AskedCall, Buffer, KernelCode, Scratch, StatedCall, StatedLaunch, Workload, cuda_code

X, GAIN, Y = Buffer("x"), Buffer("gain"), Buffer("y")


class RowScaling(Workload):
    """The kernels of `kernels.cu`; `rows` and `columns` are symbols of the spec."""

    def kernels(self, contract: Contract) -> KernelCode:
        """Both kernels stand in one file; the contract's `source.symbol` says which is launched."""
        return cuda_code(contract, Path(__file__).with_name("kernels.cu"))

    def weights(self, study: Study, batch: int, seed: int) -> Arrays:
        """What all calls read and none writes."""
        columns = study.spec.value.symbols["columns"]
        return {"gain": np.random.default_rng(seed).uniform(0.5, 2, columns).astype(np.float32)}

    def inputs(self, call: AskedCall, seed: int) -> Arrays:
        """Random rows, and NaN where the kernels must write."""
        shape = call.symbols["batch"] * call.symbols["rows"], call.symbols["columns"]
        x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        return {"x": x, "y": np.full(shape, np.nan, np.float32)}

    def reference(self, call: AskedCall, arrays: Arrays) -> Arrays:
        """The same in float64, without kernels."""
        x = arrays["x"].astype(np.float64)
        return {"y": x / np.sqrt((x * x).mean(axis=1, keepdims=True)) * arrays["gain"]}

    def launches(self, call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        """A block for each row, or *ctas* blocks that share a ticket, which is zero before each call."""
        contract, columns = contracts[0], call.symbols["columns"]
        rows = call.symbols["batch"] * call.symbols["rows"]
        if contract.backend == "conventional":
            return StatedCall((StatedLaunch("scale_rows", rows, (X, GAIN, Y, columns), contract.entry),))
        arguments = (X, GAIN, Y, rows, columns, Scratch("ticket", 1))
        return StatedCall((StatedLaunch("scale_rows_persistently", ctas, arguments, contract.entry),))


WORKLOAD = RowScaling()
