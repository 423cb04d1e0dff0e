#!/usr/bin/env python3
"""A server for tests: each method behaves in one way."""

import json
import os
import sys
import time
from typing import Any

cancelled: dict[int, dict[str, Any]] = {}


def write(text: str) -> None:
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def send(message: dict[str, Any]) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")


def progress(token: Any, value: dict[str, Any]) -> None:
    send({"method": "$/progress", "params": {"token": token, "value": value}})


def answer(request: int, method: str, params: dict[str, Any]) -> None:
    match method:
        case "echo":
            send({"id": request, "result": params})
        case "flags":
            result = {"args": sys.argv[1:], "cwd": os.getcwd(), "env": os.environ.get("FAKE")}
            send({"id": request, "result": result})
        case "refuse":
            data = {"kind": "Stale", "message": "it changed", "hint": "read it again", "candidates": ["a", "b"]}
            send({"id": request, "error": {"code": -32008, "message": data["message"], "data": data}})
        case "bare":
            send({"id": request, "error": {"code": -32603, "message": "no data"}})
        case "progress":
            token = params.get("workDoneToken")
            if token is not None:
                progress(token, {"kind": "begin", "title": "Work", "cancellable": True})
                for done in (1, 2):
                    progress(token, {"kind": "report", "message": f"step {done}/2", "done": done, "total": 2})
                progress(token, {"kind": "end"})
            send({"id": request, "result": {"token": token is not None}})
        case "wait":
            data = {"kind": "Cancelled", "message": "cancelled", "hint": None, "candidates": []}
            cancelled[request] = {"error": {"code": -32800, "message": "cancelled", "data": data}}
        case "committed":
            # The change is complete when the cancellation arrives.
            cancelled[request] = {"result": {"success": True}}
        case "stubborn":
            # Never answers, not even when it is cancelled.
            pass
        case "cancellations":
            send({"id": request, "result": sorted(cancelled)})
        case "pieces":
            line = json.dumps({"jsonrpc": "2.0", "id": request, "result": "é☃\u2028end"}, ensure_ascii=False)
            for byte in (line + "\n\n").encode():
                sys.stdout.buffer.write(bytes([byte]))
                sys.stdout.buffer.flush()
        case "together":
            other, mine = ({"jsonrpc": "2.0", "id": each, "result": each} for each in (9999, request))
            write(f"{json.dumps(other)}\n{json.dumps(mine)}\n")
        case "large":
            send({"id": request, "result": "x" * params["bytes"]})
        case "die":
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(3)
        case "garbage":
            write("this is not JSON\n")
        case "slowly":
            time.sleep(0.2)
            send({"id": request, "result": "done"})
        case "stay":
            send({"id": request, "result": None})
            time.sleep(60)
        case "$/cancelRequest":
            if params["id"] in cancelled:
                send({"id": params["id"], **cancelled.pop(params["id"])})
        case _:
            raise ValueError(method)


for line in sys.stdin.buffer:
    message = json.loads(line)
    answer(message.get("id", 0), message["method"], message["params"])
