"""JSON-RPC 2.0 with a process: one message a line on its standard input and output."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._errors import MarquetryError, ProcessError
from ._progress import Progress

MAX_MESSAGE = 64 * 1024 * 1024
"""The maximum size of a message, in bytes. The server refuses longer ones."""

MAX_LINE = 4 * MAX_MESSAGE
"""The maximum size of an answer. The server limits answers of reads, but sends those of changes in any case."""

KEPT_LOG = 4096
"""The characters of standard error that are kept for errors."""


@dataclass
class Command:
    """How to start the process, and listeners of its log and its end."""

    program: str
    arguments: Sequence[str]
    cwd: str | None
    env: Mapping[str, str] | None
    on_log: Callable[[str], None]
    on_exit: Callable[[int], None]


@dataclass
class Pending:
    """A request without an answer yet."""

    answer: asyncio.Future[Any]
    on_progress: Callable[[Progress], None] | None


class Connection:
    """A running process."""

    def __init__(self, process: asyncio.subprocess.Process, command: Command) -> None:
        self._process = process
        self._command = command
        self._pending: dict[int, Pending] = {}
        self._last_id = 0
        self._log = ""
        self._failure: ProcessError | None = None
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: Command) -> "Connection":
        """Starts the process. Raises `ProcessError` if it cannot be started."""
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                command.program,
                *command.arguments,
                cwd=command.cwd,
                env=command.env,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                limit=MAX_LINE,
            )
        except OSError as error:
            raise ProcessError(f"`{command.program}` cannot be started: {error}") from error
        return cls(process, command)

    async def request(
        self, method: str, params: Mapping[str, Any], on_progress: Callable[[Progress], None] | None
    ) -> Any:
        """Sends a request and waits for the answer. If the caller is cancelled, the request is cancelled too."""
        if self._failure:
            raise self._failure
        self._last_id += 1
        request = self._last_id
        if on_progress:
            params = {**params, "workDoneToken": request}
        line = _line({"jsonrpc": "2.0", "id": request, "method": method, "params": params})
        if len(line) > MAX_MESSAGE:
            limit = f"the call is longer than {MAX_MESSAGE // 1024 // 1024} MiB"
            raise MarquetryError("LimitExceeded", limit, code=-32012, hint="make several calls")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[request] = Pending(answer, on_progress)
        try:
            await self._write(line)
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            await self._cancel(request, answer)
            raise
        finally:
            self._pending.pop(request, None)
            # The error of an answer that is not needed any more is not reported as unhandled.
            answer.cancel()

    async def _cancel(self, request: int, answer: "asyncio.Future[Any]") -> None:
        """Asks the server to cancel a request, and waits until it has ended."""
        if answer.done():
            return
        await self._write(_line({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request}}))
        await asyncio.wait([answer])
        if not answer.cancelled():
            answer.exception()

    async def close(self, timeout: float) -> None:
        """Ends the input, and waits for the end of the process, which first answers all requests."""
        self._failure = self._failure or ProcessError("the client is closed")
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(timeout):
                await asyncio.shield(self._reader)
        except TimeoutError:
            self._process.kill()
            await self._reader

    async def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            # The process has ended; the reader reports that to every request.
            pass

    async def _read(self) -> None:
        """Reads messages until the process ends."""
        assert self._process.stdout is not None
        log = asyncio.create_task(self._read_log())
        problem = ""
        try:
            while line := await self._process.stdout.readline():
                if line.strip():
                    self._receive(json.loads(line))
        except ValueError as error:
            problem = f" wrote a line that cannot be read: {error}"
            self._process.kill()
        await log
        exit_code = await self._process.wait()
        text = self._log.strip()
        problem = problem or f" ended with exit code {exit_code}" + (f": {text}" if text else "")
        failure = ProcessError(f"`{self._command.program}`{problem}", exit_code=exit_code, log=text)
        self._failure = self._failure or failure
        for pending in list(self._pending.values()):
            if not pending.answer.done():
                pending.answer.set_exception(failure)
        notify(self._command.on_exit, exit_code)

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(KEPT_LOG):
            text = chunk.decode(errors="replace")
            self._log = (self._log + text)[-KEPT_LOG:]
            notify(self._command.on_log, text)

    def _receive(self, message: dict[str, Any]) -> None:
        if message.get("method") == "$/progress":
            params = message["params"]
            value = params["value"]
            pending = self._pending.get(params["token"])
            if pending and pending.on_progress and value["kind"] == "report":
                notify(pending.on_progress, Progress(value["message"], value["done"], value["total"]))
            return
        pending = self._pending.get(message.get("id", 0))
        if not pending or pending.answer.done():
            return
        if "error" in message:
            pending.answer.set_exception(MarquetryError.of_response(message["error"]))
        else:
            pending.answer.set_result(message["result"])


def notify(listener: Callable[[Any], None], value: object) -> None:
    """Calls a listener of the program. Its exceptions are reported, and do not interrupt the reading of messages."""
    try:
        listener(value)
    except Exception as error:  # noqa: BLE001
        context = {"message": "a listener of marquetry_client failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode() + b"\n"
