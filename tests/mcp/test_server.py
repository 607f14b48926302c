"""The MCP server, through the package's own client: games, refusals and secrets."""

import asyncio
import itertools
import json
import os
import random
import re
import sys
import threading
from typing import Any

import numpy as np
import pytest
from mcp import Client, StdioServerParameters

from shakespeare_env import Position
from shakespeare_env.checking import told_pairs
from shakespeare_env.core import registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.core.rng import FIRST_FRESH
from shakespeare_env.datasets.reading import read_results
from shakespeare_table.mcp import server
from shakespeare_table.mcp.model_game import GameStart, ModelGame, Opponent
from shakespeare_table.mcp.server import server_of
from shakespeare_table.mcp.tools import GameTools, RequestError
from tests.contract import knowledge
from tests.contract.each_table import full_tables, small_tables
from tests.contract.games import small_games
from tests.contract.random_games import sample_positions


@pytest.fixture(autouse=True, scope="module")
def _compiled():
    """Compile all rules first, since requests wait for them only for a limited time."""
    for name in registry.names():
        compile_all(registry.game(name))


async def call_tool(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool that must succeed, and return its result."""
    answer: Any = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content[0].text
    return answer


async def call_refused_tool(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must refuse, and return its message."""
    answer: Any = await client.call_tool(tool, arguments)
    assert answer.is_error
    text: str = answer.content[0].text
    assert "Traceback" not in text
    return text


def ask_server(questions, server=None):
    """Ask a server questions, and return what they return."""

    async def ask():
        async with Client(server or server_of(GameTools(["random"]))) as client:
            return await questions(client)

    return asyncio.run(ask())


@small_tables
def test_a_random_client_plays_a_game_to_its_end(table):
    tools = GameTools(["random"])
    players = table.players
    seed = 2**53 + 1  # JavaScript has no such number
    arguments = {
        "table": 1,
        "game": table.game,
        "players": players,
        "seat": 1,
        "seed": str(seed),
        "variants": [],
    }

    async def play(client):
        facts = (await call_tool(client, "new_game", **arguments)).structured_content
        assert facts["position"]["to_move"] == facts["seat"] == 1
        assert facts["seats"] == ["random" if seat != 1 else "you" for seat in range(players)]
        chance = random.Random(0)
        moves = []
        answer = await call_tool(client, "legal_moves", table=1)
        while not answer.structured_content["over"]:
            facts = answer.structured_content
            moves.append(chance.choice(facts["legal_moves"])["move"])
            answers = {"table": 1, "move": moves[-1], "decision": facts["decision"]}
            assert f"You make decision {facts['decision']}, in phase" in answer.content[0].text
            answer = await call_tool(client, "play", **answers)
        return moves, await call_tool(client, "see_seat", table=1)

    moves, end = ask_server(play, server_of(tools))
    played = tools.tables[1]
    assert played.positions[0] == table.position(seed)
    decisions = zip(played.positions, played.moves, strict=False)
    own = [move for position, move in decisions if position.to_move == 1]
    assert own == moves
    assert end.structured_content["scores"] == played.position.scores()
    assert end.structured_content["winners"] == played.position.winners
    assert end.structured_content["seed"] == str(seed)
    assert "The game is over" in end.content[0].text
    assert str(played.position) in end.content[0].text


@full_tables
def test_a_tool_shows_what_the_seat_may_know_and_no_seed(table):
    tools = GameTools(["random"])

    async def look(client):
        opened = await call_tool(
            client, "new_game", table=1, game=table.game, players=table.players
        )
        seen = await call_tool(client, "see_seat", table=1)
        return opened, seen, await call_tool(client, "legal_moves", table=1)

    opened, seen, moves = ask_server(look, server_of(tools))
    position = tools.tables[1].position
    text = seen.content[0].text
    assert opened.content[0].text == text
    assert seen.structured_content["position"] == position.seen_by(0)
    assert position.game.presentation.draw(position.seen_by(0)) in text
    assert [one["move"] for one in moves.structured_content["legal_moves"]] == position.moves()
    for move in position.moves():
        assert f"{move}  {position.describe_move(move)}" in moves.content[0].text
    assert "seed" not in seen.structured_content
    assert FIRST_FRESH <= tools.tables[1].start.seed < 2**53


@full_tables
def test_all_games_are_listed_and_their_rules_can_be_read(table):
    async def read(client):
        listed = (await call_tool(client, "list_games")).structured_content
        assert {one["game"] for one in listed["games"]} == {*registry.names()}
        return await call_tool(client, "read_rules", game=table.game)

    answer = ask_server(read)
    rules = answer.structured_content["rules"]
    notation = answer.structured_content["notation"]
    for number in knowledge.of(table.game, "facts").RULES:
        assert re.search(rf"^- {number}( Ruling)?: ", rules, re.MULTILINE), number
    assert "test_" not in rules
    assert "](" not in notation
    assert answer.content[0].text == f"{rules}\n{notation}"
    assert all(f"`{key}`" in notation for key in table.position(0).to_dict())


def test_every_tool_is_described_and_takes_no_other_arguments():
    async def read(client):
        return (await client.list_tools()).tools

    tools = ask_server(read)
    assert all(tool.description for tool in tools)
    assert not any(tool.input_schema["additionalProperties"] for tool in tools)


def test_mistakes_change_nothing_and_name_the_value():
    figaro = {"table": 2, "game": "figaro", "players": 3}
    mistakes: list[tuple[str, dict[str, Any], str]] = [
        ("play", {"table": 1, "move": "hop", "decision": 1}, "hop"),
        ("play", {"table": 1, "move": "hop", "decision": 8}, "not 8"),
        ("play", {"table": 1, "move": "hop"}, "decision"),
        ("play", {"table": 7, "move": "hop", "decision": 1}, "7"),
        ("new_game", figaro | {"table": 1}, "Give a new number, such as 2"),
        ("new_game", figaro | {"table": 0}, "greater than or equal to 1"),
        ("new_game", figaro | {"game": "chess"}, "chess"),
        ("new_game", figaro | {"players": 9}, "9"),
        ("new_game", figaro | {"seat": 3}, "3"),
        ("new_game", figaro | {"variants": ["autoreset"]}, "autoreset"),
        ("new_game", figaro | {"seed": -1}, "seed"),
        ("new_game", figaro | {"seed": 2**53}, "seed"),
        ("new_game", figaro | {"my_seat": 1}, "my_seat"),
        ("explain", {"table": 1, "name": "xyzzy"}, "xyzzy"),
        ("read_rules", {"game": "chess"}, "chess"),
    ]

    async def make_mistakes(client):
        opened = await call_tool(client, "new_game", table=1, game="shakespeare", players=2, seed=1)
        for tool, arguments, says in mistakes:
            assert says in await call_refused_tool(client, tool, **arguments)
        seen = await call_tool(client, "see_seat", table=1)
        assert seen.structured_content == opened.structured_content

    ask_server(make_mistakes)


def test_a_move_is_explained_part_by_part():
    async def ask(client):
        await call_tool(client, "new_game", table=1, game="shakespeare", players=2, seed=1)
        moves = await call_tool(client, "legal_moves", table=1)
        move = moves.structured_content["legal_moves"][0]["move"]
        all_parts = await call_tool(client, "explain", table=1, name=move)
        last_part = await call_tool(client, "explain", table=1, name=move.split(":")[1])
        assert all_parts.structured_content["does"].endswith(last_part.structured_content["does"])

    ask_server(ask)


def test_while_rules_are_compiled_no_table_is_opened(monkeypatch):
    may_end = threading.Event()

    async def retry(client):
        how = {"table": 1, "game": "figaro", "players": 3}
        answer = await client.call_tool("new_game", how)
        assert answer.is_error
        assert "Call new_game again" in answer.content[0].text
        may_end.set()
        monkeypatch.setattr(server, "COMPILE_WAIT_S", 30.0)
        assert (await client.call_tool("new_game", how)).structured_content["table"] == 1

    monkeypatch.setattr(server, "compile_all", lambda game: may_end.wait(30))
    monkeypatch.setattr(server, "COMPILE_WAIT_S", 0.05)
    ask_server(retry)


def test_games_over_standard_input_and_output_are_added_to_results(tmp_path):
    folder = tmp_path / "results"
    arguments = ["mcp", "random", "--game", "figaro", "--name", "a model", "--results", str(folder)]
    program = StdioServerParameters(
        command=sys.executable,
        args=["-m", "shakespeare_env", *arguments],
        cwd=str(tmp_path),
        env=dict(os.environ),
    )

    async def play(client):
        for number in (1, 2):
            await call_tool(client, "new_game", table=number, game="figaro", players=3)
        moves = await call_tool(client, "legal_moves", table=1)
        move = moves.structured_content["legal_moves"][0]["move"]
        decision = moves.structured_content["decision"]
        await call_tool(client, "play", table=1, move=move, decision=decision)
        await call_tool(client, "leave_table", table=1)

    ask_server(play, program)
    left, ended = read_results(folder).iter_rows(named=True)
    assert (left["decisions"][0], ended["decisions"][0]) == (1, 0)
    for row in (left, ended):
        assert (row["agents"][0], row["forfeited_by"], row["fault"]) == ("a model", 0, "crash")
        assert row["places"] == [3, 1, 1]


class Lowest:
    """An agent that plays the legal action with the lowest id, after an optional first one."""

    def __init__(self, first=None):
        self._first = first

    def act(self, observations, masks, rng):
        action = self._first
        self._first = None
        return masks.argmax(axis=1) if action is None else np.full(len(masks), action)


def test_folders_of_agents_are_not_shown(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text("def agent(observations, masks, generators): return masks.argmax(axis=1)")
    tools = GameTools([f"{file}:agent"])
    results = [tools.list_games(), tools.new_game(1, "figaro", 3), tools.legal_moves(1)]
    file.unlink()
    with pytest.raises(RequestError, match=r"mine\.py:agent cannot play \(ValueError\)") as fault:
        tools.new_game(2, "shakespeare", 2)
    assert str(tmp_path) not in f"{results}{fault.value}"
    assert "mine.py:agent" in results[1].text
    assert str(tmp_path) in capsys.readouterr().err


def tools_at(position, seat, opponent=None):
    """Return tools with one game, which begins at a position."""
    opponents = [Opponent("lowest", "", opponent or Lowest())] * (position.players - 1)
    tools = GameTools()
    tools.tables[1] = ModelGame(1, position, GameStart(0, 0, ()), seat, opponents)
    return tools


def everything_sent(tools, topics):
    """Return everything that the tools send when the model looks at its table."""
    results = [tools.list_games(), tools.see_seat(1), tools.legal_moves(1)]
    results += [tools.explain(1, name) for name in topics]
    said = [(result.text, result.facts) for result in results]
    for ask in (lambda: tools.play(1, "hop", 1), lambda: tools.explain(1, "hop")):
        with pytest.raises(RequestError) as fault:
            ask()
        said.append((str(fault.value), {}))
    return json.dumps(said).encode()


def positions_seen(tools):
    """Return the positions of the game so far as the seat sees them."""
    game = tools.tables[1]
    return [position.seen_by(game.seat) for position in game.positions]


@pytest.mark.parametrize("name", small_games.NAMES)
def test_small_games_send_nothing_that_depends_on_what_is_hidden(name):
    """Compare games that the model's seat cannot distinguish, also after further moves."""
    compared = 0
    with small_games.registered():
        for seed, step in itertools.product(range(2), range(4)):
            position = Position.new(name, players=3, seed=seed)
            for _ in range(step):
                position.push(position.moves()[seed % len(position.moves())])
            for viewer in {0, 1, 2} - {position.to_move}:
                for pair in told_pairs(position, viewer, seed):
                    one, other = [
                        tools_at(told.before, viewer, Lowest(told.before.action_id(told.move)))
                        for told in pair
                    ]
                    if positions_seen(one) == positions_seen(other) and not one.tables[1].is_over:
                        assert everything_sent(one, ()) == everything_sent(other, ()), [
                            told.move for told in pair
                        ]
                        compared += 1
    assert compared > 10


@full_tables
def test_swapping_what_is_hidden_changes_no_byte(table):
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(7)
    differed = 0
    followed = 0
    found = [position for position in sample_positions(table, 1, 5) if position.to_move is not None]
    for position in found[:: len(found) // 14 + 1]:
        seat = position.to_move
        changed = hidden.change_in_record(position.record(), seat, rng)
        swapped = Position.of_record(position.game, changed)
        differed += swapped != position
        true = tools_at(position, seat)
        other = tools_at(swapped, seat)
        topics = list(position.game.presentation.topics(position.seen_by(seat)))[:3]
        assert everything_sent(true, topics) == everything_sent(other, topics)
        results = [tools.play(1, position.moves()[-1], 1) for tools in (true, other)]
        # The games may go on differently, since chance and the others' hands differ.
        if positions_seen(true) == positions_seen(other) and not true.tables[1].is_over:
            followed += 1
            assert results[0] == results[1]
            assert everything_sent(true, ()) == everything_sent(other, ())
    assert differed > 3
    assert followed > 1
