"""Makes the calls in a file through the installed version of the Python SDK, which must accept every answer."""

import json
import sys

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client


async def main(calls, program, *arguments):
    with open(calls, encoding="utf-8") as lines:
        calls = [json.loads(line) for line in lines]
    invalid, failed, answered = [], 0, 0
    server = StdioServerParameters(command=program, args=list(arguments))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        hello = await session.initialize()
        version = getattr(hello, "protocolVersion", None) or getattr(hello, "protocol_version", None)
        tools = await session.list_tools()
        resources = await session.list_resources()
        page = await session.read_resource(resources.resources[0].uri)
        for call in calls:
            try:
                answer = await session.call_tool(call["name"], call["arguments"])
            except Exception as error:  # of any type: the SDK rejected an answer
                invalid.append({"call": call, "error": str(error)})
                continue
            error = getattr(answer, "isError", None) or getattr(answer, "is_error", None)
            text = "".join(getattr(block, "text", "") for block in answer.content)
            if not text.strip():
                invalid.append({"call": call, "error": "no text"})
            failed += bool(error)
            answered += not error
    report = {"version": version, "tools": len(tools.tools), "resources": len(resources.resources), "page": len(page.contents)}
    print(json.dumps({**report, "answered": answered, "failed": failed, "invalid": invalid}))


anyio.run(main, *sys.argv[1:])
