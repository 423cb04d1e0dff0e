"""Errors of calls."""

from typing import Any, cast

from ._tools import ErrorKind


class MarquetryError(Exception):
    """A tool refused or failed. If the call was a change, nothing was written."""

    kind: ErrorKind
    """The kind of error."""

    code: int
    """The JSON-RPC code of the kind."""

    message: str
    """The problem, in one line."""

    hint: str | None
    """A suggestion: another argument, another call."""

    candidates: list[str]
    """The nearest valid values."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        code: int,
        hint: str | None = None,
        candidates: list[str] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.message = message
        self.hint = hint
        self.candidates = candidates or []

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" + (f" ({self.hint})" if self.hint else "")

    @classmethod
    def of_response(cls, error: dict[str, Any]) -> "MarquetryError":
        """Returns the error of a JSON-RPC response."""
        data: dict[str, Any] = error.get("data") or {"kind": "Internal", "message": error["message"]}
        kind = cast(ErrorKind, data["kind"])
        hint, candidates = data.get("hint"), data.get("candidates")
        return cls(kind, data["message"], code=error["code"], hint=hint, candidates=candidates)


class ProcessError(Exception):
    """The process did not start, or it ended before it answered. A change of such a call may have been made."""

    exit_code: int | None
    """The exit code of the process; negative if a signal ended it; `None` if it did not start."""

    log: str
    """The last output of the process on standard error."""

    def __init__(self, message: str, *, exit_code: int | None = None, log: str = "") -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.log = log
