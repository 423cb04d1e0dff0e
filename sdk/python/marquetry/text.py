"""Lines of a text, and edits on it. All offsets are indices of a `str`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .types import Edit

_BREAK = re.compile(r"[\r\n]")
_BLANKS = re.compile(r"[ \t]*")


def line_start(text: str, offset: int) -> int:
    """Where the line of this offset starts."""
    at = offset
    while at > 0 and text[at - 1] not in "\r\n":
        at -= 1
    return at


def line_end(text: str, offset: int) -> int:
    """Where the line of this offset ends, its line break not included."""
    found = _BREAK.search(text, offset)
    return len(text) if found is None else found.start()


def next_line(text: str, offset: int) -> int:
    """Where the next line starts; the end of the text on the last line."""
    end = line_end(text, offset)
    return end + 2 if text.startswith("\r\n", end) else min(end + 1, len(text))


def previous_line(text: str, start: int) -> int | None:
    """Where the line before the one that starts here starts; nothing before the first line."""
    if start == 0:
        return None
    return line_start(text, start - (2 if text[start - 2 : start] == "\r\n" else 1))


def indent_at(text: str, offset: int) -> str:
    """The blanks at the start of the line of this offset."""
    found = _BLANKS.match(text, line_start(text, offset))
    return found.group() if found else ""


def reindent(content: str, indent: str) -> str:
    """A content as deep as its new place: the blanks that its lines share go, and `indent` comes before each."""
    lines = re.split(r"\r\n|\n|\r", content.lstrip("\r\n").rstrip())
    filled = [_depth(line) for line in lines if line.strip()]
    shared = min(filled, default=0)
    # A first line at the margin while all others are deeper was cut out of its place: the last one tells the margin.
    if len(filled) > 1 and _depth(lines[0]) == 0:
        shared = filled[-1] if min(filled[1:]) > 0 else 0
    moved = [line[_depth(line) if at == 0 else min(shared, _depth(line)) :] for at, line in enumerate(lines)]
    return "\n".join(indent + line if line.strip() else "" for line in moved)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits, which are sorted and do not overlap."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*parts, text[at:]])
