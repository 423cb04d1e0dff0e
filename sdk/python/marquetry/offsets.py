"""Offsets of one text: indices of a `str`, which counts characters, and UTF-8 bytes, as the contract does."""

from bisect import bisect_right

# So many characters are measured at once where a text is not ASCII.
STEP = 512


class Offsets:
    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes: list[int] | None = None
        if not text.isascii():
            # The byte at which each stretch starts.
            self._bytes = [0]
            for at in range(0, len(text), STEP):
                self._bytes.append(self._bytes[-1] + _size(text[at : at + STEP]))

    def to_byte(self, index: int) -> int:
        """The byte of an index."""
        if self._bytes is None:
            return index
        stretch = index // STEP
        return self._bytes[stretch] + _size(self._text[stretch * STEP : index])

    def to_index(self, byte: int) -> int:
        """The index of a byte."""
        if self._bytes is None:
            return byte
        # The end of the text is in its last stretch.
        stretch = min(bisect_right(self._bytes, byte), len(self._bytes) - 1) - 1
        part = self._text[stretch * STEP : (stretch + 1) * STEP].encode("utf-8", "surrogatepass")
        return stretch * STEP + len(part[: byte - self._bytes[stretch]].decode("utf-8", "ignore"))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
