"""The client with a server for tests: messages, progress, cancellation, errors, and the end of the process."""

import asyncio
import logging
import os
import signal
import unittest
from pathlib import Path
from typing import Any

from marquetry_client import (
    CallBegun,
    CallEnded,
    CallProgress,
    Event,
    Exited,
    LogWritten,
    Marquetry,
    MarquetryError,
    ProcessError,
    Progress,
)

SERVER = Path(__file__).parent / "server.py"
# The loop of the tests logs steps that take long, such as the encoding of a message of 64 MiB.
logging.getLogger("asyncio").setLevel(logging.ERROR)

STEPS = [Progress("step 1/2", 1, 2), Progress("step 2/2", 2, 2)]


class ClientTest(unittest.IsolatedAsyncioTestCase):
    """Tests with a client that listens to events, unless they start another one."""

    async def asyncSetUp(self) -> None:
        self.events: list[Event] = []
        self.marq = Marquetry(program=SERVER, on_event=self.events.append)
        self.others: list[Marquetry] = []

    async def asyncTearDown(self) -> None:
        for client in [self.marq, *self.others]:
            await client.close(timeout=2)

    def client(self, **options: Any) -> Marquetry:
        self.others.append(Marquetry(program=SERVER, **options))
        return self.others[-1]

    async def sent(self, method: str) -> "asyncio.Task[Any]":
        """Returns the task of a call whose request has been sent."""
        await self.marq.start()
        task = asyncio.create_task(self.marq.call(method))
        await asyncio.sleep(0)
        return task

    async def test_arguments_are_passed_as_they_are(self) -> None:
        arguments = {"file": "a.py", "nested": {"from": 1, "list": [True, None]}, "text": 'é☃\u2028"\\\n'}
        self.assertEqual(await self.client().call("echo", arguments), arguments)
        self.assertEqual(await self.client().call("echo"), {})

    async def test_process_gets_roots_arguments_folder_and_environment(self) -> None:
        options: dict[str, Any] = {"args": ["--write-protected"], "cwd": SERVER.parent, "env": {**os.environ, "FAKE": "yes"}}
        flags = await self.client(root=["/one", Path("/two")], **options).call("flags")
        self.assertEqual(flags["args"], ["rpc", "--stdio", "--root", "/one", "--root", "/two", "--write-protected"])
        self.assertEqual((flags["cwd"], flags["env"]), (str(SERVER.parent), "yes"))

    async def test_one_root_is_a_string_or_path(self) -> None:
        for root in ("/one", Path("/one")):
            flags = await self.client(root=root).call("flags")
            self.assertEqual(flags["args"], ["rpc", "--stdio", "--root", "/one"])

    async def test_name_of_the_program_is_sent_with_each_call(self) -> None:
        sent = await self.client(client=("mine", "2")).call("echo", {"a": 1})
        self.assertEqual(sent, {"a": 1, "clientInfo": {"name": "mine", "version": "2"}})

    async def test_calls_at_once_get_their_own_answers(self) -> None:
        answers = await asyncio.gather(*(self.marq.call("echo", {"number": number}) for number in range(50)))
        self.assertEqual([answer["number"] for answer in answers], list(range(50)))

    async def test_characters_in_two_chunks_and_unusual_line_breaks_are_read(self) -> None:
        self.assertEqual(await self.marq.call("pieces"), "é☃\u2028end")
        self.assertEqual(await self.marq.call("together"), 2)

    async def test_large_answers_are_read(self) -> None:
        size = 8 * 1024 * 1024
        self.assertEqual(len(await self.marq.call("large", {"bytes": size})), size)

    async def test_errors_have_kind_hint_and_candidates(self) -> None:
        with self.assertRaises(MarquetryError) as caught:
            await self.marq.call("refuse")
        error = caught.exception
        self.assertEqual((error.kind, error.code, error.message), ("Stale", -32008, "it changed"))
        self.assertEqual((error.hint, error.candidates), ("read it again", ["a", "b"]))
        self.assertEqual(str(error), "Stale: it changed (read it again)")

    async def test_errors_without_data_are_internal(self) -> None:
        with self.assertRaises(MarquetryError) as caught:
            await self.marq.call("bare")
        error = caught.exception
        self.assertEqual((error.kind, error.code, error.hint, error.candidates), ("Internal", -32603, None, []))
        self.assertEqual(str(error), "Internal: no data")

    async def test_progress_is_reported_to_the_call_and_as_events(self) -> None:
        seen: list[Progress] = []
        await self.marq.call("progress", on_progress=seen.append)
        self.assertEqual(seen, STEPS)
        reports = [CallProgress(1, "progress", step) for step in STEPS]
        self.assertEqual(self.events, [CallBegun(1, "progress"), *reports, CallEnded(1, "progress", None)])

    async def test_progress_is_not_requested_without_a_listener(self) -> None:
        self.assertEqual(await self.client().call("progress"), {"token": False})

    async def test_cancelled_task_cancels_the_call_at_the_server(self) -> None:
        task = await self.sent("wait")
        self.assertEqual(await self.marq.call("cancellations"), [1])
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        # The server has answered the cancellation before the task ended.
        self.assertEqual(await self.marq.call("cancellations"), [])
        self.assertIn(CallEnded(1, "wait", "Cancelled"), self.events)

    async def test_timeout_cancels_the_call_at_the_server(self) -> None:
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.3):
                await self.marq.call("wait")
        self.assertEqual(await self.marq.call("cancellations"), [])

    async def test_change_that_is_complete_when_it_is_cancelled_ends_the_task(self) -> None:
        task = await self.sent("committed")
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(await self.marq.call("cancellations"), [])

    async def test_second_cancellation_does_not_wait_for_the_server(self) -> None:
        task = await self.sent("stubborn")
        task.cancel()
        await asyncio.sleep(0.05)
        self.assertFalse(task.done(), "the first cancellation waits until the call has ended")
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(await self.marq.call("echo", {"a": 1}), {"a": 1, "workDoneToken": 2})

    async def test_failure_in_a_task_group_cancels_the_other_calls(self) -> None:
        await self.marq.start()
        with self.assertRaises(ExceptionGroup) as caught:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.marq.call("wait"))
                group.create_task(self.marq.call("wait"))
                group.create_task(self.marq.call("refuse"))
        self.assertEqual([str(error) for error in caught.exception.exceptions], ["Stale: it changed (read it again)"])
        self.assertEqual(await self.marq.call("cancellations"), [])

    async def test_task_that_is_cancelled_before_it_starts_sends_nothing(self) -> None:
        await self.marq.start()
        task = asyncio.create_task(self.marq.call("wait"))
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(await self.marq.call("cancellations"), [])
        self.assertNotIn(CallBegun(1, "wait"), self.events)

    async def test_calls_at_once_start_one_process(self) -> None:
        await asyncio.gather(*(self.marq.call("echo") for _ in range(5)))
        await self.marq.close()
        self.assertEqual([event for event in self.events if isinstance(event, Exited)], [Exited(0)])

    async def test_all_calls_fail_if_the_process_ends(self) -> None:
        results = await asyncio.gather(self.marq.call("wait"), self.marq.call("die"), return_exceptions=True)
        for error in results:
            assert isinstance(error, ProcessError)
            self.assertEqual((error.exit_code, error.log), (3, "out of luck"))
            self.assertTrue(str(error).endswith("server.py` ended with exit code 3: out of luck"), str(error))
        with self.assertRaises(ProcessError):
            await self.marq.call("echo")
        log = "".join(event.text for event in self.events if isinstance(event, LogWritten))
        self.assertEqual(log, "out of luck\n")
        for event in (CallEnded(2, "die", "Disconnected"), Exited(3)):
            self.assertIn(event, self.events)

    async def test_output_that_is_not_json_ends_the_connection(self) -> None:
        with self.assertRaises(ProcessError) as caught:
            await self.marq.call("garbage")
        self.assertIn("wrote a line that cannot be read", str(caught.exception))

    async def test_program_that_does_not_exist_fails_its_calls(self) -> None:
        marq = Marquetry(program="no-such-program-of-marquetry")
        with self.assertRaises(ProcessError) as caught:
            await marq.file_history()
        self.assertTrue(str(caught.exception).startswith("`no-such-program-of-marquetry` cannot be started: "))
        self.assertIsNone(caught.exception.exit_code)
        await marq.close()

    async def test_calls_that_are_too_long_are_refused(self) -> None:
        with self.assertRaises(MarquetryError) as caught:
            await self.marq.call("echo", {"text": "x" * (64 * 1024 * 1024)})
        self.assertEqual((caught.exception.kind, caught.exception.hint), ("LimitExceeded", "make several calls"))
        self.assertEqual((await self.marq.call("echo", {"text": "y"}))["text"], "y")

    async def test_arguments_that_are_not_json_are_refused(self) -> None:
        for value, error in ((object(), TypeError), (float("nan"), ValueError), ("\ud800", ValueError)):
            with self.assertRaises(error):
                await self.marq.call("echo", {"value": value})
        self.assertEqual((await self.marq.call("echo", {"a": 1}))["a"], 1)

    async def test_close_waits_for_running_calls_and_can_be_repeated(self) -> None:
        task = await self.sent("slowly")
        await asyncio.gather(self.marq.close(), self.marq.close())
        self.assertEqual(await task, "done")
        with self.assertRaisesRegex(ProcessError, "the client is closed"):
            await self.marq.call("echo")
        self.assertEqual([event for event in self.events if isinstance(event, Exited)], [Exited(0)])

    async def test_close_kills_a_process_that_does_not_end(self) -> None:
        await self.marq.call("stay")
        await self.marq.close(timeout=0.1)
        self.assertEqual(self.events[-1], Exited(-signal.SIGKILL))

    async def test_context_starts_and_closes(self) -> None:
        async with self.client() as marq:
            self.assertEqual(await marq.call("echo"), {})
        with self.assertRaisesRegex(ProcessError, "the client is closed"):
            await marq.call("echo")

    async def test_failing_listener_does_not_interrupt_the_connection(self) -> None:
        failures: list[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: failures.append(str(context["exception"]))
        )

        def fail(_: Progress) -> None:
            raise ValueError("of the listener")

        self.assertEqual(await self.client().call("progress", on_progress=fail), {"token": True})
        self.assertEqual(failures, ["of the listener"] * 2)


if __name__ == "__main__":
    unittest.main()
