"""The MCP server: tools, resources and prompts over `tables.Tables`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Annotated, Any

from shakespeare_agents.mcp import facts, handbook
from shakespeare_agents.mcp.table import Answer
from shakespeare_agents.mcp.tables import RequestError, Tables
from shakespeare_agents.setting_faults import in_words
from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all
from shakespeare_env.extras import needing
from shakespeare_env.version import version

with needing("mcp", "the MCP server needs"):
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
    from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
    from pydantic import Field, ValidationError

_INSTRUCTIONS = """\
Board games for you to play against other agents. Begin with list_games and read_rules, open a table
with new_game, then choose one of legal_moves with play until the game is over; see_seat shows the
whole table. You hold one seat and see what it may know."""

_TELL_EVERY_S = 2.0
"""Seconds from one notice of progress to the next."""
_PATIENCE_S = 30.0
"""Seconds that a request waits for compiled rules; many clients give up after 60."""
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_PLAYS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)

TableNumber = Annotated[int, Field(description="The table's number, as new_game gives it.")]
GameName = Annotated[str, Field(description="A game of list_games.")]


class _Server(MCPServer[object]):
    """A server that names a wrong argument and the remedy."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[object, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as fault:
            if not isinstance(fault.__cause__, ValidationError):
                raise
            said = in_words(fault.__cause__, "{} is no argument".format)
            raise ToolError(f"{name}: {said}") from fault


def server_of(tables: Tables) -> MCPServer[object]:
    """A server whose tools play at some tables; `run()` serves standard input and output."""
    server = _Server(
        "shakespeare-env", instructions=_INSTRUCTIONS, version=version(), log_level="WARNING"
    )
    _add_tools(server, tables)
    _add_resources(server, tables)
    _add_prompts(server)
    return server


def _add_tools(server: MCPServer[object], tables: Tables) -> None:
    compiling: dict[str, asyncio.Task[None]] = {}

    @server.tool(annotations=_READS)
    def list_games() -> Annotated[CallToolResult, facts.Listing]:
        """List what can be played, at how many seats, against whom, and the tables there are."""
        return _result(tables.list_games)

    @server.tool(annotations=_READS)
    def read_rules(game: GameName) -> Annotated[CallToolResult, facts.Handbook]:
        """Read a game's rules, and how its moves and positions are written."""
        return _result(lambda: _handbook(tables, game))

    @server.tool(annotations=_PLAYS)
    async def new_game(
        context: Context[object, Any],
        game: GameName,
        players: Annotated[int, Field(description="Seats at the table, yours too.")],
        seat: Annotated[int, Field(description="Yours, counted from 0.")] = 0,
        seed: Annotated[
            int | None,
            Field(ge=0, lt=2**64, description="The same seed is the same deal; else a fresh one."),
        ] = None,
        variants: Annotated[
            list[str] | None, Field(description="Variants of list_games to play with.")
        ] = None,
    ) -> Annotated[CallToolResult, facts.Seen]:
        """Open a table and see it; the others play up to your first choice."""
        if game in tables.games:
            await _compiled(game, compiling)
        wanted = game, players, seat, seed, variants or ()
        return await _lasting(context, lambda: tables.new_game(*wanted))

    @server.tool(annotations=_READS)
    def see_seat(table: TableNumber) -> Annotated[CallToolResult, facts.Seen]:
        """See all that your seat may know: what has happened, the table, scores, the position."""
        return _result(lambda: tables.see_seat(table))

    @server.tool(annotations=_READS)
    def legal_moves(table: TableNumber) -> Annotated[CallToolResult, facts.Choices]:
        """List your legal moves, and what each does."""
        return _result(lambda: tables.legal_moves(table))

    @server.tool(annotations=_READS)
    def explain(
        table: TableNumber,
        name: Annotated[str, Field(description="As moves and the drawing name it.")],
    ) -> Annotated[CallToolResult, facts.Explained]:
        """Explain what a card, a move or a thing on the table does and is worth now."""
        return _result(lambda: tables.explain(table, name))

    @server.tool(annotations=_PLAYS)
    async def play(
        context: Context[object, Any],
        table: TableNumber,
        move: Annotated[str, Field(description="One of legal_moves.")],
    ) -> Annotated[CallToolResult, facts.Played]:
        """Play a move; the others play on, and what happened and your next choice come back."""
        return await _lasting(context, lambda: tables.play(table, move))

    @server.tool(annotations=_ENDS)
    def leave_table(table: TableNumber) -> Annotated[CallToolResult, facts.Left]:
        """Give up a game in progress, which loses it where games count, or clear a finished one."""
        return _result(lambda: tables.leave_table(table))


