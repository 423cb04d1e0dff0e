"""What an author writes: a pack, and the document that it opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .failure import Failure
from .types import (
    Dependency, Edit, EditOptions, Embedded, Form, Node, Operation, Problem, Query, RegionHelp, Scalar, Span, Target,
    TargetHelp, Template,
)  # fmt: skip


class Document:
    """The text of one file and what was derived from it. `outline`, `find`, `view` and `edit` are the author's."""

    def outline(self) -> Iterable[Node]:
        """All nodes in document order, parents before children."""
        raise NotImplementedError

    def find(self, query: Query) -> Sequence[Node] | Scalar:
        """All nodes that the target names; more than `query.limit` are cut. None: the nearest addresses are offered."""
        raise NotImplementedError

    def view(self, node: int, form: Form) -> Span | str:
        """A part of the document, or a text made for the purpose."""
        raise NotImplementedError

    def edit(self, nodes: list[int], operation: Operation, options: EditOptions) -> Iterable[Edit]:
        """The edits of one operation on all the nodes."""
        raise NotImplementedError

    def problems(self) -> Iterable[Problem]:
        """What is wrong with the syntax."""
        return ()

    def parse_errors(self) -> Iterable[Problem]:
        """The errors among them that opening found already, where only a check finds the others."""
        return [problem for problem in self.problems() if problem.severity == "error"]

    def edit_ranges(self, nodes: list[int], operation: Operation) -> Iterable[Span]:
        """The ranges beyond the neighbours of the nodes that belong to the operation; edits elsewhere are refused."""
        return ()

    def insert_missing(self, target: Target, content: str) -> Iterable[Edit]:
        """The edits that make what a target does not find."""
        hint = "use `insert_into`, `insert_before` or `insert_after` with a target that is there"
        raise Failure.unsupported(f"this format makes nothing new at `{target.value}`, which is not there", hint)

    def dependencies(self, node: int) -> Iterable[Dependency]:
        """What a node uses that another file brings in."""
        return ()

    def stays_well_formed(self, edits: list[Edit]) -> bool:
        """Whether it is certain that these edits add no error; `False` is not a verdict."""
        return False

    def embedded(self) -> Iterable[Embedded]:
        """Parts that are written in another language."""
        return ()


@dataclass
class Pack:
    """A pack. The module that is built has one, called `pack`.

    `open(path, text, settings)` answers with a `Document`. The optional interfaces are objects (or modules) with the functions of
    the contract in snake case; what is left out of one is answered for it.
    """

    id: str
    name: str
    #: The pack's own semantic version.
    version: str
    #: Globs over file names.
    files: Sequence[str]
    targets: Sequence[TargetHelp]
    open: Callable[[str, str, Any], Document]
    regions: Sequence[RegionHelp] = ()
    templates: Sequence[Template] = ()
    #: JSON Schema of the settings.
    settings_schema: dict[str, Any] | str = "{}"
    #: A page of Markdown.
    help: str = ""
    links: Any = None
    symbols: Any = None
    refactors: Any = None
    insight: Any = None
    search: Any = None
