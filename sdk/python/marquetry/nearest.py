"""Which of the known names are like the wanted one."""

import re
from collections.abc import Iterable
from itertools import islice

MOST_KNOWN = 20000
MOST_CANDIDATES = 12


def nearest(wanted: str, known: Iterable[str]) -> list[str]:
    """The nearest names: same last part first, then by likeness."""
    lower = wanted.lower()
    last = _last_part(lower)
    scored = []
    for name in dict.fromkeys(islice(known, MOST_KNOWN)):
        score = _likeness(lower, last, name.lower())
        if score >= 500:
            scored.append((-score, len(name), name))
    # The sort is stable: what is alike stays in the order of the document.
    scored.sort(key=lambda each: each[:2])
    return [name for _, _, name in scored[:MOST_CANDIDATES]]


def outermost(known: Iterable[str]) -> list[str]:
    """The first names of those with the fewest steps."""
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
    """The address without the numbers at its end: `Install[2]`."""
    return re.sub(r"(?<=.)(\[\d+\])+$", "", address) if address.endswith("]") else address


def _similarity(a: str, b: str) -> float:
    """1 for the same text, 0 for one that shares nothing: by the changes that turn one into the other."""
    longest = max(len(a), len(b))
    if longest == 0:
        return 1
    # Too little in common to be near, whatever else speaks for it: the table is not worth its time.
    if sum(min(a.count(letter), b.count(letter)) for letter in set(a)) * 10 < longest * 3:
        return 0
    return 1 - _distance(a, b) / longest


def _distance(a: str, b: str) -> int:
    """Letters put in, taken out, changed, or swapped with their neighbour."""
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
