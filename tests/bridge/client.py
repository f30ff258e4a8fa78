"""Does with a server what a client does, on whichever mcp is installed, and prints as JSON what came of it.

usage: client.py URL session|modern: by the class of all versions, which shakes hands, or by the one of mcp 2.
"""
import asyncio
import json
import sys

import mcp

url, way = sys.argv[1:]


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def use(client, version):
    heard = []

    async def on_progress(progress, total, message):
        heard.append([progress, total])

    tools = (await client.list_tools()).tools
    failed = plain(await client.call_tool("fail", {}))
    resource = plain(await client.read_resource("note://one"))
    prompt = plain(await client.get_prompt("greet", {"name": "Ada"}))
    result = {
        "version": version,
        "tools": sorted(tool.name for tool in tools),
        "sum": plain(await client.call_tool("add", {"a": 20, "b": 22}))["content"][0]["text"],
        "count": plain(await client.call_tool("count", {}))["content"][0]["text"],
        "slow": plain(await client.call_tool("slow", {"steps": 3}, progress_callback=on_progress))["content"][0]["text"],
        "failed": [failed.get("isError"), failed["content"][0]["text"]],
        "resource": resource["contents"][0]["text"],
        "prompt": prompt["messages"][0]["content"]["text"],
        "heard": heard,
    }
    try:
        await client.call_tool("no-such-tool", {})
        result["unknown"] = "an answer"
    except Exception as error:
        result["unknown"] = "an error"
    return result


async def by_session():
    try:
        from mcp.client.streamable_http import streamable_http_client as connect
    except ImportError:  # before mcp 2
        from mcp.client.streamable_http import streamablehttp_client as connect
    async with connect(url) as streams:
        async with mcp.ClientSession(streams[0], streams[1]) as session:
            greeting = plain(await session.initialize())
            return await use(session, greeting["protocolVersion"])


async def by_client():
    async with mcp.Client(url) as client:
        return await use(client, client.protocol_version)


print(json.dumps(asyncio.run(by_client() if way == "modern" else by_session())))
