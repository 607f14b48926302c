"""Clients that play at an MCP server, by a repeatable rule."""

import random
from typing import Any

from mcp import Client


async def called(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers; AssertionError if that is an error."""
    answer: Any = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    return answer


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Why a tool refuses."""
    answer: Any = await client.call_tool(tool, arguments)
    assert answer.is_error
    text: str = answer.content[0].text
    assert "Traceback" not in text
    return text


async def play_out(client: Client, table: int, seed: int = 0) -> list[str]:
    """Play random legal moves to the end; the moves."""
    chance, moves = random.Random(seed), []
    answer = await called(client, "legal_moves", table=table)
    while not answer.structured_content["over"]:
        moves.append(chance.choice(answer.structured_content["legal_moves"])["move"])
        answer = await called(client, "play", table=table, move=moves[-1])
    return moves
