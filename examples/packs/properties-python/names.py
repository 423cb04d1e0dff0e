"""Links and symbols: `include=other.properties`, and `${key}` in a value. An optional part that a pack does not need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

from marquetry_sdk import (
    Address, At, Context, Delete, Destination, Edit, EditOptions, Exported, ExportedName, External, Failure, Imported, ImportedName,
    Inside, InterfaceFacts, Link, Missing, Occurrence, Place, RenamedExport, RenameResult, Request, Resolution, SpecifierRequest, Span,
    Subject, Unknown, folder, join, relative,
)  # fmt: skip
from marquetry_sdk import workspace
from parse import Item, parse

if TYPE_CHECKING:
    from pack import Properties

_USE = re.compile(r"\$\{([^${}\\\s]+)\}")


class Links:
    def links(self, document: Properties) -> list[Link]:
        text = document.text
        return [Link("include", item.value, item.whole, item.value.of(text), ["*"]) for item in _includes(document)]

    def resolve(self, context: Context, requests: list[Request]) -> list[Destination]:
        return [_destination(context.path, request.specifier) for request in requests]

    def format_specifiers(self, context: Context, requests: list[SpecifierRequest]) -> list[str]:
        specifiers = []
        for request in requests:
            path = relative(folder(request.from_), request.to)
            keeps_dot = request.specifier.startswith("./") and not path.startswith("..")
            specifiers.append(f"./{path}" if keeps_dot else path)
        return specifiers

    def unlink(self, document: Properties, links: list[int]) -> list[Edit]:
        found = _includes(document)
        nodes = [document.items.index(found[index]) for index in links]
        return list(document.edit(nodes, Delete(), EditOptions(False, True)))


def _destination(from_: str, specifier: str) -> Destination:
    if re.match(r"/|[a-z][a-z+.-]+:", specifier, re.IGNORECASE):
        return External()
    path = join(folder(from_), specifier)
    if path is None:
        return Unknown("it is outside the root")
    return Inside(path) if workspace.stat(path) == "file" else Missing(path)


class Symbols:
    def facts(self, document: Properties) -> InterfaceFacts:
        keys = [(_plain(item.name), item.key) for item in document.items[1:]]
        exports = [ExportedName(name, span, "key", local=name) for name, span in keys]
        texts = [item.value.of(document.text) for item in _includes(document)]
        return InterfaceFacts(exports, [ImportedName(text, "*", exported="*") for text in texts])

    def resolve_symbol(self, document: Properties, subject: Subject) -> Resolution:
        name = _name_of(document, subject)
        places = _places_of(document, name)
        index = next((at for at, item in enumerate(document.items[1:], 1) if _plain(item.name) == name), 0)
        return Resolution(
            name,
            "key",
            address=document.addresses[index] if index else None,
            occurrences=places,
            exported_as=[name] if index else [],
            elsewhere=_declared_elsewhere(document, name) if isinstance(subject, At) and not index else None,
        )

    def rename(self, document: Properties, subject: Subject, new_name: str) -> RenameResult:
        name = _name_of(document, subject)
        if not re.fullmatch(r"[^\s=:#!\\${}]+", new_name):
            hint = "a key must not contain blanks or any of `= : # ! \\ $ { }`"
            raise Failure.invalid(f"`{new_name}` is not a key", hint)
        if any(_plain(item.name) == new_name for item in document.items):
            raise Failure("refactor-failed", f"`{new_name}` already exists", "choose another name", [new_name])
        places = _places_of(document, name)
        is_declared = any(place.usage == "declaration" for place in places)
        if isinstance(subject, At) and not is_declared:
            elsewhere = _declared_elsewhere(document, name)
            if elsewhere is not None:
                return RenameResult(name, elsewhere=elsewhere)
        edits = [Edit(place.span, new_name) for place in places]
        return RenameResult(name, edits, exported=[RenamedExport(name, new_name)] if is_declared else [])


def _includes(document: Properties) -> list[Item]:
    text = document.text
    return [item for item in document.items if item.name == "include" and re.fullmatch(r"[^$\\]+", item.value.of(text))]


def _plain(name: str) -> str:
    """A key with its escapes decoded: `a\\ b` is `a b`."""
    return re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL)


def _mentions(document: Properties) -> Iterator[tuple[str, Occurrence]]:
    """All declarations of keys, and all `${…}` in values."""
    for item in document.items[1:]:
        yield _plain(item.name), Occurrence(item.key, "declaration")
        for use in _USE.finditer(document.text, item.value.start, item.value.end):
            yield use[1], Occurrence(Span(*use.span(1)), "read")


def _places_of(document: Properties, wanted: str) -> list[Occurrence]:
    return [place for name, place in _mentions(document) if name == wanted]


def _name_of(document: Properties, subject: Subject) -> str:
    """The name that a subject refers to."""
    match subject:
        case Exported(name) | Imported(_, name):
            return name
        case Address(address):
            if address in document.addresses[1:]:
                return _plain(document.items[document.addresses.index(address)].name)
            raise Failure.not_found("key", address, document.addresses[1:])
        case At(offset):
            for name, place in _mentions(document):
                if place.span.start <= offset <= place.span.end:
                    return name
            # The whole entry stands for its key.
            for item in document.items[1:]:
                if item.whole.start <= offset <= item.whole.end:
                    return _plain(item.name)
    raise Failure("target-not-found", "there is no key at this position", "give the position of a key, or of a key in `${…}`")


def _declared_elsewhere(document: Properties | SimpleNamespace, wanted: str, seen: frozenset[str] = frozenset()) -> Place | None:
    """The declaration of a key in an included file, searched recursively."""
    seen |= {document.path}
    for item in _includes(document):
        path = join(folder(document.path), item.value.of(document.text))
        text = None if path is None or path in seen else workspace.read(path)
        if text is None:
            continue
        items = parse(text).items
        declared = next((item for item in items[1:] if _plain(item.name) == wanted), None)
        if declared is not None:
            return Place(path, declared.key.start)
        below = _declared_elsewhere(SimpleNamespace(path=path, text=text, items=items), wanted, seen)
        if below is not None:
            return below
    return None
