"""The methods: each calls its tool with its arguments."""

import inspect
import typing
import unittest
from collections.abc import Callable, Mapping
from typing import Any

from marquetry_client import Progress, _tools
from marquetry_client._tools import Tools


class Recorder(Tools):
    """Returns what a method passes on."""

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        return tool, arguments, on_progress


class ToolsTest(unittest.IsolatedAsyncioTestCase):
    async def test_methods_have_the_names_of_the_tools(self) -> None:
        names = [name for name, _ in inspect.getmembers(Tools, inspect.isfunction) if name not in ("call", "__init__")]
        self.assertGreaterEqual(len(names), 11)
        for name in names:
            method = getattr(Recorder(), name)
            arguments = {"type": "files", "file": "a"} if name == "query" else {"file": "a"}
            tool, passed, on_progress = await method(**arguments, on_progress=print)
            self.assertEqual((tool, passed, on_progress), (name, arguments, print))

    async def test_arguments_that_are_keywords_are_unpacked(self) -> None:
        _, passed, _ = typing.cast(Any, await Recorder().open(**{"type": "gitDiff", "from": "HEAD~1"}))
        self.assertEqual(passed, {"type": "gitDiff", "from": "HEAD~1"})

    def test_types_are_complete_at_run_time(self) -> None:
        dictionaries = [of for of in vars(_tools).values() if typing.is_typeddict(of)]
        self.assertGreater(len(dictionaries), 60)
        for dictionary in dictionaries:
            self.assertTrue(typing.get_type_hints(dictionary, vars(_tools)), dictionary)
        self.assertEqual(_tools.FileMoveMove.__required_keys__, {"source", "destination"})
        self.assertEqual(_tools.OpenItem.__required_keys__, frozenset())


if __name__ == "__main__":
    unittest.main()
