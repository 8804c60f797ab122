"""What a child was asked about: the study, read again from its files, and a session with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from megasolve.contracts import Study, load_study

from ..driver import Context
from ..errors import GpuError
from .counts import Counts
from .session import Session


class AskedStudy(Protocol):
    """What every request to a child says of the study."""

    @property
    def spec(self) -> str:
        """The file of the spec."""

    @property
    def device(self) -> str | None:
        """The device to plan for; None is the spec's own."""

    @property
    def root(self) -> str | None:
        """What the project of the spec was widened to, if it was."""


class AskedSession(AskedStudy, Protocol):
    """What every request for a session has."""

    @property
    def ordinal(self) -> int:
        """The number of the GPU."""

    @property
    def batch(self) -> int:
        """The batch size."""


@contextmanager
def asked_session(request: AskedSession, counts: Counts) -> Iterator[Session]:
    """Open the GPU of *request* and a session on it, both for as long as the block runs.

    Raises
    ------
    GpuError
        The study cannot be read any more, or the device cannot be used.
    """
    study = asked_study(request)
    with Context(request.ordinal) as context, Session(context, study, request.batch, counts) as session:
        yield session


def asked_study(request: AskedStudy) -> Study:
    """Return the study that *request* is about.

    Raises
    ------
    GpuError
        It cannot be read any more.
    """
    # The parent has read the same files without an error, so what fails now has changed since.
    study, findings = load_study(request.spec, request.device, root=request.root)
    if study is None:
        raise GpuError(f"{request.spec} changed while it was measured: {findings[0]}")
    return study
