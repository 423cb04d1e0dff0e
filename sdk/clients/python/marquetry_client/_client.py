"""The client: methods of tools as messages to a process."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from ._connection import Command, Connection, notify
from ._errors import MarquetryError, ProcessError
from ._progress import CallBegun, CallEnded, CallProgress, Event, Exited, LogWritten, Progress
from ._tools import Tools

CLOSE_TIMEOUT = 10.0
"""How long `close` waits for running calls, in seconds."""


class Marquetry(Tools):
    """The tools of Marquetry, in a process that this object starts and ends: `marq rpc --stdio`.

    Use it as an asynchronous context manager, or call `start` and `close`.
    """

    def __init__(
        self,
        *,
        root: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        program: str | os.PathLike[str] = "marq",
        args: Sequence[str] = (),
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        client: tuple[str, str] | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        """Sets how the process is started.

        `root` has the folders that calls may read and change; by default the current folder. `program` is a name on
        the `PATH`, or a path. `args` are more arguments of `marq rpc`, such as `--write-protected`. `cwd` and `env`
        are the folder and the environment of the process. `client` is the name and the version of your program, for
        the history. `on_event` receives the events of all calls and of the process.
        """
        roots = [root] if isinstance(root, str | os.PathLike) else list(root)
        flags = [flag for folder in roots for flag in ("--root", os.fspath(folder))]
        self._command = Command(
            program=os.fspath(program),
            arguments=["rpc", "--stdio", *flags, *args],
            cwd=os.fspath(cwd) if cwd else None,
            env=env,
            on_log=lambda text: self._emit(LogWritten(text)),
            on_exit=lambda exit_code: self._emit(Exited(exit_code)),
        )
        self._client = {"name": client[0], "version": client[1]} if client else None
        self._on_event = on_event
        self._connection: Connection | None = None
        self._starting = asyncio.Lock()
        self._is_closed = False
        self._calls = 0

    async def start(self) -> Self:
        """Starts the process, unless it runs. The first call does this too. Raises `ProcessError` if it cannot."""
        await self._connected()
        return self

    async def close(self, timeout: float = CLOSE_TIMEOUT) -> None:
        """Waits for the answers of all calls, and ends the process. It is killed after `timeout` seconds."""
        self._is_closed = True
        if self._connection:
            await self._connection.close(timeout)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        """Calls a tool by its name, with the arguments as JSON.

        If the task is cancelled, the call is cancelled too, and has ended when `CancelledError` is raised. A change
        that was complete already stays; `file_history` lists it.
        """
        connection = await self._connected()
        self._calls += 1
        call = self._calls
        params = dict(arguments or {})
        if self._client:
            params["clientInfo"] = self._client

        def report(progress: Progress) -> None:
            self._emit(CallProgress(call, tool, progress))
            if on_progress:
                notify(on_progress, progress)

        self._emit(CallBegun(call, tool))
        failure: str | None = "InvalidArgument"
        try:
            answer = await connection.request(tool, params, report if on_progress or self._on_event else None)
            failure = None
            return answer
        except MarquetryError as error:
            failure = error.kind
            raise
        except ProcessError:
            failure = "Disconnected"
            raise
        except asyncio.CancelledError:
            failure = "Cancelled"
            raise
        finally:
            self._emit(CallEnded(call, tool, failure))

    async def _connected(self) -> Connection:
        async with self._starting:
            if self._is_closed:
                raise ProcessError("the client is closed")
            if not self._connection:
                self._connection = await Connection.start(self._command)
            return self._connection

    def _emit(self, event: Event) -> None:
        if self._on_event:
            notify(self._on_event, event)
