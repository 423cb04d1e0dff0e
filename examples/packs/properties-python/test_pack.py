"""Tests of the pack."""

import unittest

from marquetry_sdk import (
    Address, Context, Delete, Failure, Imported, InsertAfter, InsertBefore, InsertInto, Replace, ReplaceBody, Request, SpecifierRequest, Wrap,
)  # fmt: skip
from marquetry_sdk.testing import Bench, laws, open
from pack import pack

JAVA = "! Server.\nserver.port = 8080\nserver.hosts a.example, \\\n             b.example\nserver[0]:x\nempty\n"


def on(text: str, **more) -> Bench:
    return open(pack, "a.properties", text, **more)


class PackTest(unittest.TestCase):
    def refused(self, kind, call, candidates=None):
        with self.assertRaises(Failure) as caught:
            call()
        self.assertEqual(caught.exception.kind, kind)
        if candidates is not None:
            self.assertEqual(caught.exception.candidates, candidates)
        return caught.exception

    def test_the_outline_lists_every_key(self):
        keys = ["server.port", "server.hosts", "server[0]", "empty"]
        self.assertEqual(on(JAVA).outline(), "".join(f"property {key} @{key}\n" for key in keys))
        self.assertEqual(on("").outline(), "")
        self.assertEqual(on("a=1\na=2\n").outline(), "property a @a[1]\nproperty a @a[2]\n")

    def test_a_key_finds_its_value(self):
        self.assertEqual(on(JAVA).read("server.hosts"), ["a.example, \\\n             b.example"])
        self.assertEqual(on(JAVA).read("server[0]"), ["x"])
        self.assertEqual(on("a=1\nb=2\na=3").read("a"), ["1", "3"])
        self.assertEqual(on("\ufeffa\\ b=1").read("a\\ b"), ["1"])
        self.assertEqual(on("über=😀 é\nafter=x").read("after"), ["x"])

    def test_an_unknown_key_is_refused_with_the_nearest_keys(self):
        self.refused("target-not-found", lambda: on(JAVA).find("servr.port"), ["server.port", "server.hosts"])
        self.refused("invalid-target", lambda: on(JAVA).find("$.server.port"), ["server.port"])
        self.refused("target-not-found", lambda: on("").find("a"), [])

    def test_views_show_the_parts_of_an_entry(self):
        self.assertEqual(on(JAVA).view("server.hosts", "signature"), "server.hosts a.example, \\")
        self.assertEqual(on(JAVA).view("server.port", "summary"), "server.port = 8080")
        self.assertEqual(on(JAVA).view(".", "summary"), "server.port\nserver.hosts\nserver[0]\nempty\n")

    def test_replace_changes_only_the_value(self):
        self.assertEqual(on("a = 1\r\nb = 2\r\n").edit("a", Replace("9")), "a = 9\r\nb = 2\r\n")
        self.assertEqual(on("😀 = é\nb=2").edit("b", Replace("ü")), "😀 = é\nb=ü")
        self.assertEqual(on("a=1").edit("a", Replace("a = 2")), "a=2")
        self.assertEqual(on("empty\n").edit("empty", Replace("1")), "empty=1\n")
        self.assertEqual(on("a =\n").edit("a", Replace("1")), "a = 1\n")
        hosts = "a.example, \\\n             b.example"
        self.assertEqual(on(JAVA).edit("server.hosts", ReplaceBody("c")), JAVA.replace(hosts, "c"))
        self.assertEqual(on("a b\\\n").edit("a", ReplaceBody("b\\\n")), "a b\\\n")
        self.assertEqual(on("a=1\n").edit("a", Wrap("<", ">")), "a=<1>\n")

    def test_entries_are_inserted_at_the_requested_position(self):
        self.assertEqual(on("# doc\nb=1\n").edit("b", InsertBefore("a=0")), "a=0\n# doc\nb=1\n")
        self.assertEqual(on("  b=1").edit("b", InsertAfter("c=2")), "  b=1\n  c=2")
        for position, expected in [("first", "b=2\na=1\nc=3\n"), ("last", "a=1\nc=3\nb=2\n"), ("sorted", "a=1\nb=2\nc=3\n")]:
            self.assertEqual(on("a=1\nc=3\n").edit(".", InsertInto("b=2", position)), expected)
        self.assertEqual(on("").edit(".", InsertInto("a=1")), "a=1\n")
        self.assertEqual(on("\ufeff").edit(".", InsertInto("a=1")), "\ufeffa=1\n")
        self.assertEqual(on("# only\n").edit(".", InsertInto("a=1", "first")), "# only\na=1\n")

    def test_delete_removes_an_entry_with_its_comment_and_keeps_other_comments(self):
        self.assertEqual(on("# a\na=1\n\n# b\nb=2\n").edit("a", Delete()), "# b\nb=2\n")
        self.assertEqual(on("# a\na=1\n\n# b\nb=2\n").edit("b", Delete()), "# a\na=1\n")
        self.assertEqual(on("\ufeffa=1\r\nb=2").edit("a", Delete()), "\ufeffb=2")
        self.assertEqual(on("a=1\na=2\nb=3\n").edit("a", Delete()), "b=3\n")

    def test_content_that_would_be_parsed_differently_is_refused(self):
        for call in [
            lambda: on("a=1\n").edit("a", Replace("x\ny")),
            lambda: on("a=1\nb=2\n").edit("a", Replace("x\\")),
            lambda: on("a=1\n").edit("a", InsertAfter("a=2")),
        ]:
            self.assertIsNotNone(self.refused("invalid-argument", call).hint)
        self.refused("unsupported", lambda: on("a=1\n").edit("a", InsertInto("b")))
        self.assertEqual(on("a=1\n").edit("a", InsertAfter("a=2"), force=True), "a=1\na=2\n")

    def test_a_missing_key_is_created_in_the_style_of_the_others(self):
        self.assertEqual(on("a : 1\n").insert_missing("b", "2"), "a : 1\nb : 2\n")
        self.assertEqual(on("").insert_missing("b", "2"), "b=2\n")
        self.assertEqual(on("é=😀").insert_missing("b", "ü"), "é=😀\nb=ü")
        self.refused("invalid-argument", lambda: on("a=1").insert_missing("a", "2"))
        self.refused("invalid-argument", lambda: on("a=1").insert_missing("b c", "2"))

    def test_problems_have_positions(self):
        expected = ["1:1 duplicate key `é`: only the last one counts", "2:2 a value without a key"]
        self.assertEqual(on("é=1\n = 2\né=3\n").diagnostics(), expected)

    def test_the_pack_satisfies_the_laws(self):
        texts = [JAVA, "", "a", "=x", "a=1\r\n\r\nb\\\r\n", "\ufeff#c\n😀=é\\\n ü\na=b", "a=1\na=2\na[1]=3\n", "\n\n a\n\n", "x\ry=1\r"]
        for text in texts:
            with self.subTest(text):
                laws(pack, "a.properties", text)


