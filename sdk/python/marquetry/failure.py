"""Why a call failed, as a menu: what was wrong, what to do, and the nearest right answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .nearest import nearest, outermost
from .types import FailureKind, Span

_OUTLINE = "read the file without a target to see its outline"


class Failure(Exception):
    """Raised by a function that may fail; the caller sees all of it."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        hint: str | None = None,
        candidates: Sequence[str] = (),
        span: Span | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.candidates = list(candidates)
        self.span = span

    @staticmethod
    def not_found(what: str, wanted: str, known: Iterable[str] = ()) -> Failure:
        """The target names nothing; `known` are all addresses there are."""
        names = list(known)
        near = nearest(wanted, names)
        message = f"no {what} `{wanted}`"
        if near:
            return Failure("target-not-found", message, f"use one of the candidates, or {_OUTLINE}", near)
        if not names:
            return Failure("target-not-found", message, _OUTLINE)
        hint = f"none is like it: the candidates are the outermost that there are; {_OUTLINE}"
        return Failure("target-not-found", message, hint, outermost(names))

    @staticmethod
    def unsupported(message: str, hint: str | None = None) -> Failure:
        """The operation makes no sense for this kind of node, or the pack does not do it."""
        return Failure("unsupported", message, hint)

    @staticmethod
    def invalid(message: str, hint: str | None = None, candidates: Sequence[str] = ()) -> Failure:
        """A content or another argument is not what it has to be."""
        return Failure("invalid-argument", message, hint, candidates)
