"""A second process with other hashes, which runs the same commands in the same folder: what it prints must be the same bytes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import IO

CHECKOUT = Path(__file__).parents[2]
ROOTS = os.pathsep.join(str(CHECKOUT / root) for root in (".", "contracts", "simulate", "solver", "gpu"))


class TwinProcess:
    """The second process; `run` asks it for one command."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": ROOTS, "PYTHONHASHSEED": "4711"}
        command = [sys.executable, "-m", "tests.fuzz.twins"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=CHECKOUT, start_new_session=True
        )

    def run(self, words: tuple[str, ...]) -> bytes:
        """Return what the command prints in the current folder of this process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump((str(Path.cwd()), words), self._process.stdin)
        self._process.stdin.flush()
        printed: bytes = pickle.load(self._process.stdout)
        return printed

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def serve(asked: IO[bytes], told: IO[bytes]) -> None:
    """Run the commands that are asked for until nobody asks any more."""
    from tests.fuzz.running import answer

    while True:
        try:
            folder, words = pickle.load(asked)
        except EOFError:
            return
        os.chdir(folder)
        pickle.dump(answer(*words).out, told)
        told.flush()
        os.chdir(CHECKOUT)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
