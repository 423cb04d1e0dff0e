"""Client of `marq rpc --stdio`, shared by both scripts."""

import json
import subprocess


class Session:
    """A marq process in a folder."""

    def __init__(self, marq, folder):
        self.process = subprocess.Popen(
            [marq, "rpc", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        )
        self.folder = folder
        self.count = 0

    def call(self, method, **params):
        """Return the result of a call and `None`, or `None` and the error."""
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write((json.dumps(request) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"marq ended during {request}")
        answer = json.loads(line)
        error = answer.get("error")
        return answer.get("result"), error and {"kind": "Crash", **error, **(error.get("data") or {})}

    def write(self, name, text):
        """Write a file in the folder without converting line breaks."""
        with open(f"{self.folder}/{name}", "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def nodes(self, name, text):
        """Return all nodes of the file, outer ones first, with their text and parent; `None` if there is no outline."""
        result, error = self.call("query", type="documentSymbols", file=name)
        if error:
            return None
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        found = []
        waiting = [(symbol, None) for symbol in reversed(result["data"]["symbols"])]
        while waiting:
            symbol, parent = waiting.pop()
            start, end = (offset(text, starts, symbol["range"][side]) for side in ("start", "end"))
            node = {"address": symbol["address"], "kind": symbol["kind"], "parent": parent, "text": text[start:end]}
            node["has_children"] = bool(symbol.get("children"))
            found.append(node)
            waiting.extend((child, node) for child in reversed(symbol.get("children") or []))
        return found


def offset(text, starts, place):
    """Return the index of a line (from 1) and a column (from 0, in UTF-16)."""
    at, column = starts[place["line"] - 1], place["column"]
    while column > 0:
        column -= 2 if ord(text[at]) > 0xFFFF else 1
        at += 1
    return at


def after_diff(before, diff):
    """Apply a unified diff to a text."""
    lines, out, at, rest, is_hunk = before.split("\n"), [], 0, 0, False
    for line in diff.split("\n"):
        if line.startswith("@@ "):
            numbers = line.split(" ")[1].lstrip("-").split(",")
            first, rest = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 1
            until = first - 1 if rest else first
            out += lines[at:until]
            at, is_hunk = until, True
        elif line.startswith(" ") and rest:
            out.append(lines[at])
            at, rest = at + 1, rest - 1
        elif line.startswith("-") and rest:
            at, rest = at + 1, rest - 1
        elif line.startswith("+") and is_hunk:
            out.append(line[1:])
    return "\n".join(out + lines[at:])


def readable(text):
    """Return the text as marq reads it: without a byte order mark, with line feeds as line breaks."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
