"""Paths in the workspace: relative to its root, with `/`."""

from __future__ import annotations


def folder(path: str) -> str:
    """The folder of a path; empty for the root."""
    return path.rpartition("/")[0]


def join(base: str, path: str) -> str | None:
    """Joins a relative path to a folder; `None` if the result is outside of the root."""
    parts = base.split("/") if base else []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            return None
    return "/".join(parts)


def relative(base: str, path: str) -> str:
    """The relative path from a folder to a path."""
    here = base.split("/") if base else []
    there = path.split("/")
    same = 0
    while same < min(len(here), len(there) - 1) and here[same] == there[same]:
        same += 1
    return "/".join([".."] * (len(here) - same) + there[same:])
