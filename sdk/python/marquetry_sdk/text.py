"""Lines of a text, and edits on it. All offsets are indices of a `str`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .types import Edit

_BREAK = re.compile(r"[\r\n]")
_BLANKS = re.compile(r"[ \t]*")


def line_start(text: str, offset: int) -> int:
    """The start of the line at this offset."""
    at = offset
    while at > 0 and text[at - 1] not in "\r\n":
        at -= 1
    return at


def line_end(text: str, offset: int) -> int:
    """The end of the line at this offset, without its line break."""
    found = _BREAK.search(text, offset)
    return len(text) if found is None else found.start()


def next_line(text: str, offset: int) -> int:
    """The start of the next line; the end of the text on the last line."""
    end = line_end(text, offset)
    return end + 2 if text.startswith("\r\n", end) else min(end + 1, len(text))


def previous_line(text: str, start: int) -> int | None:
    """The start of the previous line; `start` is the start of this line. `None` on the first line."""
    if start == 0:
        return None
    return line_start(text, start - (2 if text[start - 2 : start] == "\r\n" else 1))


def indent_at(text: str, offset: int) -> str:
    """The blanks at the start of the line at this offset."""
    found = _BLANKS.match(text, line_start(text, offset))
    return found.group() if found else ""


def reindent(content: str, indent: str) -> str:
    """Indents content for its new position: removes the common indentation and puts `indent` before each line."""
    lines = re.split(r"\r\n|\n|\r", content.lstrip("\r\n").rstrip())
    filled = [_depth(line) for line in lines if line.strip()]
    shared = min(filled, default=0)
    # If only the first line is at the margin, it was probably selected without its indentation: then the last line
    # gives the margin.
    if len(filled) > 1 and _depth(lines[0]) == 0:
        shared = filled[-1] if min(filled[1:]) > 0 else 0
    moved = [line[_depth(line) if at == 0 else min(shared, _depth(line)) :] for at, line in enumerate(lines)]
    return "\n".join(indent + line if line.strip() else "" for line in moved)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Applies edits, which must be sorted and not overlap."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*parts, text[at:]])
