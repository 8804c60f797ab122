"""The rules of the files that a spec names: its device, contracts, records and tables of what was compiled."""

from __future__ import annotations

from ..model.rules import Rule

NO_SUCH_DEVICE = Rule("FIL-01", "no-such-device", "The device of a spec is a file beside it or the name of a known device.")
MATCHES_NOTHING = Rule("FIL-02", "matches-nothing", "Each pattern for contracts, records and compiled tables matches at least one file.")
WRONG_KIND = Rule("FIL-03", "wrong-kind", "A file is of the kind that it is named as.")
OUTSIDE_PROJECT = Rule("FIL-04", "outside-project", "What a spec names lies in the project of the spec and is not hidden.")
PATTERN_TOO_WIDE = Rule("FIL-05", "pattern-too-wide", "A pattern goes down from folder to folder, past a limited number of names.")
