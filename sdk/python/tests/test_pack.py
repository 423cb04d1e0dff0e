"""The SDK converts an author's pack to the functions of a component."""

import contextlib
import io
import re
import unittest

from marquetry_sdk import Case, Context, Document, Edit, Failure, FileMoves, Node, Pack, Place, Relocation, RenameResult, Replace, Resolution, Span, TargetHelp, nearest, workspace
from marquetry_sdk.build import files_section
from marquetry_sdk.contract import read_contract
from marquetry_sdk.testing import open


class Words(Document):
    """A minimal document, whose nodes are the words of a text."""

    def __init__(self, path, text, settings):
        self.text = text

    def outline(self):
        found = enumerate(re.finditer(r"\S+", self.text))
        return [Node(id, "word", each[0], each[0], Span(*each.span()), Span(*each.span())) for id, each in found]

    def find(self, query):
        return [node for node in self.outline() if node.name == query.target.value]

    def view(self, node, form):
        return self.outline()[node].span

    def edit(self, nodes, operation, options):
        return [Edit(self.outline()[node].span, operation.content) for node in nodes]


def words(document=Words, **more) -> Pack:
    return Pack("words", "Words", "0.1.0", ["*.words"], [TargetHelp("path", "a word", ["one"])], document, **more)


class PackTest(unittest.TestCase):
    def test_spans_are_converted_between_bytes_and_indices(self):
        bench = open(words(), "a.words", "é 😀 two")
        self.assertEqual([(node.span.start, node.span.end) for node in bench.nodes()], [(0, 2), (3, 7), (8, 11)])
        self.assertEqual(bench.edit("two", Replace("2")), "é 😀 2")

    def test_an_empty_result_is_a_failure_with_the_nearest_addresses(self):
        with self.assertRaises(Failure) as caught:
            open(words(), "a.words", "alpha beta").find("alpah")
        self.assertEqual((caught.exception.kind, caught.exception.candidates), ("target-not-found", ["alpha"]))
        with self.assertRaises(Failure) as caught:
            open(words(), "a.words", "x").find("x", "symbol")
        self.assertEqual(caught.exception.hint, "address by `path`: a word")

    def test_the_limit_shortens_the_list(self):
        self.assertEqual(len(open(words(), "a.words", "a a a").find("a", limit=2)), 2)

    def test_an_error_names_the_part_of_an_answer_that_has_the_wrong_type(self):
        for node, message in [
            (Node(0, "word", None, "x", Span(0, 1), Span(0, 0)), "`node.name` must be a `str`, not None"),
            (
                Node(0, "word", "x", "x", Span(0, 2), Span(0, 0)),
                "`span.end` is 2, which is not an offset in a text of 1",
            ),
            (Node(0, "word", "x", "x", Span(1, 0), Span(0, 0)), "a span ends at 0, before it starts at 1"),
            (Node(0, "word", "x", "x", 3, Span(0, 0)), "`span` must be a `Span`, not a `int`"),
        ]:
            document = type("Wrong", (Words,), {"find": lambda self, query: [node]})
            output = io.StringIO()
            with contextlib.redirect_stderr(output), self.assertRaises(TypeError) as caught:
                open(words(document), "a.words", "é").find("x")
            self.assertEqual(str(caught.exception), message)
            self.assertIn(f"error: Mismatch in find: {message}", output.getvalue())

    def test_omitted_functions_have_default_answers(self):
        bench = open(words(links=object()), "a.words", "x")
        self.assertEqual((bench.diagnostics(), bench.links()), ([], []))
        self.assertRaises(Failure, bench.insert_missing, "y", "1")
        self.assertRaises(Failure, bench.call, "links", "unlink", [])
        self.assertEqual(type(bench.call("links", "resolve", Context("a", "{}"), [{"kind": "href", "specifier": "b"}])[0]).__name__, "Destination_Unknown")

    def test_offsets_of_mentions_refer_to_the_text_that_is_searched(self):
        class Mentions:
            def text_names(paths, settings):
                return [{"name": path.removesuffix(".words"), "path": path, "kind": "list"} for path in paths]

            def find_mentions(names, source):
                start = source.text.index(names[0].name)
                return [{"name": 0, "span": Span(start, start + len(names[0].name))}]

        bench = open(words(mentions=Mentions), "a.words", "x")
        names = bench.call("mentions", "text-names", ["shop.words"], "{}")
        self.assertEqual([(each.name, each.path, each.kind) for each in names], [("shop", "shop.words", "list")])
        asked = [{"name": "shop", "path": "shop.words", "kind": "list"}]
        source = {"path": "Makefile", "text": "é 😀 shop", "is_code": False}
        found = bench.call("mentions", "find-mentions", asked, source)
        self.assertEqual([(each.span.start, each.span.end, each.member) for each in found], [(8, 12, None)])

    def test_offsets_in_other_files_are_converted_with_the_texts_of_those_files(self):
        class Symbols:
            def resolve_symbol(self, document, subject):
                return Resolution(str(subject.offset), "word", elsewhere=Place("b.words", 2))

            def rename(self, document, subject, new_name):
                return RenameResult("x")

        bench = open(words(symbols=Symbols()), "a.words", "é x", workspace={"b.words": "é y"})
        from marquetry_sdk import At

        resolution = bench.call("symbols", "resolve-symbol", At(2))
        self.assertEqual((resolution.name, resolution.elsewhere.offset), ("2", 3))
        self.assertEqual(bench.call("symbols", "facts").exports, [])

    def test_each_result_in_a_list_can_fail_separately(self):
        class Links:
            def format_specifiers(self, context, requests):
                return ["a", Failure.unsupported("no")]

        good, bad = open(words(links=Links()), "a.words", "").call("links", "format-specifiers", Context("a.words", "{}"), [])
        self.assertEqual((good.value, bad.value.message), ("a", "no"))

    def test_files_that_move_with_another_one_are_relocations(self):
        class Links:
            def additional_moves(self, context, relocation):
                return [Relocation(f"{relocation.from_}.map", f"{relocation.to}.map")]

        def call(links):
            context, moved = Context("a.words", "{}"), Relocation("a.words", "b.words")
            return open(words(links=links), "a.words", "").call("links", "additional-moves", context, moved)

        self.assertEqual([(one.from_, one.to) for one in call(Links())], [("a.words.map", "b.words.map")])
        self.assertEqual(call(object()), [])

    def test_a_list_of_edits_is_a_rewrite(self):
        class Links:
            def unlink(self, document, links):
                return [Edit(Span(0, 1), "")]

            def relink(self, document, moves):
                return {"create": [{"path": moves.path, "text": ""}]}

        bench = open(words(links=Links()), "a.words", "é x")
        self.assertEqual([edit.span.end for edit in bench.call("links", "unlink", []).edits], [2])
        rewrite = bench.call("links", "relink", FileMoves("b.words", [], []))
        self.assertEqual((list(rewrite.edits), rewrite.create[0].path), ([], "b.words"))

    def test_a_file_that_cannot_be_read_has_a_reason(self):
        open(words(), "a.words", "", workspace={"b.words": "b"})
        self.assertEqual((workspace.read("b.words"), workspace.denial("b.words")), ("b", None))
        self.assertEqual((workspace.read("c.words"), workspace.denial("c.words")), (None, "not-found"))

    def test_interfaces_without_classes_accept_dictionaries(self):
        class Refactors:
            def refactors(self):
                return [{"id": "sort", "title": "Sort", "place": "document"}]

            def apply(self, document, id, at, arguments):
                question = {"audience": Case("file", "b.words"), "payload": arguments[0].value}
                return {"edits": [Edit(Span(0, 1), "ee")], "ask": [question], "name_at": 2}

        bench = open(words(refactors=Refactors()), "a.words", "é x")
        (refactor,) = bench.call("refactors", "refactors")
        self.assertEqual((refactor.id, refactor.arguments, refactor.asks_exporters), ("sort", [], False))
        at = {"span": Span(0, 1), "caret": 0}
        made = bench.call("refactors", "apply", "sort", at, [{"name": "by", "value": "é"}])
        self.assertEqual((made.ask[0].audience.value, made.ask[0].payload, made.name_at), ("b.words", "é", 2))

    def test_the_nearest_names_come_first(self):
        self.assertEqual(nearest("User.find", ["Store.load", "Store.find", "User.fetch"]), ["Store.find", "User.fetch"])
        self.assertEqual(nearest("Install[3]", ["Usage[2]", "Install[1]", "Install[2]", "Other"]), ["Install[1]", "Install[2]"])

    def test_the_custom_section_lists_the_file_patterns(self):
        name = b"marquetry:files"
        section = files_section(["*.a", "*.b"])
        self.assertEqual(section, bytes([0, 1 + len(name) + 7, len(name)]) + name + b"*.a\n*.b")

    def test_the_whole_contract_is_parsed(self):
        contract = read_contract()
        self.assertEqual(contract["version"], "0.1.0")
        self.assertEqual(list(contract["interfaces"]["links"]["functions"]), ["links", "resolve", "additional-moves", "format-specifiers", "relink", "unlink"])


if __name__ == "__main__":
    unittest.main()
