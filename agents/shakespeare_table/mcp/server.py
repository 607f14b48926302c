"""The MCP server: tools and prompts over `tables.Tables`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, NotRequired

# Pydantic reads that of `typing` from Python 3.12 on.
from typing_extensions import TypedDict

from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all
from shakespeare_env.core.rng import EXACT
from shakespeare_env.extras import needing
from shakespeare_env.version import version
from shakespeare_table.mcp.table import Answer
from shakespeare_table.mcp.tables import RequestError, Tables

with needing("mcp", "the MCP server needs"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent, ToolAnnotations
    from pydantic import Field

_INSTRUCTIONS = """\
Board games for you to play against other agents. Begin with list_games and read_rules, open a table
with new_game, then choose one of legal_moves with play until the game is over; see_seat shows the
whole table. You hold one seat and see what it may know."""

_PATIENCE_S = 30.0
"""Seconds that a request waits for compiled rules; many clients give up after 60."""
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_PLAYS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)

TableNumber = Annotated[int, Field(description="The table's number, as new_game gives it.")]
GameName = Annotated[str, Field(description="A game of list_games.")]


class Offer(TypedDict):
    """A game that can be played."""

    game: str
    players: list[int]
    variants: list[str]
    opponents: list[str]


class Brief(TypedDict):
    """A table among others."""

    table: int
    game: str
    players: int
    seat: int
    over: bool


class Listing(TypedDict):
    """What `list_games` answers."""

    games: list[Offer]
    tables: list[Brief]


class Handbook(TypedDict):
    """What `read_rules` answers, as Markdown."""

    rules: str
    notation: str


class State(Brief):
    """A table by itself; seed and deal once the game is over, `kept` where games count."""

    seats: list[str]
    variants: list[str]
    phase: str
    scores: list[int]
    winners: list[int] | None
    seed: NotRequired[int | str]
    deal: NotRequired[int]
    kept: NotRequired[str]


class Seen(State):
    """What `new_game` and `see_seat` answer."""

    happened: list[str]
    position: dict[str, Any]


class Choice(TypedDict):
    """A legal move, and what it does."""

    move: str
    does: str


class Choices(State):
    """What `legal_moves` answers."""

    legal_moves: list[Choice]


class Played(Choices):
    """What `play` answers."""

    happened: list[str]


class Explained(TypedDict):
    """What `explain` answers."""

    name: str
    does: str


class Left(TypedDict):
    """What `leave_table` answers."""

    table: int


def server_of(tables: Tables) -> MCPServer[object]:
    """A server whose tools play at some tables; `run()` serves standard input and output."""
    server: MCPServer[object] = MCPServer(
        "shakespeare-env", instructions=_INSTRUCTIONS, version=version(), log_level="WARNING"
    )
    _add_tools(server, tables)
    _add_prompts(server)
    _refuse_unknown_arguments(server)
    return server


def _refuse_unknown_arguments(server: MCPServer[object]) -> None:
    """They would be dropped, and something else done than asked for."""
    for tool in server._tool_manager.list_tools():
        arguments = tool.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        tool.parameters = arguments.model_json_schema(by_alias=True)


def _add_tools(server: MCPServer[object], tables: Tables) -> None:
    compiling: dict[str, asyncio.Task[None]] = {}

    @server.tool(annotations=_READS)
    def list_games() -> Annotated[CallToolResult, Listing]:
        """List what can be played, at how many seats, against whom, and the tables there are."""
        return _result(tables.list_games)

    @server.tool(annotations=_READS)
    def read_rules(game: GameName) -> Annotated[CallToolResult, Handbook]:
        """Read a game's rules, and how its moves and positions are written."""
        return _result(lambda: tables.read_rules(game))

    @server.tool(annotations=_PLAYS)
    async def new_game(
        game: GameName,
        players: Annotated[int, Field(description="Seats at the table, yours too.")],
        seat: Annotated[int, Field(description="Yours, counted from 0.")] = 0,
        seed: Annotated[
            Annotated[int, Field(ge=0, lt=EXACT)]
            | Annotated[str, Field(pattern="^[0-9]{1,20}$")]
            | None,
            Field(
                description="The same seed is the same deal; else a fresh one. From 2^53 on a text "
                "of digits, as JSON's numbers may have been rounded."
            ),
        ] = None,
        variants: Annotated[
            list[str] | None, Field(description="Variants of list_games to play with.")
        ] = None,
    ) -> Annotated[CallToolResult, Seen]:
        """Open a table and see it; the others play up to your first choice."""
        if game in tables.games:
            await _compiled(game, compiling)
        wanted = game, players, seat, None if seed is None else int(seed), variants or ()
        return await asyncio.to_thread(_result, lambda: tables.new_game(*wanted))

    @server.tool(annotations=_READS)
    def see_seat(table: TableNumber) -> Annotated[CallToolResult, Seen]:
        """See all that your seat may know: what has happened, the table, scores, the position."""
        return _result(lambda: tables.see_seat(table))

    @server.tool(annotations=_READS)
    def legal_moves(table: TableNumber) -> Annotated[CallToolResult, Choices]:
        """List your legal moves, and what each does."""
        return _result(lambda: tables.legal_moves(table))

    @server.tool(annotations=_READS)
    def explain(
        table: TableNumber,
        name: Annotated[str, Field(description="As moves and the drawing name it.")],
    ) -> Annotated[CallToolResult, Explained]:
        """Explain what a card, a move or a thing on the table does and is worth now."""
        return _result(lambda: tables.explain(table, name))

    @server.tool(annotations=_PLAYS)
    async def play(
        table: TableNumber, move: Annotated[str, Field(description="One of legal_moves.")]
    ) -> Annotated[CallToolResult, Played]:
        """Play a move; the others play on, and what happened and your next choice come back."""
        return await asyncio.to_thread(_result, lambda: tables.play(table, move))

    @server.tool(annotations=_ENDS)
    def leave_table(table: TableNumber) -> Annotated[CallToolResult, Left]:
        """Give up a game in progress, which loses it where games count, or clear a finished one."""
        return _result(lambda: tables.leave_table(table))


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


def _result(ask: Callable[[], Answer]) -> CallToolResult:
    try:
        answer = ask()
    except RequestError as fault:
        raise ToolError(str(fault)) from fault
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)], structured_content=answer.facts
    )
