"""The MCP server: the methods of `tables.GameTools` as tools."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from shakespeare_env.core import registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.extras import needing
from shakespeare_env.version import version
from shakespeare_table.mcp.model_game import ToolResult
from shakespeare_table.mcp.tools import GameTools, RequestError

with needing("mcp", "the MCP server needs"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent, ToolAnnotations

_INSTRUCTIONS = """\
Board games for you to play against other agents. Begin with list_games and read_rules, open a table
with new_game, then answer each decision by its number with play and one of legal_moves, until the
game is over; see_seat shows the whole table. You hold one seat and see what it may know. A call
that you repeat acts once."""

_PATIENCE_S = 30.0  # seconds that a request waits for compiled rules; many clients give up after 60
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_PLAYS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ENDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)


def server_of(tables: GameTools) -> MCPServer[object]:
    """A server whose tools play at some tables; `run()` serves standard input and output."""
    server: MCPServer[object] = MCPServer(
        "shakespeare-env", instructions=_INSTRUCTIONS, version=version(), log_level="WARNING"
    )
    compiling: dict[str, asyncio.Task[None]] = {}
    looks = (tables.see_seat, tables.legal_moves, tables.explain)
    for ask in (tables.list_games, tables.read_rules, *looks):
        server.add_tool(_tool(ask), annotations=_READS)
    server.add_tool(_tool(tables.play), annotations=_PLAYS)
    server.add_tool(_tool(tables.leave_table), annotations=_ENDS)
    server.add_tool(_tool(tables.new_game, compiling), annotations=_PLAYS)
    for tool in server._tool_manager.list_tools():  # refuse arguments that would be dropped
        model = tool.fn_metadata.arg_model
        model.model_config["extra"] = "forbid"
        model.model_rebuild(force=True)
        tool.parameters = model.model_json_schema(by_alias=True)
    return server


def _tool(
    ask: Callable[..., ToolResult], compiling: dict[str, asyncio.Task[None]] | None = None
) -> Callable[..., Awaitable[CallToolResult]]:

    @wraps(ask)
    async def tool(**arguments: Any) -> CallToolResult:
        if compiling is not None and arguments["game"] in registry.names():
            await _compiled(arguments["game"], compiling)
        try:
            answer = await asyncio.to_thread(ask, **arguments)
        except RequestError as fault:
            raise ToolError(str(fault)) from fault
        text = TextContent(type="text", text=answer.text)
        return CallToolResult(content=[text], structured_content=answer.facts)

    signature = inspect.signature(ask, eval_str=True)
    vars(tool)["__signature__"] = signature.replace(return_annotation=CallToolResult)
    return tool


async def _compiled(game: str, compiling: dict[str, asyncio.Task[None]]) -> None:
    if game not in compiling:
        compiling[game] = asyncio.create_task(asyncio.to_thread(compile_all, registry.game(game)))
    await asyncio.wait([compiling[game]], timeout=_PATIENCE_S)
    if not compiling[game].done():
        raise ToolError(
            f"the rules of {game} are being compiled for this computer, which is done once; "
            "no table is open yet: call new_game again"
        )
