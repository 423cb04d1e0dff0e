"""Progress and events of calls."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """The progress of a call."""

    message: str
    """The current activity, such as `reading files 3/12`."""

    done: int
    """Steps that have begun."""

    total: int
    """Steps that are known so far."""


@dataclass(frozen=True)
class CallBegun:
    """A call has begun."""

    call: int
    tool: str


@dataclass(frozen=True)
class CallProgress:
    """A call has made progress."""

    call: int
    tool: str
    progress: Progress


@dataclass(frozen=True)
class CallEnded:
    """A call has ended. `failure` is the kind of its error, or `Disconnected`; `None` if it succeeded."""

    call: int
    tool: str
    failure: str | None


@dataclass(frozen=True)
class LogWritten:
    """The process wrote to its standard error."""

    text: str


@dataclass(frozen=True)
class Exited:
    """The process has ended. The exit code is negative if a signal ended it."""

    exit_code: int


Event = CallBegun | CallProgress | CallEnded | LogWritten | Exited
"""An event of a call or of the process."""
