"""The pack for `.NAME` files: lines of `name: value`. This template satisfies the laws (properties required of every pack); change it to your format."""

import re
from dataclasses import dataclass

from marquetry_sdk import (
    Delete,
    Document,
    Edit,
    Failure,
    InsertAfter,
    InsertBefore,
    Node,
    Pack,
    Diagnostic,
    Replace,
    Span,
    TargetHelp,
)

LINE = re.compile(r"(\w+):[ \t]*(.*?)[ \t]*", re.DOTALL)


@dataclass
class Entry:
    """A line with its spans."""

    name: str
    address: str
    value: Span
    whole: Span


class PASCAL(Document):
    def __init__(self, path, text, settings):
        self.text = text
        self.entries = []
        self.wrong = []
        counts = {}
        for line in re.finditer(r"[^\r\n]+", text):
            whole = Span(*line.span())
            found = LINE.fullmatch(line[0])
            if found is None:
                if line[0].strip():
                    self.wrong.append(Diagnostic("error", whole, "expected `name: value`"))
                continue
            name = found[1]
            counts[name] = counts.get(name, 0) + 1
            address = name if counts[name] == 1 else f"{name}[{counts[name]}]"
            start, end = (line.start() + at for at in found.span(2))
            self.entries.append(Entry(name, address, Span(start, end), whole))

    def diagnostics(self):
        return self.wrong

    def outline(self):
        return [
            Node(id, "property", entry.name, entry.address, entry.value, Span(entry.value.start, entry.value.start))
            for id, entry in enumerate(self.entries)
        ]

    def find(self, query):
        found = [node for node in self.outline() if node.address == query.target.value]
        if not found:
            raise Failure.not_found("name", query.target.value, [entry.address for entry in self.entries])
        return found

    def view(self, node, form):
        entry = self.entries[node]
        return entry.value if form in ("full", "body") else Span(entry.whole.start, entry.value.end)

    def edit(self, nodes, operation, options):
        return [self.change(self.entries[node], operation) for node in nodes]

    def change(self, entry, operation):
        start, end = entry.whole.start, entry.whole.end
        match operation:
            case Replace(content):
                content = content.strip()
                if "\n" in content or "\r" in content:
                    raise Failure.invalid("a value is one line", "insert further lines with `insert_after`")
                empty = entry.value.start == entry.value.end and self.text[entry.value.start - 1] == ":"
                return Edit(entry.value, " " + content if empty else content)
            case InsertBefore(content):
                return Edit(Span(start, start), content.rstrip() + "\n")
            case InsertAfter(content):
                return Edit(Span(end, end), "\n" + content.rstrip())
            case Delete():
                ending = re.compile(r"\r?\n").match(self.text, end)
                return Edit(Span(start, ending.end() if ending else end), "")
        raise Failure.unsupported(
            "a value has no children and cannot be wrapped",
            "use `replace`, `insert_before`, `insert_after` or `delete`",
        )


pack = Pack(
    id="NAME",
    name="PASCAL",
    version="0.1.0",
    files=["*.NAME"],
    targets=[TargetHelp("path", "`name`, or `name[2]` for the second line with this name", ["title"])],
    open=PASCAL,
    help='Lines of `name: value`. `path: "title"` addresses the value of a line; `price[2]` is the second of that name.',
)
