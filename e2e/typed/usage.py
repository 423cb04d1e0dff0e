"""The client of Python with a real server: reads, edits, moves, undo, errors, progress, cancellation. The type checker
reads this file too: a line with `pyright: ignore` must be wrong.
"""

import asyncio
import logging
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import assert_type

from marquetry_client import CallProgress, Event, Marquetry, MarquetryError, ProcessError, Progress, types

# The loop of the tests logs steps that take long.
logging.getLogger("asyncio").setLevel(logging.ERROR)

PROGRAM = os.environ.get("MARQ", "marq")
SHOP = os.environ.get("SHOP", "examples/shop")


def write_many_files(root: Path) -> None:
    """Writes a project in which a symbol has uses in many files."""
    (root / "base.ts").write_text("export const base = 1\n")
    for number in range(1500):
        text = f"import {{ base }} from './base.js'\nexport const f{number} = base\n"
        (root / f"f{number}.ts").write_text(text)


class UsageTest(unittest.IsolatedAsyncioTestCase):
    """Tests with a client in a copy of the sample workspace."""

    async def asyncSetUp(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="marquetry-"))
        self.addCleanup(shutil.rmtree, folder)
        self.root = folder / "root"
        shutil.copytree(SHOP, self.root)
        self.events: list[Event] = []
        self.marq = Marquetry(
            program=PROGRAM,
            root=self.root,
            env={**os.environ, "MARQ_STATE_DIR": str(folder / "state")},
            client=("usage", "1"),
            on_event=self.events.append,
        )

    async def asyncTearDown(self) -> None:
        await self.marq.close()

    def text(self, name: str) -> str:
        return (self.root / name).read_text()

    async def test_reads(self) -> None:
        answer = await self.marq.file_read(file="src/cart.ts", symbol="Cart.toString", format="full")
        assert_type(answer, types.FileReadResult)
        self.assertTrue(answer.get("content", "").startswith("toString(): string {"))
        assert "range" in answer
        self.assertEqual(answer["range"]["start"]["line"], 27)
        answer = await self.marq.file_read(file="package.json", path="$.scripts", values=True)
        self.assertEqual(answer.get("value"), {"build": "tsc --build", "test": "vitest run"})

    async def test_edits_and_undoes_the_edit(self) -> None:
        before = self.text("package.json")
        edit: types.FileEditArguments = {
            "file": "package.json",
            "path": "$.version",
            "operation": "replace",
            "content": '"2.0.0"',
        }
        dry = await self.marq.file_edit(**{**edit, "dryRun": True})
        self.assertTrue(dry["dryRun"] and "id" not in dry)
        self.assertEqual(self.text("package.json"), before)
        edit["why"] = "a new version"
        answer = await self.marq.file_edit(**edit)
        self.assertIn('+  "version": "2.0.0",', answer["diff"])
        self.assertEqual(answer["changes"][0]["edits"][0]["range"]["start"][0], 3)
        self.assertEqual(self.text("package.json"), before.replace("1.4.0", "2.0.0"))
        change = (await self.marq.file_history(limit=1))["changes"][0]
        self.assertEqual((change.get("client"), change.get("why")), ("usage 1", "a new version"))
        undo = await self.marq.file_undo(id=change["id"])
        self.assertTrue(undo["success"] and undo["undone"]["undone"])
        self.assertEqual(self.text("package.json"), before)

    async def test_moves_files_with_their_references(self) -> None:
        answer = await self.marq.file_move(source="src/money.ts", destination="src/lib/money.ts")
        changes = [{"old": "./money.js", "new": "./lib/money.js"}]
        self.assertEqual(answer["importsUpdated"], [{"file": "src/cart.ts", "changes": changes}])
        self.assertIn('from "./lib/money.js"', self.text("src/cart.ts"))
        await self.marq.file_undo()
        self.assertIn('from "./money.js"', self.text("src/cart.ts"))

    async def test_creates_copies_renames_and_deletes(self) -> None:
        self.assertEqual((await self.marq.file_create(path="a.txt", content="é\u2028☃\n"))["size"], 9)
        content = (await self.marq.file_read(file="a.txt", format="full")).get("content")
        self.assertEqual(content, "é\u2028☃\n")
        self.assertTrue((await self.marq.file_duplicate(source="a.txt", destination="b.txt"))["duplicated"])
        self.assertEqual((await self.marq.file_rename(path="b.txt", newName="c.txt"))["newPath"], "c.txt")
        self.assertEqual((await self.marq.file_delete(paths=["a.txt", "c.txt"]))["deleted"], ["a.txt", "c.txt"])
        self.assertEqual(list(self.root.glob("*.txt")), [])

    async def test_has_a_type_for_the_answer_to_each_query(self) -> None:
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        query = self.marq.query
        references = await query(type="references", path="src/product.ts", symbol="Product")
        assert_type(references, types.QueryResult[types.References])
        self.assertTrue(all(use["path"] == "src/cart.ts" for use in references["data"]["references"]))
        info = await query(type="symbolInfo", path="src/product.ts", symbol="Product")
        self.assertEqual(info["data"]["name"], "Product")
        hover = await query(type="hover", path="src/cart.ts", line=28, column=42)
        self.assertIn("formatPrice", hover["data"]["contents"])
        definition = await query(type="typeDefinition", path="src/cart.ts", symbol="Cart.products")
        self.assertIsInstance(definition["data"]["definitions"], list)
        outline = await query(type="documentSymbols", path="src/money.ts")
        self.assertEqual(outline["data"]["symbols"][0]["name"], "formatPrice")
        self.assertEqual((await query(type="diagnostics", path="src/money.ts"))["data"]["diagnostics"], [])
        self.assertGreaterEqual(len((await query(type="dependencies", path="src/cart.ts"))["data"]["dependencies"]), 2)
        self.assertTrue((await query(type="workspaceSymbols", query="*Price*"))["data"]["symbols"])
        subtypes = await query(type="typeHierarchy", path="src/product.ts", symbol="Product")
        assert_type(subtypes["data"], types.Relations)
        implementations = await query(type="implementations", path="src/product.ts", symbol="Product")
        calls = await query(type="callHierarchy", path="src/money.ts", symbol="formatPrice", direction="incoming")
        for relations in (subtypes, implementations, calls):
            self.assertIsInstance(relations["data"]["items"], list)
        self.assertIsInstance((await query(type="codeActions", path="src/cart.ts", line=28))["data"]["actions"], list)
        self.assertGreater((await query(type="projectInfo"))["data"]["files"], 5)
        self.assertTrue((await query(type="gitStatus"))["data"]["untracked"])
        self.assertGreater((await query(type="search", text="shop", ignoreCase=True))["data"]["matchCount"], 0)
        self.assertEqual((await query(type="files", files=["src/*.ts"]))["data"]["fileCount"], 3)
        kind: types.QueryType = "references"
        data = (await query(type=kind, path="src/product.ts", symbol="Product"))["data"]
        assert "references" in data
        self.assertEqual(data["references"], references["data"]["references"])

    async def test_arguments_that_are_keywords_are_unpacked(self) -> None:
        arguments: types.OpenArguments = {"type": "gitDiff", "path": "src/cart.ts", "from": "HEAD"}
        try:
            answer = await self.marq.open(**arguments)
            self.assertTrue(answer["results"] or not answer["success"])
        except MarquetryError as error:
            self.assertNotEqual(error.kind, "InvalidArgument")

    async def refusal(self, name: str, **arguments: object) -> MarquetryError:
        with self.assertRaises(MarquetryError) as caught:
            await self.marq.call(name, arguments)
        return caught.exception

    async def test_refuses_with_a_kind_a_hint_and_candidates(self) -> None:
        target = await self.refusal("file_read", file="package.json", path="$.nam")
        self.assertEqual((target.kind, target.candidates), ("TargetNotFound", ["$.name"]))
        self.assertIn("candidates", target.hint or "")
        self.assertEqual((await self.refusal("file_read", file="packag.json")).kind, "FileNotFound")
        before = self.text("package.json")
        edit = {"file": "package.json", "path": "$.version"}
        broken = await self.refusal("file_edit", **edit, operation="replace", content="{")
        stale = await self.refusal("file_edit", **edit, operation="delete", expectedHash="0")
        misspelt = await self.refusal("file_edit", **edit, operation="delete", dryrun=True)
        self.assertEqual((broken.kind, stale.kind, misspelt.kind), ("ParseError", "Stale", "InvalidArgument"))
        self.assertEqual(misspelt.candidates[0], "dryRun")
        self.assertEqual(self.text("package.json"), before)
        self.assertEqual((await self.refusal("file_raed")).code, -32601)

    async def test_wrong_arguments_are_type_errors(self) -> None:
        marq = self.marq
        with self.assertRaises(MarquetryError):
            await marq.file_edit(file="package.json", dryrun=True)  # pyright: ignore[reportCallIssue]
        with self.assertRaises(MarquetryError):
            await marq.file_edit(file="package.json", operation="relpace")  # pyright: ignore[reportArgumentType]
        with self.assertRaises(MarquetryError):
            await marq.file_rename(path="page.css")  # pyright: ignore[reportCallIssue]
        with self.assertRaises(MarquetryError):
            await marq.file_delete(paths="page.css")  # pyright: ignore[reportArgumentType]

    async def test_wrong_uses_of_answers_are_type_errors(self) -> None:
        hover = await self.marq.query(type="hover", path="src/cart.ts", line=28, column=42)
        with self.assertRaises(KeyError):
            hover["data"]["references"]  # pyright: ignore[reportGeneralTypeIssues]
        answer = await self.marq.file_read(file="package.json", path="$.name")
        _ = answer["content"]  # pyright: ignore[reportTypedDictNotRequiredAccess]

    async def test_cancels_a_query(self) -> None:
        write_many_files(self.root)

        def cancel(_: Progress) -> None:
            task.cancel()

        task = asyncio.create_task(
            self.marq.query(type="references", path="base.ts", symbol="base", on_progress=cancel)
        )
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertIn("content", await self.marq.file_read(file="base.ts"))

    async def test_cancelled_change_writes_nothing(self) -> None:
        write_many_files(self.root)

        def cancel(_: Progress) -> None:
            task.cancel()

        edit: types.FileEditArguments = {"operation": "replace_text", "old": "base", "content": "other", "all": True}
        edit.update({"files": ["*.ts"], "dryRun": False})
        task = asyncio.create_task(self.marq.file_edit(**edit, on_progress=cancel))
        with self.assertRaises(asyncio.CancelledError):
            await task
        changed = [path for path in self.root.glob("*.ts") if "other" in path.read_text()]
        self.assertEqual(changed, [])
        self.assertEqual((await self.marq.file_history())["changes"], [])

    async def test_reports_progress(self) -> None:
        write_many_files(self.root)
        steps: list[Progress] = []
        answer = await self.marq.query(
            type="references", path="base.ts", symbol="base", on_progress=steps.append
        )
        self.assertTrue(answer["data"]["references"])
        self.assertTrue(steps)
        self.assertTrue(all(step.message and step.done <= step.total for step in steps))
        self.assertEqual([event.progress for event in self.events if isinstance(event, CallProgress)], steps)

    async def test_root_that_does_not_exist_is_refused(self) -> None:
        marq = Marquetry(program=PROGRAM, root="/no/such/folder")
        with self.assertRaises((MarquetryError, ProcessError)):
            await marq.file_history()
        await marq.close()

    async def test_wrong_flag_ends_the_process_and_the_error_has_its_message(self) -> None:
        marq = Marquetry(program=PROGRAM, args=["--no-such-flag"])
        with self.assertRaises(ProcessError) as caught:
            await marq.file_history()
        self.assertIn("--no-such-flag", caught.exception.log)
        await marq.close()


if __name__ == "__main__":
    unittest.main()
