"""Runs a pack in Python, through the functions that a component exports: text in, text out. For `python -m
unittest`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

from .contract import read_contract
from .convert import Converter, camel, snake
from .export import exports_of
from .failure import Failure
from .host import Host
from .pack import Pack
from .place import Place
from .types import At, Delete, InsertInto, Operation, Span, Subject

_CONTRACT = read_contract()


@dataclass
class Ok:
    value: Any


class Err(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


def _classes() -> Any:
    """The class of each WIT type, with the name that the toolchain gives it."""
    classes = SimpleNamespace()
    for name, type_ in _CONTRACT["types"].items():
        if "record" in type_:
            setattr(classes, camel(name), make_dataclass(camel(name), [snake(field) for field, _ in type_["record"]]))
        elif "enum" in type_:
            members = {case.upper().replace("-", "_"): case for case in type_["enum"]}
            setattr(classes, camel(name), Enum(camel(name), members))
        for tag, payload in type_.get("variant", ()):
            made = f"{camel(name)}_{camel(tag)}"
            setattr(classes, made, make_dataclass(made, [] if payload is None else ["value"]))
    return classes


_CLASSES = _classes()
_CONVERT = Converter(_CONTRACT, _CLASSES, Ok, Err)


def open(pack: Pack, path: str, text: str, settings: str = "{}", workspace: Mapping[str, str] | None = None) -> Bench:
    """Opens a text. `workspace` maps paths to texts, for packs that read other files."""
    return Bench(pack, path, text, settings, workspace or {})


class Bench:
    """A document with shorthands for tests."""

    def __init__(self, pack: Pack, path: str, text: str, settings: str, workspace: Mapping[str, str]) -> None:
        Host.workspace = _Offered(workspace)
        self.pack, self.text = pack, text
        self._place, self._bytes = Place(path, text), text.encode()
        self._all = exports_of(pack, _CONTRACT, _CLASSES, Ok, Err)
        self._document = self._all["Document"](path, text, settings)

    def outline(self) -> str:
        """The outline as indented lines: `kind name @address`."""
        nodes = self.nodes()

        def depth(node: Any) -> int:
            return 0 if node.parent is None else 1 + depth(nodes[node.parent])

        return "".join(f"{'  ' * depth(node)}{node.kind} {node.name} @{node.address}\n" for node in nodes)

    def nodes(self) -> list[Any]:
        """The nodes as WIT records, with byte offsets."""
        return self._document.outline()

    def diagnostics(self) -> list[str]:
        """The diagnostics as `line:column message`; both start at 1."""
        messages = []
        for diagnostic in self._document.diagnostics():
            lines = (self._part(0, diagnostic.span.start) + "|").splitlines()
            messages.append(f"{len(lines)}:{len(lines[-1])} {diagnostic.message}")
        return messages

    def find(self, value: str, kind: str | None = None, limit: int = 2**32 - 1) -> Any:
        """The nodes that a target matches. `kind` defaults to the pack's default kind."""
        query = _CLASSES.Query(self._target(value, kind), limit, False)
        found = self._run(self._document.find, query).value
        return getattr(found, "nodes", found)

    def read(self, value: str, kind: str | None = None) -> list[str]:
        """The texts of the nodes that a target matches."""
        return [self._part(node.span.start, node.span.end) for node in self.find(value, kind)]

    def view(self, value: str, form: str = "full", kind: str | None = None) -> str:
        """A view of the first node that a target matches."""
        node = self.find(value, kind)[0]
        view = self._run(self._document.view, node.id, _CLASSES.Form(form)).value
        return view if isinstance(view, str) else self._part(view.start, view.end)

    def edit(self, value: str, operation: Operation, force: bool = False, kind: str | None = None) -> str:
        """The text after an operation on all nodes that a target matches."""
        nodes = [node.id for node in self.find(value, kind)]
        options = _CLASSES.EditOptions(False, force)
        return self._after(self._run(self._document.edit, nodes, _operation(operation), options))

    def insert_missing(self, value: str, content: str, kind: str | None = None) -> str:
        """The text after the creation of a missing target."""
        return self._after(self._run(self._document.insert_missing, self._target(value, kind), content))

    def call(self, name: str, word: str, *args: Any) -> Any:
        """Calls a function of an optional interface, with byte offsets: `call("links", "links")`. If the function
        takes a document, this one is passed. Arguments are instances of the author's classes.
        """
        params = _CONTRACT["interfaces"][name]["functions"][word]["params"]
        values = [self._document] if params and params[0][0] == "document" else []
        for value, (field, kind) in zip(args, params[len(values) :]):
            values.append(_CONVERT.of("offset" if field == "offset" else kind, field)[0](value, self._place))
        return self._run(getattr(self._all[camel(name)](), snake(word)), *values)

    def links(self) -> list[str]:
        """The links as `kind specifier`, each with its source text."""
        found = self.call("links", "links")
        return [f"{each.kind} {each.specifier} `{self._part(each.span.start, each.span.end)}`" for each in found]

    def rename(self, subject: int | Subject, new_name: str) -> str:
        """The text after a rename of the symbol at an index, or of a subject."""
        return self._after(self.renaming(subject, new_name).edits)

    def renaming(self, subject: int | Subject, new_name: str) -> Any:
        """The result of a rename, with byte offsets."""
        return self.call("symbols", "rename", At(subject) if isinstance(subject, int) else subject, new_name)

    def _target(self, value: str, kind: str | None) -> Any:
        return _CLASSES.Target(_CLASSES.TargetKind(kind or self.pack.targets[0].kind), value)

    def _part(self, start: int, end: int) -> str:
        return self._bytes[start:end].decode()

    def _after(self, edits: list[Any]) -> str:
        parts, at = [], 0
        for edit in edits:
            if edit.span.start < at:
                raise AssertionError(f"edits must be sorted and must not overlap: one starts at byte {edit.span.start}, the one before it ends at {at}")
            parts += [self._bytes[at : edit.span.start], edit.text.encode()]
            at = edit.span.end
        return b"".join([*parts, self._bytes[at:]]).decode()

    def _run(self, call: Any, *args: Any) -> Any:
        try:
            return call(*args)
        except Err as err:
            failure = err.value
            span = failure.span and Span(self._place.to_index(failure.span.start), self._place.to_index(failure.span.end))
            raise Failure(failure.kind.value, failure.message, failure.hint, failure.candidates, span) from None