def _add_resources(server: MCPServer[object], tables: Tables) -> None:
    for game in tables.games:
        for kind, read in {"rules": handbook.rules, "notation": handbook.notation}.items():
            server.resource(
                f"shakespeare://{kind}/{game}",
                name=f"{game}-{kind}",
                description=f"The {kind} of {game}.",
                mime_type="text/markdown",
            )(_reading(read, game))

    @server.resource(
        "shakespeare://tables/{table}",
        name="table",
        description="What your seat at a table sees.",
        mime_type="text/plain",
    )
    def table_seen(table: str) -> str:
        try:
            return tables.see_seat(int(table)).text
        except ValueError as fault:  # a RequestError, too
            raise ResourceNotFoundError(str(fault)) from fault


def _add_prompts(server: MCPServer[object]) -> None:
    @server.prompt(title="Play a game")
    def play_a_game(game: GameName) -> str:
        """Play a game to its end."""
        return (
            f"Play a game of {game}. Read the rules first, open a table, and ask what cards do "
            "before you rely on them. Say in a sentence why you choose each move. At the end say "
            "who has won, and what decided it."
        )

    @server.prompt(title="Review my game")
    def review_my_game(table: Annotated[str, Field(description="The table's number.")]) -> str:
        """Say what a finished game was won or lost by."""
        return (
            f"Review the game at table {table}. See the seat for the final scores and what they "
            "are made of, compare it with the others, and name the decisions of this game that "
            "cost or brought most, and what would have been better."
        )


def _reading(read: Callable[[str], str], game: str) -> Callable[[], str]:
    return lambda: read(game)


def _handbook(tables: Tables, game: str) -> Answer:
    if game not in tables.games:
        raise RequestError(f"no game {game!r}; there are: {', '.join(tables.games)}")
    rules, notation = handbook.rules(game), handbook.notation(game)
    return Answer(f"{rules}\n{notation}", {"rules": rules, "notation": notation})


async def _compiled(game: str, compiling: dict[str, asyncio.Task[None]]) -> None:
    """Wait for a game's rules, but no longer than clients wait for an answer."""
    if game not in compiling:
        compiling[game] = asyncio.create_task(asyncio.to_thread(compile_all, registry.game(game)))
    await asyncio.wait([compiling[game]], timeout=_PATIENCE_S)
    if not compiling[game].done():
        raise ToolError(
            f"the rules of {game} are being compiled for this computer, which is done once; "
            "no table is open yet: call new_game again"
        )


async def _lasting(context: Context[object, Any], ask: Callable[[], Answer]) -> CallToolResult:
    """The result of a request that may take long, with notices of progress meanwhile."""

    async def tell() -> None:
        for notice in count(1):
            await asyncio.sleep(_TELL_EVERY_S)
            said = "the others think; the first use also compiles the rules"
            await context.report_progress(notice, message=said)

    telling = asyncio.create_task(tell())
    try:
        return await asyncio.to_thread(_result, ask)
    finally:
        telling.cancel()


def _result(ask: Callable[[], Answer]) -> CallToolResult:
    try:
        answer = ask()
    except RequestError as fault:
        raise ToolError(str(fault)) from fault
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)], structured_content=answer.facts
    )
