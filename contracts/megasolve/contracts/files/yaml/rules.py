"""The rules of the text itself: what YAML 1.2 or JSON lines say, and what megasolve leaves out of them."""

from __future__ import annotations

from ...model.rules import Rule

SYNTAX = Rule("YML-01", "syntax", "The file is well-formed YAML.")
DUPLICATE_KEY = Rule("YML-02", "duplicate-key", "A mapping holds each key once.")
KEY_NOT_TEXT = Rule("YML-03", "key-not-text", "Keys are text; a number, a truth value or nothing is no key.")
MERGE_KEY = Rule("YML-04", "merge-key", "Merge keys (`<<`) are not part of YAML 1.2 and hide what a mapping holds.")
FOREIGN_TAG = Rule("YML-05", "foreign-tag", "Only the core tags of YAML 1.2 are read.")
SEVERAL_DOCUMENTS = Rule("YML-06", "several-documents", "A file holds one document.")
BAD_ALIAS = Rule("YML-07", "bad-alias", "An alias names one anchor that stands before it and does not contain it.")
TOO_MANY_VALUES = Rule("YML-08", "too-many-values", "A file holds at most 2,000,000 values, and aliases add at most 200,000.")
TOO_DEEP = Rule("YML-09", "too-deep", "Mappings and lists are nested at most 64 deep.")
CONTROL_CHARACTER = Rule("YML-10", "control-character", "A text holds no control characters except tab and line ends.")
NUMBER_TOO_LONG = Rule("YML-11", "number-too-long", "A number has at most 64 characters and an exponent within 308.")
BROKEN_LINE = Rule("YML-12", "broken-line", "Each line of a JSON lines file is one complete JSON object.")
UNTERMINATED_LINE = Rule("YML-13", "unterminated-line", "Each line of a JSON lines file is finished by a line end.")
