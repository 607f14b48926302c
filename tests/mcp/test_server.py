"""A language model plays whole games through the package's own client."""

from __future__ import annotations

import asyncio
import re
import sys

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from shakespeare_agents.mcp import handbook
from shakespeare_agents.mcp.keeping import digest_of_name
from shakespeare_agents.mcp.server import server_of
from shakespeare_agents.mcp.tables import MOST_TABLES, Tables
from shakespeare_env import Position, registry
from shakespeare_env.datasets import recorded_games
from shakespeare_env.datasets.results_reading import read_results
from tests.contract import knowledge
from tests.contract.command_line import refused as refused_by_command
from tests.contract.each_table import small_tables
from tests.mcp.playing import called, play_out, refused

GAMES = registry.names()
games = pytest.mark.parametrize("game", GAMES)


def asked(questions, tables=None):
    """Ask a server in this process."""

    async def ask():
        async with Client(server_of(tables or Tables(["random"]))) as client:
            return await questions(client)

    return asyncio.run(ask())


@small_tables
def test_a_random_client_plays_a_whole_game(table):
    tables = Tables(["random"])

    async def play(client):
        opened = await called(
            client,
            "new_game",
            game=table.game,
            players=table.players,
            seat=1,
            seed=3,
            variants=list(table.options),
        )
        facts = opened.structured_content
        assert facts["position"]["to_move"] == facts["seat"] == 1
        assert facts["seats"] == ["random" if seat != 1 else "you" for seat in range(table.players)]
        moves = await play_out(client, facts["table"])
        return moves, await called(client, "see_seat", table=facts["table"])

    moves, end = asked(play, tables)
    played = tables._tables[1].played
    assert played.positions[0] == table.position(3)
    own = [m for p, m in zip(played.positions, played.moves, strict=False) if p.to_move == 1]
    assert own == moves
    assert end.structured_content["scores"] == played.position.scores()
    assert end.structured_content["winners"] == played.position.winners
    assert end.structured_content["seed"] == 3
    assert "The game is over" in end.content[0].text
    assert str(played.position) in end.content[0].text


@games
def test_what_is_told_is_what_the_seat_sees(game):
    async def look(client):
        opened = await called(client, "new_game", game=game, players=registry.seats(game)[-1])
        facts = opened.structured_content
        seen = await called(client, "see_seat", table=facts["table"])
        moves = await called(client, "legal_moves", table=facts["table"])
        listed = await called(client, "list_games")
        read = await client.read_resource(f"shakespeare://tables/{facts['table']}")
        return opened, seen, moves, listed, read

    tables = Tables(["random"])
    opened, seen, moves, listed, read = asked(look, tables)
    position = tables._tables[1].position
    assert seen.content[0].text == opened.content[0].text == read.contents[0].text
    assert seen.structured_content["position"] == position.seen_by(0)
    assert position.game.draw(position.seen_by(0)) in seen.content[0].text
    assert [one["move"] for one in moves.structured_content["legal_moves"]] == position.moves()
    for move in position.moves():
        assert f"{move}  {position.describe_move(move)}" in moves.content[0].text
    assert "seed" not in seen.structured_content
    assert {one["game"] for one in listed.structured_content["games"]} == {*GAMES}
    assert listed.structured_content["tables"][0]["table"] == 1


@games
def test_rules_and_notation_can_be_read(game):
    async def read(client):
        rules = await client.read_resource(f"shakespeare://rules/{game}")
        notation = await client.read_resource(f"shakespeare://notation/{game}")
        both = await called(client, "read_rules", game=game)
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert {f"shakespeare://rules/{game}", f"shakespeare://notation/{game}"} <= listed
        return rules.contents[0].text, notation.contents[0].text, both.content[0].text

    rules, notation, both = asked(read)
    for number in knowledge.of(game, "facts").RULES:
        assert re.search(rf"^- {number}( Ruling)?: ", rules, re.MULTILINE), number
    assert "test_" not in rules
    assert "](" not in notation
    assert rules in both
    assert notation in both
    position = Position.new(game, players=registry.seats(game)[-1])
    assert all(f"`{key}`" in notation for key in position.to_dict())


