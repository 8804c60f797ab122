"""What the YAML parser complains about, in plain words."""

from __future__ import annotations

import re
from itertools import islice

import yaml

MAX_CONTROL_CHARACTERS = 20

_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

_OPENED = {
    "while parsing a flow sequence": "the list opened with '[' on line {line} is not closed: expected ',' or ']'",
    "while parsing a flow mapping": "the mapping opened with '{{' on line {line} is not closed: expected ',' or '}}'",
    "while scanning a quoted scalar": "the quoted text that starts on line {line} is not closed",
    "while parsing a quoted scalar": "the quoted text that starts on line {line} holds an unknown escape",
    "while scanning a simple key": "expected ':' after the key on line {line}",
    "while parsing a block mapping": "expected a key of the mapping that starts on line {line}: check the indentation and the quotes",
    "while parsing a block collection": "expected '- ' as in the list that starts on line {line}: check the indentation",
}
_PROBLEMS = {
    "mapping values are not allowed in this context": "': ' is not allowed here: check the indentation, or put the text in quotes",
    "found character that cannot start any token": "this character cannot start a value: put the text in quotes",
    "found a tab character that violates indentation": "a tab cannot indent: use spaces",
    "block sequence entries are not allowed in this context": "'- ' is not allowed here: start the list on its own line",
    "did not find expected <document start>": "expected the end of the file, or a key at the start of the line: check the indentation",
}


def control_characters(text: str) -> list[tuple[int, int, str]]:
    """Return line, column and character of the characters that YAML does not allow, at most 20 of them."""
    found = []
    for match in islice(_CONTROL.finditer(text), MAX_CONTROL_CHARACTERS):
        start = match.start()
        found.append((text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start), match.group()))
    return found


def syntax_position(error: yaml.YAMLError) -> tuple[int, int]:
    """Return line and column of *error*, both from 1."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def syntax_message(error: yaml.YAMLError, text: str) -> str:
    """Return in one plain line what is wrong with *text* at the place of *error*, and what would be right."""
    if _character(text, error) == "\t":
        return "a tab cannot indent or start a value: use spaces"
    problem, context = getattr(error, "problem", None) or str(error).splitlines()[0], getattr(error, "context", None)
    if problem in _PROBLEMS:
        return _PROBLEMS[problem]
    opened = getattr(error, "context_mark", None)
    if context in _OPENED and opened is not None:
        return _OPENED[context].format(line=opened.line + 1)
    return f"not valid YAML: {problem}"


def _character(text: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return text[mark.index : mark.index + 1] if mark is not None else ""
