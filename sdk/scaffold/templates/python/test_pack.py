"""Tests in Python, through the functions that the component exports."""

import unittest

from marquetry_sdk import Delete, Failure, Replace
from marquetry_sdk.testing import laws, open
from pack import pack

TEXT = "title: Shöp 😀\nprice: 10\nprice: 12\nnote:\n"


def bench(text=TEXT):
    return open(pack, "a.NAME", text)


class PackTest(unittest.TestCase):
    def test_values_are_found_by_name(self):
        self.assertEqual(bench().read("price[2]"), ["12"])
        with self.assertRaises(Failure) as refused:
            bench().read("titel")
        self.assertEqual(refused.exception.candidates, ["title"])

    def test_edits_change_lines(self):
        self.assertEqual(bench().edit("price", Replace("11")), TEXT.replace("10", "11"))
        self.assertEqual(bench().edit("note", Replace("new")), TEXT.replace("note:", "note: new"))
        self.assertEqual(bench().edit("price", Delete()), TEXT.replace("price: 10\n", ""))

    def test_invalid_lines_are_reported(self):
        self.assertEqual(bench("a: 1\nb\n").diagnostics(), ["2:1 expected `name: value`"])

    def test_the_pack_satisfies_the_laws(self):
        for text in [TEXT, "", "a:", "a: 1\r\nb:2\r\n", "\ufeffa: é\n"]:
            laws(pack, "a.NAME", text)