def test_mistakes_change_nothing_and_say_what_can_be_done():
    async def blunder(client):
        opened = await called(client, "new_game", game=GAMES[0], players=2, seed=1)
        seen = opened.structured_content
        moves = await called(client, "legal_moves", table=1)
        legal = [one["move"] for one in moves.structured_content["legal_moves"]]
        said = await refused(client, "play", table=1, move="hop")
        assert said.endswith(f"Legal moves: {', '.join(legal)}")
        assert "a" * 100 not in await refused(client, "play", table=1, move="a" * 10_000)
        assert "there are: 1" in await refused(client, "play", table=7, move=legal[0])
        assert "no game 'chess'" in await refused(client, "new_game", game="chess", players=2)
        assert "players=9" in await refused(client, "new_game", game=GAMES[0], players=9)
        assert "no seat 2" in await refused(client, "new_game", game=GAMES[0], players=2, seat=2)
        wrong = {"game": GAMES[0], "players": 2, "variants": ["autoreset"]}
        assert "no option 'autoreset'" in await refused(client, "new_game", **wrong)
        assert "seed" in await refused(client, "new_game", game=GAMES[0], players=2, seed=-1)
        assert "there is no 'xyzzy'" in await refused(client, "explain", table=1, name="xyzzy")
        assert "no game 'chess'" in await refused(client, "read_rules", game="chess")
        for odd in ("9", "one", "1.0", "-1"):
            with pytest.raises(MCPError):
                await client.read_resource(f"shakespeare://tables/{odd}")
        assert (await called(client, "see_seat", table=1)).structured_content == seen
        assert (await called(client, "explain", table=1, name=legal[0].split(":")[1])).content

    asked(blunder)


def test_games_in_progress_are_bounded():
    async def fill(client):
        for _ in range(MOST_TABLES):
            await called(client, "new_game", game=GAMES[-1], players=registry.seats(GAMES[-1])[0])
        arguments = {"game": GAMES[-1], "players": registry.seats(GAMES[-1])[0]}
        assert "leave_table" in await refused(client, "new_game", **arguments)
        await called(client, "leave_table", table=3)
        opened = await called(client, "new_game", **arguments)
        assert opened.structured_content["table"] == MOST_TABLES + 1
        tables = (await called(client, "list_games")).structured_content["tables"]
        assert [one["table"] for one in tables] == [1, 2, *range(4, MOST_TABLES + 2)]

    asked(fill)


def test_over_standard_input_and_output_a_model_gets_onto_the_ladder(tmp_path):
    folder, game = tmp_path / "field", GAMES[-1]
    words = ["mcp", "random", "--game", game, "--name", "a model", "--results", str(folder)]
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "shakespeare_env", *words], cwd=str(tmp_path)
    )

    async def play():
        async with Client(program) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"list_games", "new_game", "see_seat", "legal_moves", "play"} <= names
            opened = await called(client, "new_game", game=game, players=registry.seats(game)[0])
            table = opened.structured_content["table"]
            told = await called(client, "legal_moves", table=table)
            move = told.structured_content["legal_moves"][0]["move"]
            await called(client, "play", table=table, move=move)

    asyncio.run(play())
    (row,) = read_results(folder).iter_rows(named=True)
    assert (row["agents"][0], row["digests"][0]) == ("a model", digest_of_name("a model"))
    assert (row["forfeited_by"], row["fault"]) == (0, "crash")
    assert row["decisions"][0] == 1
    assert recorded_games(folder)[0].forfeited_by == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--name", "x"], "give both or neither"),
        (["--results", "x"], "give both or neither"),
        (["--name", "\x1b", "--results", "x"], "give a name that can be printed"),
        (["nobody"], "there is no agent or folder 'nobody'"),
        (["--game", "chess"], "no game 'chess'"),
        (["--name", "x", "--results", "file"], "is no folder"),
        (["--name", "x", "--results", "."], "holds other things"),
    ],
)
def test_what_cannot_be_served_is_refused(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    assert said in refused_by_command("mcp", *words)


def test_without_its_extra_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "shakespeare_agents.mcp.server")
    assert "install the extra mcp of shakespeare-env" in refused_by_command("mcp", "random")


def test_the_handbook_has_no_other_games():
    with pytest.raises(ValueError, match="no game 'chess'"):
        handbook.rules("chess")
