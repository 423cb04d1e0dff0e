"""Finds the known names that are most similar to the wanted one."""

import re
from collections.abc import Iterable
from itertools import islice

MOST_KNOWN = 20000
MOST_CANDIDATES = 12


def nearest(wanted: str, known: Iterable[str]) -> list[str]:
    """The nearest names: those with the same last part first, then by similarity."""
    lower = wanted.lower()
    last = _last_part(lower)
    scored = []
    for name in dict.fromkeys(islice(known, MOST_KNOWN)):
        score = _likeness(lower, last, name.lower())
        if score >= 500:
            scored.append((-score, len(name), name))
    # The sort is stable: names with equal scores stay in document order.
    scored.sort(key=lambda each: each[:2])
    return [name for _, _, name in scored[:MOST_CANDIDATES]]


def outermost(known: Iterable[str]) -> list[str]:
    """The first of the names with the fewest path steps."""
    names = list(dict.fromkeys(islice(known, MOST_KNOWN)))
    return sorted(names, key=lambda name: len(re.findall(r"[./>]|\['", name)))[:MOST_CANDIDATES]


def _likeness(wanted: str, last: str, name: str) -> int:
    if name == wanted:
        return 2000
    end = _last_part(name)
    if end == last:
        return 1500 + int(_similarity(_without_numbers(wanted), _without_numbers(name)) * 400)
    contains = last in name or (end != "" and end in wanted)
    best = max(_similarity(wanted, name), _similarity(last, end))
    return int(best * 1000) + (200 if contains else 0)


def _last_part(address: str) -> str:
    return re.split(r"[.>/'\"\[#: ]", re.sub(r"['\"\]]+$", "", _without_numbers(address)))[-1]


def _without_numbers(address: str) -> str:
    """The address without the numbers at its end, as in `Install[2]`."""
    return re.sub(r"(?<=.)(\[\d+\])+$", "", address) if address.endswith("]") else address


def _similarity(a: str, b: str) -> float:
    """Similarity by edit distance: 1 for equal texts, 0 for texts without common characters."""
    longest = max(len(a), len(b))
    if longest == 0:
        return 1
    # With so few common letters the names cannot be similar: skip the expensive computation.
    if sum(min(a.count(letter), b.count(letter)) for letter in set(a)) * 10 < longest * 3:
        return 0
    return 1 - _distance(a, b) / longest


def _distance(a: str, b: str) -> int:
    """Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        after = [i]
        for j, other in enumerate(b, 1):
            cost = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            after.append(cost)
        before, row = row, after
    return row[-1]
