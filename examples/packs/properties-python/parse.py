"""Parses a text into entries in document order. Never fails: lines that cannot be parsed are reported as diagnostics."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from marquetry_sdk import Diagnostic, Span, indent_at, line_end, line_start, next_line, previous_line

# The key ends at the first separator that is not escaped with `\`.
_KEY = re.compile(r"(?:\\.|[^\\=: \t])*\\?", re.DOTALL)
# Blanks may surround a separator, or be the separator.
_SEPARATOR = re.compile(r"[ \t]*[=:]?[ \t]*")


@dataclass(slots=True)
class Item:
    name: str
    key: Span
    value: Span
    whole: Span
    doc: Span | None = None


@dataclass(slots=True)
class Parsed:
    #: The first one stands for all entries.
    items: list[Item]
    diagnostics: list[Diagnostic] = field(default_factory=list)


def parse(text: str) -> Parsed:
    at = text_start(text)
    parsed = Parsed([Item(".", Span(at, at), Span(at, at), Span(at, at))])
    doc = None
    while at < len(text):
        line = at + len(indent_at(text, at))
        end = line_end(text, line)
        at = next_line(text, end)
        if not text[line:end].strip():
            doc = None
        elif text[line] in "#!":
            doc = line if doc is None else doc
        else:
            item = _entry(text, line, end, parsed.diagnostics)
            if item is not None:
                above = previous_line(text, line_start(text, line))
                item.doc = None if doc is None else Span(doc, line_end(text, above or 0))
                parsed.items.append(item)
                at = next_line(text, item.whole.end)
            doc = None
    first, *entries = parsed.items
    if entries:
        first.value = first.whole = Span(start_of_line(text, entries[0].whole.start), entries[-1].whole.end)
    _find_repeated(entries, parsed.diagnostics)
    return parsed


def text_start(text: str) -> int:
    """The start of the text after a byte order mark, which edits preserve."""
    return int(text.startswith("\ufeff"))


def start_of_line(text: str, offset: int) -> int:
    return max(line_start(text, offset), text_start(text))


def _entry(text: str, start: int, end: int, diagnostics: list[Diagnostic]) -> Item | None:
    written = _KEY.match(text, start, end).group()
    if not written:
        diagnostics.append(Diagnostic("error", Span(start, end), "a value without a key"))
        return None
    key = Span(start, start + len(written))
    separator = _SEPARATOR.match(text, key.end, end)
    # A key without a separator has no continuation lines.
    value = Span(separator.end(), _value_end(text, start, end) if separator.group() else end)
    return Item(written, key, value, Span(start, value.end))


def _value_end(text: str, start: int, end: int) -> int:
    """A line that ends with `\\` continues on the next line."""
    line = start
    while end < len(text) and (end - line - len(text[line:end].rstrip("\\"))) % 2 == 1:
        line = next_line(text, end)
        end = line_end(text, line)
    return end


def _find_repeated(entries: list[Item], diagnostics: list[Diagnostic]) -> None:
    """A repeated key overrides the earlier one."""
    later: set[str] = set()
    for item in reversed(entries):
        if item.name in later:
            message = f"duplicate key `{item.name}`: only the last one counts"
            diagnostics.append(Diagnostic("warning", item.whole, message))
        later.add(item.name)
    diagnostics.sort(key=lambda diagnostic: diagnostic.span.start)
