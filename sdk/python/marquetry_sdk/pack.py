"""The classes that a pack author uses: a pack, and the document that it opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .failure import Failure
from .types import (
    Dependency, Edit, EditOptions, Embedded, Form, Node, Operation, Diagnostic, Query, RegionHelp, Scalar, Span, Target,
    TargetHelp, Template,
)  # fmt: skip


class Document:
    """The text of one file and the data derived from it. Authors must implement `outline`, `find`, `view` and
    `edit`.
    """

    def outline(self) -> Iterable[Node]:
        """All nodes in document order, parents before children."""
        raise NotImplementedError

    def find(self, query: Query) -> Sequence[Node] | Scalar:
        """All nodes that the target matches; the list is truncated to `query.limit`. If it is empty, the nearest
        addresses are suggested.
        """
        raise NotImplementedError

    def view(self, node: int, form: Form) -> Span | str:
        """A span of the document, or generated text."""
        raise NotImplementedError

    def edit(self, nodes: list[int], operation: Operation, options: EditOptions) -> Iterable[Edit]:
        """The edits of one operation on all the nodes."""
        raise NotImplementedError

    def diagnostics(self) -> Iterable[Diagnostic]:
        """All syntax diagnostics."""
        return ()

    def parse_errors(self) -> Iterable[Diagnostic]:
        """The errors that parsing already found, if `diagnostics` runs further checks."""
        return [diagnostic for diagnostic in self.diagnostics() if diagnostic.severity == "error"]

    def edit_ranges(self, nodes: list[int], operation: Operation) -> Iterable[Span]:
        """Ranges that the operation may change besides the nodes and the text next to them. Others are rejected."""
        return ()

    def insert_missing(self, target: Target, content: str) -> Iterable[Edit]:
        """The edits that create a missing target."""
        hint = "use `insert_into`, `insert_before` or `insert_after` with an existing target"
        raise Failure.unsupported(f"`{target.value}` does not exist, and the plugin cannot create it", hint)

    def dependencies(self, node: int) -> Iterable[Dependency]:
        """The names that a node uses from other files."""
        return ()

    def stays_well_formed(self, edits: list[Edit]) -> bool:
        """Returns whether the edits certainly add no errors; `False` means unknown."""
        return False

    def embedded(self) -> Iterable[Embedded]:
        """Parts that are written in another language."""
        return ()


@dataclass
class Pack:
    """A pack. The module to build must define one with the name `pack`.

    `open(path, text, settings)` returns a `Document`. The optional interfaces are objects (or modules) with the
    functions of the WIT interface in snake case; omitted functions have defaults.
    """

    id: str
    name: str
    #: Semantic version of the pack.
    version: str
    #: Globs of file names.
    files: Sequence[str]
    targets: Sequence[TargetHelp]
    open: Callable[[str, str, Any], Document]
    regions: Sequence[RegionHelp] = ()
    templates: Sequence[Template] = ()
    #: JSON Schema of the settings.
    settings_schema: dict[str, Any] | str = "{}"
    #: True if `links.relink` is called for all documents that move or link to a moved file, not only for `glob` links.
    relinks: bool = False
    #: Help in Markdown.
    help: str = ""
    links: Any = None
    symbols: Any = None
    refactors: Any = None
    hover: Any = None
    search: Any = None
    mentions: Any = None
