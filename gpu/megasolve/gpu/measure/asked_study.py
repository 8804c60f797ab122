"""The study that a child was asked about, read again from its files."""

from __future__ import annotations

from megasolve.contracts import Study, load_study

from ..errors import GpuError


def asked_study(spec: str, device: str | None) -> Study:
    """Return the study of the file *spec* on *device*; None is the spec's own.

    Raises
    ------
    GpuError
        It cannot be read any more.
    """
    study, findings = load_study(spec, device)
    if study is None:
        raise GpuError(f"{spec} changed while it was measured: {findings[0]}")
    return study
