"""Public API of the SDK."""

from .failure import Failure
from .host import log
from .nearest import nearest
from .pack import Document, Pack
from .paths import folder, join, relative
from .text import apply, indent_at, line_end, line_start, next_line, previous_line, reindent
from .types import *  # noqa: F403: the WIT types

__all__ = [
    "Document", "Failure", "Pack", "apply", "folder", "indent_at", "join", "line_end", "line_start", "log", "nearest",
    "next_line", "previous_line", "reindent", "relative",
    *types.__all__,  # noqa: F405
]  # fmt: skip
