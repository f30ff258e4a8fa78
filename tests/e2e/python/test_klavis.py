"""The main flow with the Python clients: the klavis SDK acquires and releases, the mcp client works in between."""
import asyncio
import json

import mcp
import pytest
from klavis import ConnectionType, GmailData, Klavis, McpServerName, ToolFormat
from klavis.core.api_error import ApiError
from mcp import ClientSession

try:
    from mcp.client.streamable_http import streamable_http_client
except ImportError:  # before mcp 2
    from mcp.client.streamable_http import streamablehttp_client as streamable_http_client


@pytest.fixture
def klavis(server):
    url, key = server
    return Klavis(base_url=url, api_key=key)


def use(url, work):
    async def run():
        async with streamable_http_client(url) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                return await work(session)

    return asyncio.run(run())


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    assert not result.model_dump(by_alias=True)["isError"], result.content[0].text
    return json.loads(result.content[0].text)


def test_acquire_use_reset_release(klavis):
    sandbox = klavis.sandbox.create_sandbox("slack")
    url = sandbox.server_urls["slack"]

    async def post(session):
        assert len((await session.list_tools()).tools) == 13
        return await call(session, "slack_user_post_message", channel_id="C01GENERAL", text="from python")

    assert use(url, post)["ok"] is True
    details = klavis.sandbox.get_sandbox("slack", sandbox.sandbox_id)
    assert details.status == "occupied"
    assert klavis.sandbox.reset_sandbox("slack", sandbox.sandbox_id).status == "occupied"

    async def newest(session):
        return (await call(session, "slack_get_channel_history", channel_id="C01GENERAL"))["messages"][0]["text"]

    assert use(url, newest) != "from python"
    assert klavis.sandbox.delete_sandbox("slack", sandbox.sandbox_id).status == "idle"
    with pytest.raises(ApiError) as error:
        klavis.sandbox.get_sandbox("slack", sandbox.sandbox_id)
    assert error.value.status_code == 404


def test_typed_initialize_and_dump(klavis):
    sandbox = klavis.sandbox.create_sandbox("gmail")
    data = GmailData(messages=[{"subject": "Hello", "to": "maya@example.com", "body": "Hi there"}])
    klavis.sandbox.initialize_gmail_sandbox(sandbox.sandbox_id, request=data)
    dump = klavis.sandbox.dump_gmail_sandbox(sandbox.sandbox_id)
    assert [message.subject for message in dump.data.messages] == ["Hello"]
    klavis.sandbox.delete_sandbox("gmail", sandbox.sandbox_id)


@pytest.mark.skipif(not hasattr(mcp, "Client"), reason="the installed mcp client has no modern mode")
def test_the_modern_revision_needs_no_handshake(klavis):
    sandbox = klavis.sandbox.create_sandbox("slack")

    async def run():
        async with mcp.Client(sandbox.server_urls["slack"]) as client:
            assert client.protocol_version == "2026-07-28"
            assert len((await client.list_tools()).tools) == 13
            result = await client.call_tool("slack_list_users", {})
            assert json.loads(result.content[0].text)["ok"] is True

    asyncio.run(run())


def test_tools_are_listed_and_called_without_an_mcp_client(klavis):
    sandbox = klavis.sandbox.create_sandbox("slack")
    url = sandbox.server_urls["slack"]
    native = klavis.mcp_server.list_tools(server_url=url)
    assert native.success and native.format == ToolFormat.MCP_NATIVE and len(native.tools) == 13
    names = sorted(tool["name"] for tool in native.tools)
    openai = klavis.mcp_server.list_tools(server_url=url, format=ToolFormat.OPENAI, connection_type=ConnectionType.STREAMABLE_HTTP)
    assert sorted(tool["function"]["name"] for tool in openai.tools) == names
    anthropic = klavis.mcp_server.list_tools(server_url=url, format=ToolFormat.ANTHROPIC)
    assert sorted(tool["name"] for tool in anthropic.tools if tool["input_schema"]) == names
    gemini = klavis.mcp_server.list_tools(server_url=url, format=ToolFormat.GEMINI)
    assert sorted(tool["name"] for tool in gemini.tools[0]["functionDeclarations"]) == names

    posted = klavis.mcp_server.call_tools(server_url=url, tool_name="slack_user_post_message",
                                          tool_args={"channel_id": "C01GENERAL", "text": "from python"})
    assert posted.success and not posted.result.is_error
    assert json.loads(posted.result.content[0]["text"])["ok"] is True
    wrong = klavis.mcp_server.call_tools(server_url=url, tool_name="no_such_tool")
    assert not wrong.success and "no_such_tool" in wrong.error
    by_name = klavis.mcp_server.get_tools(McpServerName.SLACK, format=ToolFormat.OPENAI)
    assert by_name.success and len(by_name.tools) == 13

    klavis.sandbox.delete_sandbox("slack", sandbox.sandbox_id)
    assert not klavis.mcp_server.list_tools(server_url=url).success


def test_validation_errors_are_typed(klavis):
    with pytest.raises(ApiError) as error:
        klavis.sandbox.create_sandbox("no_such_app")
    assert error.value.status_code == 422
