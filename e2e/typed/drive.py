"""Answers calls with the client of Python: reads `{"tool", "arguments"}` on each line, and writes the `result` or the
`error`. `cargo xtask prove conformance` compares the answers with those of other front ends.

    python3 drive.py PROGRAM ROOT
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "sdk/clients/python"))

from marquetry_client import Marquetry, MarquetryError  # noqa: E402


async def main(program: str, root: str) -> None:
    async with Marquetry(program=program, root=root, client=("conformance", "1")) as marq:
        for line in iter(sys.stdin.buffer.readline, b""):
            call = json.loads(line)
            try:
                answer = {"result": await marq.call(call["tool"], call["arguments"])}
            except MarquetryError as error:
                content = {"kind": error.kind, "message": error.message, "hint": error.hint}
                answer = {"error": {**content, "candidates": error.candidates}}
            print(json.dumps(answer), flush=True)


asyncio.run(main(*sys.argv[1:]))