def _operation(operation: Operation) -> Any:
    """Converts an operation to the form that the host uses."""
    name = type(operation).__name__
    made = getattr(_CLASSES, f"Operation_{name}")
    fields = [getattr(operation, field) for field in operation.__dataclass_fields__]
    if isinstance(operation, InsertInto):
        return made(_CLASSES.Insertion(fields[0], _CLASSES.Position(fields[1])))
    return made(_CLASSES.Wrapper(*fields)) if name == "Wrap" else made(*fields)


class _Offered:
    """A workspace with the texts that a test provides."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def stat(self, path: str) -> Any:
        kind = Enum("EntryKind", ["FILE", "DIRECTORY"])
        if path in self.files:
            return kind.FILE
        return kind.DIRECTORY if any(file.startswith(f"{path}/") for file in self.files) else None

    def read(self, path: str) -> str:
        if path not in self.files:
            raise Err(Enum("Denial", ["NOT_FOUND"]).NOT_FOUND)
        return self.files[path]

    def entries(self, folder: str) -> list[Any]:
        start = f"{folder}/" if folder else ""
        names = {file[len(start) :].split("/")[0] for file in self.files if file.startswith(start)}
        return [SimpleNamespace(name=name, kind=self.stat(start + name)) for name in sorted(names)]

    def version(self, path: str) -> int | None:
        return hash(self.files[path]) if path in self.files else None

    def layout(self) -> int:
        return 0

    def exporters(self, name: str) -> list[str]:
        return []


def laws(pack: Pack, path: str, text: str) -> None:
    """Checks the laws (properties) that every pack must satisfy for any text. Raises if one is broken."""
    bench = open(pack, path, text)
    data = text.encode()
    starts = {len("".join(text[:at]).encode()) for at in range(len(text) + 1)} if len(text) < 2000 else None

    def hold(holds: bool, law: str, node: Any) -> None:
        if not holds:
            raise AssertionError(f"{law}: `{node.address}` in\n{text}")

    for index, node in enumerate(bench.nodes()):
        hold(node.parent is None or node.parent < index, "a parent must come before its children", node)
        ends = (node.span.start, node.span.end)
        hold(all(end <= len(data) and (starts is None or end in starts) for end in ends), "a span must not split a character", node)
        inside = ends[0] <= node.selection.start and node.selection.end <= ends[1]
        hold(inside, "the selection must be inside the span", node)
        hold([found.id for found in bench.find(node.address)] == [node.id], "an address must find only its node", node)
        for form in ("full", "signature", "body", "summary"):
            bench.view(node.address, form)
        _hold_after_delete(bench, path, node, hold)


def _hold_after_delete(bench: Bench, path: str, node: Any, hold: Any) -> None:
    try:
        after = bench.edit(node.address, Delete())
    except Failure:
        return
    without = open(bench.pack, path, after)
    hold(len(without.nodes()) < len(bench.nodes()), "a deleted node must no longer exist", node)
    hold(len(without.diagnostics()) <= len(bench.diagnostics()), "a deletion must not add diagnostics", node)
