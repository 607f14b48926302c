"""The MCP server, whose tools are the methods of `tools.GameTools`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from shakespeare_env.core import registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.extras import requires_extra
from shakespeare_env.version import version
from shakespeare_table.mcp.model_game import ToolResult
from shakespeare_table.mcp.tools import GameTools, RequestError

with requires_extra("mcp", "the MCP server needs"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent, ToolAnnotations

_INSTRUCTIONS = """\
You can play board games against other agents. Begin with list_games and read_rules. Open a table
with new_game. Then answer each decision with play, giving the decision's number and one of
legal_moves, until the game is over. see_seat shows the whole table. You hold one seat and see only
what it may know. If you repeat a call, it acts only once."""

COMPILE_WAIT_S = 30.0
"""Seconds that a request waits for compiled rules. Many clients give up after 60."""
# Annotations of the tools that only read, that play, and that end a game.
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_PLAYS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ENDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)


def server_of(tools: GameTools) -> MCPServer[object]:
    """Return a server that offers the tools. Its `run()` serves standard input and output."""
    server: MCPServer[object] = MCPServer(
        "shakespeare-env", instructions=_INSTRUCTIONS, version=version(), log_level="WARNING"
    )
    compiling: dict[str, asyncio.Task[None]] = {}  # by game
    for method in (
        tools.list_games,
        tools.read_rules,
        tools.see_seat,
        tools.legal_moves,
        tools.explain,
    ):
        server.add_tool(_tool(method), annotations=_READS)
    server.add_tool(_tool(tools.play), annotations=_PLAYS)
    server.add_tool(_tool(tools.leave_table), annotations=_ENDS)
    server.add_tool(_tool(tools.new_game, compiling), annotations=_PLAYS)
    # By default a tool drops unknown arguments. It must refuse them, so that mistakes are noticed.
    for tool in server._tool_manager.list_tools():
        model = tool.fn_metadata.arg_model
        model.model_config["extra"] = "forbid"
        model.model_rebuild(force=True)
        tool.parameters = model.model_json_schema(by_alias=True)
    return server


def _tool(
    method: Callable[..., ToolResult], compiling: dict[str, asyncio.Task[None]] | None = None
) -> Callable[..., Awaitable[CallToolResult]]:
    """Return a tool that calls a method in a thread.

    Args:
        method: A method of `GameTools`.
        compiling: The games whose rules are being compiled. If it is given, the tool compiles the
            rules of its argument `game` before it calls the method.
    """

    @wraps(method)
    async def tool(**arguments: Any) -> CallToolResult:
        if compiling is not None and arguments["game"] in registry.names():
            await _compile(arguments["game"], compiling)
        try:
            result = await asyncio.to_thread(method, **arguments)
        except RequestError as fault:
            raise ToolError(str(fault)) from fault
        text = TextContent(type="text", text=result.text)
        return CallToolResult(content=[text], structured_content=result.facts)

    # The server reads the tool's arguments from this signature.
    signature = inspect.signature(method, eval_str=True)
    vars(tool)["__signature__"] = signature.replace(return_annotation=CallToolResult)
    return tool


async def _compile(game: str, compiling: dict[str, asyncio.Task[None]]) -> None:
    if game not in compiling:
        compiling[game] = asyncio.create_task(asyncio.to_thread(compile_all, registry.game(game)))
    await asyncio.wait([compiling[game]], timeout=COMPILE_WAIT_S)
    if not compiling[game].done():
        raise ToolError(
            f"The rules of {game} are being compiled for this computer, which is done only once. "
            "No table is open yet. Call new_game again."
        )
