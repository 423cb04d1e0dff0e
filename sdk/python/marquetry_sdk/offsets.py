"""Converts offsets of one text between indices of a `str` and UTF-8 bytes (WIT interface)."""

from bisect import bisect_right

# Number of characters that are measured at once if the text is not ASCII.
STEP = 512


class Offsets:
    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes: list[int] | None = None
        if not text.isascii():
            # The byte offset at which each chunk starts.
            self._bytes = [0]
            for at in range(0, len(text), STEP):
                self._bytes.append(self._bytes[-1] + _size(text[at : at + STEP]))

    def to_byte(self, index: int) -> int:
        """Converts an index to a byte offset."""
        if self._bytes is None:
            return index
        stretch = index // STEP
        return self._bytes[stretch] + _size(self._text[stretch * STEP : index])

    def to_index(self, byte: int) -> int:
        """Converts a byte offset to an index."""
        if self._bytes is None:
            return byte
        # The end of the text belongs to its last chunk.
        stretch = min(bisect_right(self._bytes, byte), len(self._bytes) - 1) - 1
        part = self._text[stretch * STEP : (stretch + 1) * STEP].encode("utf-8", "surrogatepass")
        return stretch * STEP + len(part[: byte - self._bytes[stretch]].decode("utf-8", "ignore"))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
