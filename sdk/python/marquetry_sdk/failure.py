"""A failed call: what is wrong, what to do, and the nearest valid alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .nearest import nearest, outermost
from .types import FailureKind, Span

_OUTLINE = "read the file without a target to see its outline"


class Failure(Exception):
    """Raised by a function that can fail; the caller sees all fields."""

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
        """The target does not exist; `known` are all existing addresses."""
        names = list(known)
        near = nearest(wanted, names)
        message = f"no {what} `{wanted}`"
        if near:
            return Failure("target-not-found", message, f"use one of the candidates, or {_OUTLINE}", near)
        if not names:
            return Failure("target-not-found", message, _OUTLINE)
        hint = f"no similar name: the candidates are the top-level ones; {_OUTLINE}"
        return Failure("target-not-found", message, hint, outermost(names))

    @staticmethod
    def unsupported(message: str, hint: str | None = None) -> Failure:
        """The operation is not supported by the pack or for this kind of node."""
        return Failure("unsupported", message, hint)

    @staticmethod
    def invalid(message: str, hint: str | None = None, candidates: Sequence[str] = ()) -> Failure:
        """The content or another argument is invalid."""
        return Failure("invalid-argument", message, hint, candidates)