class NamesTest(unittest.TestCase):
    def test_includes_are_links(self):
        text = "é=1\ninclude = base.properties\ninclude=${x}.properties\n"
        bench = open(pack, "conf/a.properties", text, workspace={"conf/base.properties": "base=1"})
        self.assertEqual(bench.links(), ["include base.properties `base.properties`"])

        context = Context("conf/a.properties", "{}")

        def ask(specifier):
            (found,) = bench.call("links", "resolve", context, [Request("include", specifier)])
            return type(found).__name__, getattr(getattr(found, "value", None), "path", getattr(found, "value", None))

        self.assertEqual(ask("base.properties"), ("Destination_Inside", "conf/base.properties"))
        self.assertEqual(ask("../x.properties"), ("Destination_Missing", "x.properties"))
        self.assertEqual((ask("/etc/x")[0], ask("../../x")[0]), ("Destination_External", "Destination_Unknown"))
        request = SpecifierRequest("conf/a.properties", "other/b.properties", "conf/base.properties", "include", "base.properties")
        self.assertEqual(bench.call("links", "format-specifiers", context, [request])[0].value, "../other/b.properties")
        self.assertEqual([edit.text for edit in bench.call("links", "unlink", [0]).edits], [""])

    def test_rename_changes_the_uses_of_a_key_in_the_file(self):
        text = "é=😀\nhost=a\nurl=é ${host}:${host}\nhosts=${hosts}\n"
        after = "é=😀\nserver=a\nurl=é ${server}:${server}\nhosts=${hosts}\n"
        for at in ["host=", "host}", "a\nurl"]:
            self.assertEqual(on(text).rename(text.index(at), "server"), after)
        self.assertEqual(on(text).rename(Address("host"), "server"), after)
        for name in ["url", "a b"]:
            self.assertRaises(Failure, on(text).renaming, text.index("host"), name)

    def test_rename_of_an_included_key_changes_the_included_file(self):
        workspace = {"base.properties": "ü=😀\nhost=a\n"}
        text = "include=base.properties\nurl=${host}\n"
        renaming = on(text, workspace=workspace).renaming(text.index("host"), "server")
        self.assertEqual((renaming.edits, renaming.elsewhere.path, renaming.elsewhere.offset), ([], "base.properties", 8))
        imported = Imported(["base.properties"], "host")
        self.assertEqual(on(text, workspace=workspace).rename(imported, "server"), "include=base.properties\nurl=${server}\n")


if __name__ == "__main__":
    unittest.main()
