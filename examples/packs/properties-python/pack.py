"""A pack for `.properties` files: its description, and its document."""

from __future__ import annotations

from collections import Counter

import edit
from marquetry_sdk import (
    Document, Edit, EditOptions, Failure, Form, Node, Operation, Pack, Diagnostic, Query, Span, Target, TargetHelp, line_end,
)  # fmt: skip
from names import Links, Symbols
from parse import Item, parse

HELP = """Files of `key = value` lines: `.properties`.

- `path: "server.port"` addresses an entry by its key, written as in the file. A repeated key finds all its entries; `port[2]` is the second.
- `path: "."` addresses all entries.
- A target is the **value**, with all its lines. The comment directly above belongs to an entry.

| operation | what happens |
| --- | --- |
| `replace` | a new value; `key=value` with the same key is the same as its value |
| `replace_body` | a new value, as it is |
| `insert_before`, `insert_after` | entries next to an entry |
| `insert_into` `.` | entries: `first`, `last`, or `sorted` by key |
| `wrap` | `before` and `after` around the value |
| `delete` | the entry, with the comment above it |

`include=other.properties` names another file, and `${key}` in a value names a key of this file or of one that it includes."""


class Properties(Document):
    def __init__(self, path: str, text: str, settings: object) -> None:
        self.path, self.text = path, text
        self.parsed = parse(text)
        # The first item stands for all entries.
        self.items = self.parsed.items
        self.addresses = _addresses(self.items)

    def diagnostics(self) -> list[Diagnostic]:
        return self.parsed.diagnostics

    def outline(self) -> list[Node]:
        return [self.node(index) for index in range(1, len(self.items))]

    def node(self, index: int) -> Node:
        item = self.items[index]
        kind = "property" if index else "file"
        start = Span(item.value.start, item.value.start)
        return Node(index, kind, item.name, self.addresses[index], item.value, start, body=item.value, doc=item.doc)

    def find(self, query: Query) -> list[Node]:
        wanted = query.target.value
        if wanted in self.addresses:
            return [self.node(self.addresses.index(wanted))]
        named = [self.node(index) for index, item in enumerate(self.items) if index and item.name == wanted]
        if not named:
            raise self._not_found(wanted)
        return named

    def _not_found(self, wanted: str) -> Failure:
        key = wanted.removeprefix("$.")
        # A likely mistake, because other data formats use JSONPath.
        if key != wanted and key in self.addresses:
            hint = "write keys as they appear in the file, not as JSONPath"
            return Failure("invalid-target", f"not a key: `{wanted}`", hint, [key])
        return Failure.not_found("key", wanted, self.addresses[1:])

    def view(self, node: int, form: Form) -> Span | str:
        item = self.item(node)
        if form in ("full", "body"):
            return item.value
        if form == "summary":
            return item.whole if node else "".join(f"{item.name}\n" for item in self.items[1:])
        return Span(item.whole.start, min(line_end(self.text, item.whole.start), item.whole.end))

    def item(self, node: int) -> Item:
        if node >= len(self.items):
            raise Failure.invalid(f"no node {node}")
        return self.items[node]

    def edit(self, nodes: list[int], operation: Operation, options: EditOptions) -> list[Edit]:
        return edit.edit(self, nodes, operation, options)

    def insert_missing(self, target: Target, content: str) -> list[Edit]:
        if any(item.name == target.value for item in self.items):
            hint = "give a key that does not exist yet, or use `replace`"
            raise Failure.invalid(f"`{target.value}` is not a new key", hint)
        return edit.insert_missing(self, target.value, content)


def _addresses(items: list[Item]) -> list[str]:
    """An address for each item: its key, with a number if several entries have the same key."""
    counts = Counter(item.name for item in items[1:])
    taken, seen = set(counts), Counter()
    addresses = ["."]
    for item in items[1:]:
        address = item.name
        if counts[address] > 1 or address == ".":
            seen[item.name] += 1
            address += f"[{seen[item.name]}]"
            # `list[1]` can also be a real key.
            while address in taken:
                address += f"[{seen[item.name]}]"
            taken.add(address)
        addresses.append(address)
    return addresses


pack = Pack(
    id="properties",
    name="Properties",
    version="0.1.0",
    files=["*.properties"],
    targets=[TargetHelp("path", "`key`, as written in the file; `.` for all entries", ["server.port", "path[2]"])],
    open=Properties,
    help=HELP,
    links=Links(),
    symbols=Symbols(),
)
