"""The measured file: runs of compositions and co-runs, appended as they end. No plan ever reads it."""

from __future__ import annotations

from pathlib import Path

from megasolve.contracts import Measured, MeasuredRun, Severity, UnreadableFile, read_document
from megasolve.contracts.files.exact_json import exact_json

from .lines_file import LinesFile, LinesFileRefused

_HEAD = {"megasolve": "measured/v1"}
_NAMED = 3


class MeasuredFile(LinesFile):
    """A measured file as JSON lines, held by this process alone until it is closed.

    Raises
    ------
    LinesFileRefused
        Another process holds it, it is no measured file without errors, or holds runs of the hardware where *fake* ones shall be added.
    OSError
        It cannot be opened or made.
    """

    def __init__(self, path: Path, *, fake: bool) -> None:
        super().__init__(path)
        try:
            self.runs = self._read()
            self._refuse_mixture(fake=fake)
        except BaseException:
            self.close()
            raise

    def add(self, run: MeasuredRun) -> None:
        """Append *run*.

        Raises
        ------
        OSError
            It cannot be written; the file is then as it was.
        """
        line = f"{exact_json(run.model_dump(by_alias=True, exclude_unset=True))}\n".encode()
        # The head comes with the first run: a file without lines goes when it is closed.
        self.append(*(() if self.lines else (f"{exact_json(_HEAD)}\n".encode(),)), line)
        self.runs = (*self.runs, run)

    def _read(self) -> tuple[MeasuredRun, ...]:
        if not self.lines:
            return ()
        try:
            document, findings = read_document(self.path)
        except UnreadableFile as error:
            raise LinesFileRefused(f"{error}; write to another file with -o") from None
        errors = [str(finding) for finding in findings if finding.severity is Severity.ERROR]
        if document is None or not isinstance(document.value, Measured):
            shown = "; ".join(errors[:_NAMED]) or f"{self.path} is no measured file"
            raise LinesFileRefused(f"{shown}; repair it, or write to another file with -o")
        return document.value.runs

    def _refuse_mixture(self, *, fake: bool) -> None:
        """Times of a virtual clock among those of a GPU would be taken for them."""
        if any(run.provenance.fake != fake for run in self.runs):
            here, there = ("a stand-in", "a GPU") if fake else ("a GPU", "a stand-in")
            raise LinesFileRefused(f"{self.path} holds runs on {there}, and these are on {here}; write them to another file with -o")
