"""Read access to the workspace. A pack that imports this module requires `grants = ["workspace"]` in the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .host import Host

EntryKind = Literal["file", "directory"]
Denial = Literal["not-found", "not-granted", "too-large", "not-text"]


@dataclass(slots=True)
class Entry:
    name: str
    kind: EntryKind


def _ask(name: str, *args: Any) -> Any:
    if Host.workspace is None:
        raise RuntimeError(f"`{name}` needs a workspace: in a test, pass one to `open`")
    return getattr(Host.workspace, name)(*args)


def stat(path: str) -> EntryKind | None:
    """The kind of the entry at the path; `None` if nothing exists there."""
    kind = _ask("stat", path)
    return None if kind is None else kind.name.lower()


def read(path: str) -> str | None:
    """The text of a file; `None` if it cannot be read."""
    return _attempt(path)[0]


def denial(path: str) -> Denial | None:
    """Why the text of a file cannot be read; `None` if it can."""
    return _attempt(path)[1]


def _attempt(path: str) -> tuple[str | None, Denial | None]:
    """The host reports a failure as an exception whose value is the reason."""
    try:
        return _ask("read", path), None
    except Exception as error:
        reason = getattr(error, "value", None)
        if not hasattr(reason, "name"):
            raise
        return None, reason.name.lower().replace("_", "-")


def entries(path: str) -> list[Entry]:
    """The entries of a directory."""
    return [Entry(entry.name, entry.kind.name.lower()) for entry in _ask("entries", path)]


def version(path: str) -> int | None:
    """A version number of a file's text: equal numbers mean equal text."""
    return _ask("version", path)


def layout() -> int:
    """A number that changes when files or folders are added, removed or moved."""
    return _ask("layout")


def exporters(name: str) -> list[str]:
    """The files that export a name."""
    return list(_ask("exporters", name))
