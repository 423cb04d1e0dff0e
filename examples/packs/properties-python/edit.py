"""Operations as edits. An entry is edited by its value, and moved by whole lines. Every edit is verified by parsing."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from marquetry_sdk import (
    Delete, Edit, EditOptions, Failure, InsertAfter, InsertBefore, InsertInto, Operation, Position, Replace, ReplaceBody,
    Span, Wrap, apply, indent_at, line_end, line_start, next_line, previous_line, reindent,
)  # fmt: skip
from parse import Item, Parsed, parse, start_of_line

if TYPE_CHECKING:
    from pack import Properties

_INSERTS = (InsertBefore, InsertAfter, InsertInto)


def edit(document: Properties, nodes: list[int], operation: Operation, options: EditOptions) -> list[Edit]:
    """The edits of one operation on all the nodes."""
    edits = []
    for node in nodes:
        item = document.item(node)
        # Replacing a value by itself changes nothing, even if it ends with an empty line.
        if isinstance(operation, (Replace, ReplaceBody)) and operation.content == item.value.of(document.text):
            continue
        made = _edit_of(document, node, item, operation)
        if not options.force:
            _verify(document, node, operation, made)
        edits.append(made)
    edits.sort(key=lambda each: each.span.start)
    if any(one.span.end > two.span.start for one, two in zip(edits, edits[1:])):
        raise Failure.unsupported("one of the targets is inside another", "edit `.`, or the entries in it, not both at once")
    return edits


def insert_missing(document: Properties, key: str, content: str) -> list[Edit]:
    """The edit that creates a missing entry after the last one."""
    line = f"{key}{_separator(document)}{content.strip()}"
    made = _insert_into(document, line, "last")
    if not any(item.name == key for item in parse(apply(document.text, [made])).items):
        hint = "write `\\` before blanks, `=` and `:` in a key"
        raise Failure.invalid(f"`{line}` would not be parsed as this key and value", hint)
    _verify(document, 0, InsertInto(line), made)
    return [made]


def _edit_of(document: Properties, node: int, item: Item, operation: Operation) -> Edit:
    is_all = node == 0
    match operation:
        case Replace(content) | ReplaceBody(content):
            if is_all and item.value.start == item.value.end:
                return _insert_into(document, content, "last")
            is_body = is_all or isinstance(operation, ReplaceBody)
            value = _lines_of(content) if is_body else _value_in(item, content)
            return Edit(item.value, value if is_all else _glued(document, item, value))
        # Content next to all entries is inserted before the first or after the last one.
        case InsertBefore(content):
            return _insert_into(document, content, "first") if is_all else _insert_before(document.text, item, content)
        case InsertAfter(content):
            return _insert_into(document, content, "last") if is_all else _insert_after(document.text, item, content)
        case InsertInto(content, position) if is_all:
            return _insert_into(document, content, position)
        case InsertInto():
            hint = "use `insert_before` or `insert_after`, or `insert_into` on `.`"
            raise Failure.unsupported("cannot insert into a value", hint)
        case Wrap() if is_all:
            raise Failure.unsupported("all entries together cannot be wrapped", "wrap a value instead")
        case Wrap(before, after):
            return Edit(item.value, _glued(document, item, before + item.value.of(document.text) + after))
    if is_all and item.value.start == item.value.end:
        raise Failure("target-not-found", "there are no entries", "there is nothing to delete")
    return _deletion(document.text, item)


def _value_in(item: Item, content: str) -> str:
    """The value in the content: the part after the key if the content repeats the key, otherwise all of it."""
    trimmed = content.strip()
    match parse(trimmed).items:
        case [_, Item(name=item.name) as entry] if entry.whole.end == len(trimmed):
            if re.search("[=:]", trimmed[entry.key.end : entry.value.start]):
                return entry.value.of(trimmed)
    return trimmed


def _glued(document: Properties, item: Item, value: str) -> str:
    """Adds the separator if the entry has none, and a space if the first value follows ` =`."""
    if item.value.start < item.value.end or not value:
        return value
    before = document.text[item.key.end : item.value.start]
    if not before:
        return f"={value}"
    return f" {value}" if re.fullmatch(r"[ \t]+[=:]", before) else value


def _separator(document: Properties) -> str:
    """The separator of the last entry."""
    last = document.items[-1]
    return document.text[last.key.end : last.value.start] or "="


def _insert_into(document: Properties, content: str, position: Position) -> Edit:
    entries = document.items[1:]
    if not entries:
        return _below(document.text, len(document.text), _lines_of(content))
    before = entries[0] if position == "first" else None
    if position == "sorted":
        name = next((item.name for item in parse(content.strip()).items[1:]), "")
        before = next((entry for entry in entries if entry.name > name), None)
    if before is None:
        return _insert_after(document.text, entries[-1], content)
    return _insert_before(document.text, before, content)


def _insert_before(text: str, item: Item, content: str) -> Edit:
    start = start_of_line(text, (item.doc or item.whole).start)
    return Edit(Span(start, start), f"{_indented(text, item, content)}\n")


def _insert_after(text: str, item: Item, content: str) -> Edit:
    return _below(text, item.whole.end, _indented(text, item, content))


def _below(text: str, offset: int, content: str) -> Edit:
    """Inserts lines below the line of an offset. If the last line has no line break, none is added at the end."""
    end = line_end(text, offset)
    following = next_line(text, end)
    is_own = following > end or start_of_line(text, end) == end
    return Edit(Span(following, following), f"{content}\n" if is_own else f"\n{content}")


def _indented(text: str, neighbour: Item, content: str) -> str:
    """The content with the indentation of its neighbour."""
    indent = indent_at(text, neighbour.whole.start)
    return reindent(content, indent) if indent else _lines_of(content)


def _deletion(text: str, item: Item) -> Edit:
    """Removes whole lines with the comment above, and one of the blank lines if they are surrounded by blank lines."""

    def is_blank(line: int) -> bool:
        return not text[line : line_end(text, line)].strip()

    start = start_of_line(text, (item.doc or item.whole).start)
    end = next_line(text, item.whole.end)
    above = previous_line(text, line_start(text, start))
    after_blank = above is None or is_blank(above)
    if after_blank and end < len(text) and is_blank(end):
        return Edit(Span(start, next_line(text, end)), "")
    if above is not None and after_blank and end == len(text):
        return Edit(Span(start_of_line(text, above), end), "")
    return Edit(Span(start, end), "")


def _verify(document: Properties, node: int, operation: Operation, made: Edit) -> None:
    """Verifies an edit by parsing its result: a value ends with its line, and nothing marks the end explicitly."""
    after = apply(document.text, [made])
    parsed = parse(after)
    old = [(item.name, item.value.of(document.text)) for item in document.items[1:]]
    now = [(item.name, item.value.of(after)) for item in parsed.items[1:]]
    is_insert = isinstance(operation, _INSERTS)
    if is_insert:
        _refuse_known_keys(document, parsed)
        kept = old
    else:
        kept = [] if node == 0 else old[: node - 1] + old[node:]
    come = len(now) - len(kept)
    if isinstance(operation, Delete):
        is_meant = come == 0
    else:
        is_meant = is_insert or node == 0 or (come == 1 and _is_value(document.items[node], made, now[node - 1]))
    if is_meant and _is_with_more(now, kept) and _errors(parsed) <= _errors(document.parsed):
        return
    hint = "end each line of a value but the last with `\\`; `force` writes it anyway"
    raise Failure.invalid("in the file, the content would get another meaning", hint)


def _is_value(before: Item, made: Edit, entry: tuple[str, str]) -> bool:
    """Returns whether an entry has the same key as before, and the value that was written."""
    written = made.text if before.value.start < before.value.end else made.text.lstrip("= ")
    return entry == (before.name, written)


def _is_with_more(now: list[tuple[str, str]], kept: list[tuple[str, str]]) -> bool:
    """Returns whether `now` is `kept` with additional entries in one place."""
    come = len(now) - len(kept)
    same = next((at for at, (one, two) in enumerate(zip(now, kept)) if one != two), min(len(now), len(kept)))
    return come >= 0 and now[same + come :] == kept[same:]


def _errors(parsed: Parsed) -> int:
    return sum(diagnostic.severity == "error" for diagnostic in parsed.diagnostics)


def _refuse_known_keys(document: Properties, parsed: Parsed) -> None:
    old, now = (Counter(item.name for item in items[1:]) for items in (document.items, parsed.items))
    for name, count in now.items():
        if len(parsed.items) > len(document.items) and 0 < old[name] < count:
            index = next(index for index, item in enumerate(document.items) if item.name == name)
            hint = "replace its value, or add it a second time with `force`"
            raise Failure.invalid(f"`{name}` already exists", hint, [document.addresses[index]])


def _lines_of(content: str) -> str:
    """Removes the line breaks around content."""
    return content.strip("\r\n")
