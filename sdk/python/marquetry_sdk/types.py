"""The WIT types for authors. The comments of `wit/*.wit` describe the meaning of each.

Every offset is an index of a `str`. Optional fields have a default. A variant has one class per case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning", "info", "hint"]
FailureKind = Literal[
    "target-not-found", "ambiguous-target", "invalid-target", "invalid-argument",
    "parse-error", "refactor-failed", "unsupported", "limit-exceeded",
]  # fmt: skip
TargetKind = Literal["symbol", "path", "selector", "xpath", "heading", "region"]
Form = Literal["full", "signature", "body", "summary"]
Position = Literal["first", "last", "sorted"]
Usage = Literal[
    "declaration", "read", "write", "called", "type-use", "imported", "exported", "in-string", "in-comment"
]  # fmt: skip


@dataclass(slots=True)
class Span:
    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(slots=True)
class Edit:
    span: Span
    text: str


@dataclass(slots=True)
class Diagnostic:
    severity: Severity
    span: Span
    message: str
    code: str | None = None


@dataclass(slots=True)
class Target:
    kind: TargetKind
    value: str


@dataclass(slots=True)
class TargetHelp:
    kind: TargetKind
    syntax: str
    examples: Sequence[str] = ()


@dataclass(slots=True)
class RegionHelp:
    name: str
    summary: str


@dataclass(slots=True)
class Template:
    name: str
    summary: str
    extension: str
    body: str


@dataclass(slots=True)
class Node:
    """An addressable part of a document. `id` identifies it within the document: the same text gives the same ids."""

    id: int
    kind: str
    name: str
    address: str
    span: Span
    selection: Span
    #: In an outline, the index of the parent in the same list.
    parent: int | None = None
    body: Span | None = None
    doc: Span | None = None
    level: int | None = None
    #: The parsed value as JSON.
    value: str | None = None


@dataclass(slots=True)
class Query:
    target: Target
    limit: int
    values: bool


@dataclass(slots=True)
class Scalar:
    """The result of a query that does not select nodes: the value as JSON, and as the format prints it."""

    json: str
    text: str


@dataclass(slots=True)
class EditOptions:
    include_doc: bool
    force: bool


@dataclass(slots=True)
class Dependency:
    symbol: str
    from_: str


@dataclass(slots=True)
class Embedded:
    span: Span
    language: str


# --- operations ---


@dataclass(slots=True)
class Replace:
    content: str


@dataclass(slots=True)
class ReplaceBody:
    content: str


@dataclass(slots=True)
class InsertBefore:
    content: str


@dataclass(slots=True)
class InsertAfter:
    content: str


@dataclass(slots=True)
class InsertInto:
    content: str
    position: Position = "last"


@dataclass(slots=True)
class Wrap:
    before: str
    after: str


@dataclass(slots=True)
class Delete:
    pass


Operation = Replace | ReplaceBody | InsertBefore | InsertAfter | InsertInto | Wrap | Delete

# --- links ---


@dataclass(slots=True)
class Link:
    kind: str
    span: Span
    statement: Span
    specifier: str
    names: Sequence[str] = ()
    type_only: bool = False


@dataclass(slots=True)
class Inside:
    path: str
    suffix: str = ""


@dataclass(slots=True)
class External:
    pass


@dataclass(slots=True)
class Missing:
    path: str


@dataclass(slots=True)
class Unknown:
    why: str


Destination = Inside | External | Missing | Unknown


@dataclass(slots=True)
class Request:
    kind: str
    specifier: str


@dataclass(slots=True)
class SpecifierRequest:
    from_: str
    to: str
    was: str
    kind: str
    specifier: str


@dataclass(slots=True)
class Relocation:
    from_: str
    to: str


@dataclass(slots=True)
class Context:
    """The file for which a function is called that receives no document. `settings` is JSON."""

    path: str
    settings: str


@dataclass(slots=True)
class MovedLink:
    link: int
    from_: str
    to: str


@dataclass(slots=True)
class FileMoves:
    """The files that move in one change. `path` is the path of the document after it."""

    path: str
    relocations: Sequence[Relocation]
    links: Sequence[MovedLink]


# --- symbols ---


@dataclass(slots=True)
class ExportedName:
    name: str
    span: Span
    kind: str
    local: str | None = None
    type_only: bool = False


@dataclass(slots=True)
class ImportedName:
    specifier: str
    name: str
    local: str | None = None
    exported: str | None = None
    type_only: bool = False


@dataclass(slots=True)
class SharedName:
    namespace: str
    name: str


@dataclass(slots=True)
class InterfaceFacts:
    exports: Sequence[ExportedName] = ()
    imports: Sequence[ImportedName] = ()
    shared: Sequence[SharedName] = ()
    free: Sequence[SharedName] = ()


@dataclass(slots=True)
class Place:
    """A location in a file of the workspace; the offset refers to the text of that file."""

    path: str
    offset: int


@dataclass(slots=True)
class At:
    offset: int


@dataclass(slots=True)
class Address:
    address: str


@dataclass(slots=True)
class Imported:
    specifiers: Sequence[str]
    name: str


@dataclass(slots=True)
class Exported:
    name: str


@dataclass(slots=True)
class ImportedDefault:
    specifiers: Sequence[str]
    called: str


@dataclass(slots=True)
class Declared:
    """A member, as a subject and as a key in results."""

    name: str
    places: Sequence[Place] = ()
    forms: Sequence[str] = ()


@dataclass(slots=True)
class Shared:
    namespace: str
    name: str


Subject = At | Address | Imported | Exported | ImportedDefault | Declared | Shared


@dataclass(slots=True)
class Occurrence:
    span: Span
    usage: Usage
    certain: bool = True


@dataclass(slots=True)
class Resolution:
    name: str
    kind: str
    address: str | None = None
    occurrences: Sequence[Occurrence] = ()
    exported_as: Sequence[str] = ()
    origin: ImportedName | None = None
    incomplete: str | None = None
    declared: Declared | None = None
    shared: str | None = None
    elsewhere: Place | None = None


@dataclass(slots=True)
class RenamedExport:
    old: str
    new: str


@dataclass(slots=True)
class RenameResult:
    name: str
    edits: Sequence[Edit] = ()
    exported: Sequence[RenamedExport] = ()
    unresolved: Sequence[Span] = ()
    elsewhere: Place | None = None
    declared: Declared | None = None
    shared: str | None = None
    file: str | None = None


@dataclass(slots=True)
class Case:
    """A case of a variant without a separate class, with its payload: `Case("file", "a.x")`."""

    tag: str
    value: Any = field(default=None)


#: The class of each case of a variant.
CASES: dict[str, dict[str, type]] = {
    "operation": {
        "replace": Replace, "replace-body": ReplaceBody, "insert-before": InsertBefore, "insert-after": InsertAfter,
        "insert-into": InsertInto, "wrap": Wrap, "delete": Delete,
    },
    "destination": {"inside": Inside, "external": External, "missing": Missing, "unknown": Unknown},
    "subject": {
        "at": At, "address": Address, "imported": Imported, "exported": Exported, "imported-default": ImportedDefault,
        "declared": Declared, "shared": Shared,
    },
}  # fmt: skip

__all__ = sorted(
    {name for name, value in globals().items() if isinstance(value, type) and value.__module__ == __name__}
    | {"Destination", "FailureKind", "Form", "Operation", "Position", "Severity", "Subject", "TargetKind", "Usage"}
)
