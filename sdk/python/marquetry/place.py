"""Offsets in the text that a question is about, in other files that an answer names, and in a text with edits."""

from __future__ import annotations

from collections.abc import Iterable

from .host import Host
from .offsets import Offsets
from .text import apply
from .types import Edit


class Mismatch(TypeError):
    """An answer that is not what the contract has."""


class Place:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._offsets = Offsets(text)

    def to_byte(self, index: int, label: str) -> int:
        if not isinstance(index, int) or not 0 <= index <= len(self.text):
            raise Mismatch(f"`{label}` is {index}, which is no offset of a text of {len(self.text)}")
        return self._offsets.to_byte(index)

    def to_index(self, byte: int) -> int:
        return self._offsets.to_index(byte)

    def of_file(self, path: str) -> Place:
        """The same for the file with this path."""
        return self if path == self.path else place_of(path)

    def after(self, edits: Iterable[Edit]) -> Place:
        """The same for the text with these edits."""
        return Place(self.path, apply(self.text, sorted(edits, key=lambda edit: edit.span.start)))


class Nowhere(Place):
    """Where no text is known, as in what is asked before any document is: numbers stay as they are."""

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
    """Offsets in a file of the workspace, as far as that can be asked."""
    text = None if Host.workspace is None else Host.workspace.read(path)
    return NOWHERE if text is None else Place(path, text)
