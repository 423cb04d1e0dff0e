"""Calls the tools of Marquetry from a program."""

from . import _tools as types
from ._client import Marquetry
from ._errors import MarquetryError, ProcessError
from ._progress import CallBegun, CallEnded, CallProgress, Event, Exited, LogWritten, Progress
from ._tools import ErrorKind

__all__ = [
    "CallBegun",
    "CallEnded",
    "CallProgress",
    "ErrorKind",
    "Event",
    "Exited",
    "LogWritten",
    "Marquetry",
    "MarquetryError",
    "ProcessError",
    "Progress",
    "types",
]
