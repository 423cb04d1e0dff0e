"""Indices of a `str` and UTF-8 byte offsets are converted to each other."""

import unittest

from marquetry_sdk.offsets import Offsets

TEXTS = ["", "plain", "é", "aé", "éa", "😀", "a😀b", "ü=😀 é\nx", "\ufeffa", "漢字かな", "a\r\né\r\n", "é" * 1000, "😀" * 700 + "x"]


class OffsetsTest(unittest.TestCase):
    def test_every_character_boundary_is_converted_both_ways(self):
        for text in TEXTS:
            offsets = Offsets(text)
            for index in range(len(text) + 1):
                byte = len(text[:index].encode())
                self.assertEqual(offsets.to_byte(index), byte, f"{text[:20]!r} at {index}")
                self.assertEqual(offsets.to_index(byte), index)


if __name__ == "__main__":
    unittest.main()
