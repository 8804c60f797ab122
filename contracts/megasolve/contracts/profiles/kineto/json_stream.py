"""A reader of one huge JSON text: front to back, one value at a time, in memory that does not grow with the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from io import BufferedReader
from typing import Any, NoReturn

from ..errors import ProfileRefused

_CHUNK_BYTES = 2**20
_LONGEST_VALUE = 16 * 2**20
# The longest word, escape or mark that the end of a window may cut in two.
_LONGEST_MARK = 16
_LONGEST_OPENING = 256

_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")

_CUT_MARK = re.compile(r"\s*|[-.]|[eE][-+]?|\\?u[0-9a-fA-F]{0,4}")
# A byte order mark may stand before the text.
_TEXT = re.compile(r"[^ \t\n\r\ufeff]")
_NEXT_EVENT = re.compile(r',[ \t\n\r]*(?=\{[ \t\n\r]*"(?:args|bp|cat|dur|id|name|ph|pid|s|tid|ts)"[ \t\n\r]*:)')


class BrokenJson(ValueError):
    """The text is no whole JSON: *reason* says so after the name of the file, *offset_bytes* counts in the unzipped text."""

    def __init__(self, reason: str, offset_bytes: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset_bytes = offset_bytes


class _NoNumber(ValueError):
    """A word that JavaScript takes for a number, and JSON does not."""


class JsonStream:
    """A JSON text that is decoded as it is read; decimals stay text, so no digit is lost.

    With *recover*, a broken element of the array that is streamed is skipped up to what looks like the next trace event; *lost* counts
    them, and *is_cut* tells that the rest of the text could not be read.
    """

    def __init__(self, stream: BufferedReader, *, recover: bool = False) -> None:
        self.lost = 0
        self.is_cut = False
        self._stream = stream
        self._recover = recover
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape" if recover else "strict")
        self._decode = json.JSONDecoder(parse_float=str, parse_constant=_refuse_constant, strict=not recover).raw_decode
        self._window, self._at, self._value_at = "", 0, 0
        self._behind_bytes = self._read_bytes = 0
        self._is_read = False

    @property
    def offset_bytes(self) -> int:
        """Where the value that was read last starts, in bytes of the unzipped text."""
        return self._behind_bytes + _size(self._window[: self._value_at])

    def members(self, streamed: str) -> Iterator[tuple[str, Any]]:
        """Yield the members of the top-level object; that of the key *streamed* is an iterator over the elements of its array.

        A text that is an array alone counts as that member. Raises BrokenJson.
        """
        try:
            yield from self._members(streamed)
        except BrokenJson:
            if not self._recover:
                raise
            self.is_cut = True

    def _members(self, streamed: str) -> Iterator[tuple[str, Any]]:
        if self._sign("[{") == "[":
            yield streamed, self._elements()
        else:
            yield from self._object(streamed)
        if not self.is_cut:
            self._require_end()

    def _object(self, streamed: str) -> Iterator[tuple[str, Any]]:
        more = self._peek() != "}" or self._sign("}") != "}"
        while more:
            if self._peek() != '"':
                self._break_at(self._at, "expected a key in quotes")
            key = self._value()
            self._sign(":")
            if key == streamed:
                self._sign("[")
                yield key, self._elements()
                if self.is_cut:
                    return
            else:
                yield key, self._value()
            more = self._sign(",}") == ","

    def _elements(self) -> Iterator[Any]:
        try:
            more = self._peek() != "]" or self._sign("]") != "]"
        except BrokenJson:
            if not self._recover:
                raise
            more, self.is_cut = False, True
        while more:
            try:
                yield self._value()
                more = self._sign(",]") == ","
            except BrokenJson:
                if not self._recover:
                    raise
                more = self._resume()

    def _resume(self) -> bool:
        """Go on at what looks like the next event; False where there is none."""
        self.lost += 1
        self._at += 1
        while (match := _NEXT_EVENT.search(self._window, self._at)) is None:
            self._at = max(self._at, len(self._window) - _LONGEST_OPENING)
            if not self._grow():
                self.is_cut = True
                return False
        self._at = match.end()
        return True

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._decode(self._window, self._at)
            except json.JSONDecodeError as error:
                self._grow_or_break(error)
            except RecursionError:
                self._break_at(self._at, "the value that starts there is nested too deeply")
            except _NoNumber as constant:
                self._break_at(self._at, f"in the value that starts there, {constant} is no number")
            except ValueError:
                self._break_at(self._at, "in the value that starts there, a number has thousands of digits")
            else:
                # A number at the end of the window may go on behind it.
                if end + _LONGEST_MARK < len(self._window) or not self._grow():
                    self._value_at, self._at = self._at, end
                    return value

    def _peek(self) -> str:
        """Return the next character that is not blank, and stand on it."""
        while (match := _TEXT.search(self._window, self._at)) is None:
            self._at = len(self._window)
            if not self._grow():
                self._break_off()
        self._at = match.start()
        return match[0]

    def _sign(self, allowed: str) -> str:
        sign = self._peek()
        if sign not in allowed:
            self._break_at(self._at, f"expected {' or '.join(allowed)}")
        self._at += 1
        return sign

    def _require_end(self) -> None:
        while (match := _TEXT.search(self._window, self._at)) is None:
            self._at = len(self._window)
            if not self._grow():
                return
        self._break_at(match.start(), "the text goes on after the end of its value")

    def _grow(self) -> bool:
        """Slide the window up to where reading stands and lengthen it; False, and nothing changed, at the end of the text."""
        rest = self._window[self._at :]
        if len(rest) > _LONGEST_VALUE:
            self._break_at(self._at, f"one value is longer than {_LONGEST_VALUE:,} characters")
        added = self._read(max(_CHUNK_BYTES, len(rest)))
        if not added:
            return False
        self._behind_bytes += _size(self._window[: self._at])
        self._window, self._at = rest + added, 0
        return True

    def _read(self, size: int) -> str:
        text = ""
        while not text and not self._is_read:
            chunk = self._chunk(size)
            self._is_read = not chunk
            try:
                text = self._decoder.decode(chunk, final=self._is_read)
            except UnicodeDecodeError as error:
                at = self._read_bytes + error.start - (len(error.object) - len(chunk))
                reason = f"is truncated at byte {at:,}, inside a character" if self._is_read else f"is not UTF-8 text at byte {at:,}"
                raise BrokenJson(reason, at) from None
            self._read_bytes += len(chunk)
        return text

    def _chunk(self, size: int) -> bytes:
        try:
            # Not read(): that would lose what came before a gzip breaks off.
            return self._stream.read1(size)
        except ProfileRefused:
            if not self._recover:
                raise
            return b""

    def _grow_or_break(self, error: json.JSONDecodeError) -> None:
        rest = self._window[error.pos :]
        is_unterminated = error.msg.startswith("Unterminated string")
        if not is_unterminated and len(rest) > _LONGEST_MARK:
            self._break_at(error.pos, _lowered(error.msg))
        if self._grow():
            return
        if is_unterminated or _may_be_cut(rest):
            self._break_off()
        self._break_at(error.pos, _lowered(error.msg))

    def _break_at(self, at: int, reason: str) -> NoReturn:
        offset = self._behind_bytes + _size(self._window[:at])
        raise BrokenJson(f"is malformed JSON at byte {offset:,}: {reason}", offset) from None

    def _break_off(self) -> NoReturn:
        if not self._read_bytes:
            raise BrokenJson("is empty", 0) from None
        reason = f"is truncated: it ends after {self._read_bytes:,} bytes of text, in the middle of the JSON"
        raise BrokenJson(reason, self._read_bytes) from None


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def _may_be_cut(rest: str) -> bool:
    """Return whether *rest*, the end of a text, starts a word, a number or an escape, or is nothing."""
    return _CUT_MARK.fullmatch(rest) is not None or any(word.startswith(rest) for word in _WORDS)


def _refuse_constant(name: str) -> NoReturn:
    raise _NoNumber(name)
