"""What stops the import of a profile; always one line that says what is wrong, where, and what would help."""

from __future__ import annotations

from ..model.errors import UnreadableFile


class ProfileRefused(UnreadableFile):
    """A file that is no profile, or one that cannot be trusted: truncated, malformed, spliced, of another tool, or without kernels."""
