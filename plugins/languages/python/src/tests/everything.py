"""A module with every kind of statement and expression."""
from __future__ import annotations

import os.path, sys as system
from . import sibling
from ..outer import (
    first,
    second as other,
)

__all__ = ["Shape", "area"]

LIMIT: int = 3
name = other_name = "text"
(left, [right, *rest]) = values = (1, [2, 3, 4])
count = 0
count += 1
type Pair[T: int, *Ts, **P] = tuple[T, T]


@decorated(1, key=2, *args, **kwargs)
class Shape[T](Base, metaclass=Meta):
    """A shape."""

    sides = 0

    @property
    def size(self) -> int:
        return self._size

    @size.setter
    def size(self, value: int = 1, /, *more, flag: bool = False, **options) -> None:
        self._size = value


class Plain(Base):
    pass


def area[T](shape: T, scale=1.5j) -> float:
    global count
    for side in shape.sides:
        if not side:
            continue
        elif side < 0 <= 1:
            break
        else:
            count = side
    else:
        del side
    while count and True or None:
        count -= 1
    with open("a") as file, lock:
        data = file.read()
    try:
        assert data, "no data"
    except (OSError, ValueError) as error:
        raise RuntimeError(f"failed: {error!r:>{LIMIT}}") from error
    else:
        pass
    finally:
        ...
    return shape if scale else -shape


async def load(*, key):
    def inner():
        nonlocal total
        total = yield 1
        yield from total

    total = {**key, "a": b"bytes"}
    numbers = [x for x in range(3) if x], {y for y in total}, {k: v for k, v in total}, (z for z in total)
    kinds = {1, 2}, total[1:2:3], lambda value, default=1: value
    if (found := await key) is not None:
        return found @ numbers
    async with key as kinds:
        pass


match command:
    case [1, None, *tail]:
        pass
    case {"key": value, **remaining}:
        pass
    case Point(x=0, y=other) | Other.kind:
        pass
    case "text" as captured if captured:
        pass

if TYPE_CHECKING:
    from typing import Any

if __name__ == "__main__":
    area(LIMIT)
