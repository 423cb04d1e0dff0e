"""The imports of a pack: the host's log, and the workspace if it is granted. Tests replace them."""

from __future__ import annotations

import sys
from typing import Any


class Host:
    """The current imports; in a component they are those of the host."""

    workspace: Any = None

    @staticmethod
    def write(level: str, message: str) -> None:
        print(f"{level}: {message}", file=sys.stderr)


class _Log:
    """Writes to the host's log. `marq plugin logs` shows the lines of failed calls."""

    def error(self, message: object) -> None:
        Host.write("error", str(message))

    def warn(self, message: object) -> None:
        Host.write("warn", str(message))

    def info(self, message: object) -> None:
        Host.write("info", str(message))

    def debug(self, message: object) -> None:
        Host.write("debug", str(message))


log = _Log()
