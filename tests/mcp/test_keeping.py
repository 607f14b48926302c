"""Games of a model, which count in an arena's results by the arena's own rules."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.identity import agent_digest
from shakespeare_arena import results as store
from shakespeare_env.core import registry
from shakespeare_env.datasets import recorded_games
from shakespeare_env.datasets.reading import read_results
from shakespeare_env.errors import ArenaError
from shakespeare_table.mcp import tools as tools_module
from shakespeare_table.mcp.results import ResultsWriter, digest_of_name
from shakespeare_table.mcp.tools import GameTools, RequestError
from tests.contract.each_table import small_tables

GAME = "figaro"
PLAYERS = 3


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "field"


def tools_of(folder, name="model", game=GAME):
    return GameTools(["random"], [game], ResultsWriter(folder, game, name))


def rows(folder):
    return list(read_results(folder).iter_rows(named=True))


def play_first_moves(tools, number, most=1000):
    """Play the first legal move at most `most` times, and return the last result."""
    result = tools.legal_moves(number)
    for _ in range(most):
        if result.facts["over"]:
            break
        move = result.facts["legal_moves"][0]["move"]
        result = tools.play(number, move, result.facts["decision"])
    return result


@small_tables
def test_a_finished_game_is_a_row_that_can_be_replayed(table, folder):
    tools = tools_of(folder, game=table.game)
    tools.new_game(1, table.game, table.players, seat=1, variants=list(table.options))
    last = play_first_moves(tools, 1)
    assert "counts for model" in last.text
    tools.leave_table(1)
    tools.close()
    (row,) = rows(folder)  # which counts once
    positions = recorded_games(folder)[0].positions
    assert positions[-1].scores() == row["scores"] == last.facts["scores"]
    assert [seat for seat, place in enumerate(row["places"]) if place == 1] == last.facts["winners"]
    random_digest = agent_digest("random", RandomAgent(), registry.game(table.game))
    assert row["digests"][:2] == [random_digest, digest_of_name("model")]
    assert row["agents"][:2] == ["random", "model"]
    movers = [position.to_move for position in positions[:-1]]
    assert row["decisions"] == [movers.count(seat) for seat in range(table.players)]
    assert all(seconds > 0 for seconds in row["seconds"])
    assert row["variants"] == list(table.options)


def test_two_games_are_two_deals_and_two_models_two_agents(folder):
    for name in ("one", "two"):
        tools = tools_of(folder, name)
        for number in (1, 2):
            tools.new_game(number, GAME, PLAYERS)
            play_first_moves(tools, number)
    found = rows(folder)
    assert len({row["key"] for row in found}) == len({row["seed"] for row in found}) == 4
    assert len({row["digests"][0] for row in found}) == 2
    with pytest.raises(RequestError, match="Leave out the seed"):
        tools.new_game(3, GAME, PLAYERS, seed=1)


def test_a_repeated_call_counts_once(folder):
    """Clients repeat a call whose result is late, even while the first call is under way."""
    tools = tools_of(folder)
    both = ThreadPoolExecutor(2)

    def twice(call):
        first, second = [asked.result() for asked in [both.submit(call) for _ in "ab"]]
        assert first == second
        return first

    result = twice(lambda: tools.new_game(1, GAME, PLAYERS))
    assert len(tools.list_games().facts["tables"]) == 1
    decisions = 0
    choices = tools.legal_moves(1)
    assert result.facts["decision"] == choices.facts["decision"]
    while not choices.facts["over"]:
        move = choices.facts["legal_moves"][0]["move"]
        decision = choices.facts["decision"]
        choices = twice(partial(tools.play, 1, move, decision))
        decisions += 1
    assert "counts for model" in choices.text
    twice(lambda: tools.new_game(2, GAME, PLAYERS))
    assert "counts for model" in twice(lambda: tools.leave_table(2)).text
    with pytest.raises(RequestError, match="such as 3"):
        tools.new_game(2, GAME, PLAYERS)
    tools.close()
    assert [row["decisions"][0] for row in rows(folder)] == [decisions, 0]


def test_an_opponent_that_fails_loses_and_its_words_stay_here(folder, monkeypatch):
    class Failing:
        def act(self, observations, masks, rng):
            raise ValueError("my hand holds the fool")

    monkeypatch.setattr(tools_module, "make", lambda name, game: Failing())
    tools = tools_of(folder)
    result = tools.new_game(1, GAME, PLAYERS)
    if not result.facts["over"]:
        result = play_first_moves(tools, 1)
    assert "lost it by a fault" in result.text
    for shown in (result, tools.see_seat(1), tools.legal_moves(1)):
        assert "the fool" not in f"{shown}"
    (row,) = rows(folder)
    assert row["forfeited_by"] not in (None, 0)
    assert (row["fault"], row["fault_details"]) == ("error", "ValueError: my hand holds the fool")
    assert recorded_games(folder)[0].forfeited_by == row["forfeited_by"]
    with pytest.raises(RequestError, match="game at table 1 is over"):
        tools.play(1, "pass", 99)


def test_alone_all_models_play_the_same_deals(folder):
    for name, count in (("one", 2), ("two", 2), ("two", 1)):
        tools = tools_of(folder, name, "shakespeare")
        for number in range(1, count + 1):
            tools.new_game(number, "shakespeare", 1)
        tools.close()
    assert [row["deal"] for row in rows(folder)] == [0, 1, 0, 1, 2]
    assert len({row["seed"] for row in rows(folder)}) == 1


def test_results_wait_while_somebody_else_writes(folder):
    tools = tools_of(folder)
    tools.new_game(1, GAME, PLAYERS)
    with store.open_results(folder, GAME):
        assert "is not written yet" in play_first_moves(tools, 1).text
        assert not rows(folder)
        with pytest.raises(ArenaError, match="this process already plays"):
            ResultsWriter(folder, GAME, "another")
    tools.close()
    assert len(rows(folder)) == 1
