"""Converts offsets in the document of a call, in other files, and in edited text."""

from __future__ import annotations

from collections.abc import Iterable

from .host import Host
from .offsets import Offsets
from .text import apply
from .types import Edit


class Mismatch(TypeError):
    """A result that does not conform to the WIT interface."""


class Place:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._offsets = Offsets(text)

    def to_byte(self, index: int, label: str) -> int:
        if not isinstance(index, int) or not 0 <= index <= len(self.text):
            raise Mismatch(f"`{label}` is {index}, which is not an offset in a text of {len(self.text)}")
        return self._offsets.to_byte(index)

    def to_index(self, byte: int) -> int:
        return self._offsets.to_index(byte)

    def of_file(self, path: str) -> Place:
        """The same for the file with this path."""
        return self if path == self.path else place_of(path)

    def after(self, edits: Iterable[Edit]) -> Place:
        """The same for the text after these edits."""
        return Place(self.path, apply(self.text, sorted(edits, key=lambda edit: edit.span.start)))


class Nowhere(Place):
    """Used without a text, as in calls before a document is opened: offsets are not converted."""

    def __init__(self) -> None:
        super().__init__("", "")

    def to_byte(self, index: int, label: str) -> int:
        return index

    def to_index(self, byte: int) -> int:
        return byte

    def after(self, edits: Iterable[Edit]) -> Place:
        return self


NOWHERE = Nowhere()


def place_of(path: str) -> Place:
    """Converts offsets of a file in the workspace, if it can be read."""
    text = None if Host.workspace is None else Host.workspace.read(path)
    return NOWHERE if text is None else Place(path, text)
