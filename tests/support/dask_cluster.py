"""A local cluster of Dask: a scheduler and two worker processes, in processes of their own, that run this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .command import CHECKOUT, ROOTS

_PROGRAM = """
import sys
if __name__ == "__main__":
    from distributed import LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50) as cluster:
        print(cluster.scheduler_address, *[worker.pid for worker in cluster.workers.values()], flush=True)
        sys.stdin.read()
"""


@dataclass(frozen=True)
class LocalDask:
    """The *address* of the scheduler, its process and those of the workers."""

    address: str
    scheduler: int
    workers: tuple[int, ...]


@contextmanager
def local_dask() -> Iterator[LocalDask]:
    """Yield a cluster that ends with the block."""
    told = {**os.environ, "PYTHONPATH": os.pathsep.join([str(CHECKOUT), ROOTS]), "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "false"}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", _PROGRAM]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=told, cwd=CHECKOUT) as process:
        try:
            assert process.stdout is not None
            address, *workers = process.stdout.readline().split()
            yield LocalDask(address, process.pid, tuple(map(int, workers)))
        finally:
            process.terminate()
            assert process.stdin is not None
            process.stdin.close()
            process.wait(30)
