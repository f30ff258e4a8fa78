"""An MCP server on stdio, on whichever SDK is installed: the name it is started with says which to take."""
import os
import sys

kind = sys.argv[1]
if kind == "fastmcp":
    from fastmcp import Context, FastMCP
elif kind == "mcp-2.3":
    from mcp.server.mcpserver import Context, MCPServer as FastMCP
else:
    from mcp.server.fastmcp import Context, FastMCP

server = FastMCP("era", instructions="add numbers")
calls = 0


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def count() -> int:
    """Counts its own calls."""
    global calls
    calls += 1
    return calls


@server.tool()
async def slow(steps: int, ctx: Context) -> str:
    """Tells its progress."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps)
    return f"{steps} steps in process {os.getpid()}"


@server.tool()
def fail() -> str:
    """Always fails."""
    raise ValueError("as it should")


@server.resource("note://one")
def note() -> str:
    return "a note"


@server.prompt()
def greet(name: str) -> str:
    return f"Say hello to {name}"


if kind == "fastmcp":
    server.run(transport="stdio", show_banner=False)
else:
    server.run(transport="stdio")
