"""What the host offers to a pack: its log, and the workspace where that is granted. Tests put their own in its place."""

from __future__ import annotations

import sys
from typing import Any


class Host:
    """What there is now; a component has the host's own."""

    workspace: Any = None

    @staticmethod
    def write(level: str, message: str) -> None:
        print(f"{level}: {message}", file=sys.stderr)


class _Log:
    """Lines for the host's log: `marq plugin logs` shows those of calls that failed."""

    def error(self, message: object) -> None:
        Host.write("error", str(message))

    def warn(self, message: object) -> None:
        Host.write("warn", str(message))

    def info(self, message: object) -> None:
        Host.write("info", str(message))

    def debug(self, message: object) -> None:
        Host.write("debug", str(message))


log = _Log()
