"""A model's games, which are added to an arena's results."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.identity import agent_digest
from shakespeare_arena.games.results import open_results
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
    return tmp_path / "results"


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
    (row,) = rows(folder)
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


def test_every_game_has_a_deal_of_its_own_and_every_model_its_own_digest(folder):
    for name in ("one", "two"):
        tools = tools_of(folder, name)
        for number in (1, 2):
            tools.new_game(number, GAME, PLAYERS)
            play_first_moves(tools, number)
    found = rows(folder)
    assert len({row["key"] for row in found}) == len({row["seed"] for row in found}) == 4
    assert len({row["digests"][0] for row in found}) == 2


def test_a_game_that_counts_takes_no_seed(folder):
    with pytest.raises(RequestError, match="Leave out the seed"):
        tools_of(folder).new_game(1, GAME, PLAYERS, seed=1)


def call_twice(call):
    """Make a call in two threads at once, and return the result, which must be equal.

    Clients repeat a call whose result is late, even while the first call is under way.
    """
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(call) for _ in range(2)]
        first, second = [each.result() for each in calls]
    assert first == second
    return first


def test_a_table_is_opened_once_by_a_repeated_call(folder):
    tools = tools_of(folder)
    call_twice(lambda: tools.new_game(1, GAME, PLAYERS))
    assert len(tools.list_games().facts["tables"]) == 1


def test_a_game_of_repeated_calls_counts_once(folder):
    tools = tools_of(folder)
    tools.new_game(1, GAME, PLAYERS)
    decisions = 0
    choices = tools.legal_moves(1)
    while not choices.facts["over"]:
        move = choices.facts["legal_moves"][0]["move"]
        choices = call_twice(partial(tools.play, 1, move, choices.facts["decision"]))
        decisions += 1
    assert "counts for model" in choices.text
    assert [row["decisions"][0] for row in rows(folder)] == [decisions]


def test_leaving_a_table_counts_once_and_its_number_stays_taken(folder):
    tools = tools_of(folder)
    tools.new_game(1, GAME, PLAYERS)
    assert "counts for model" in call_twice(lambda: tools.leave_table(1)).text
    with pytest.raises(RequestError, match="such as 2"):
        tools.new_game(1, GAME, PLAYERS)
    tools.close()
    assert [row["decisions"][0] for row in rows(folder)] == [0]


class Failing:
    """An agent that fails, with a message that reveals its hand."""

    version = 1

    def act(self, observations, masks, rng):
        raise ValueError("my hand holds the fool")


@pytest.fixture
def failed(folder, monkeypatch):
    """Return tools with a game that an opponent has lost by a fault."""
    monkeypatch.setattr(tools_module, "make", lambda name, game: Failing())
    tools = tools_of(folder)
    if not tools.new_game(1, GAME, PLAYERS).facts["over"]:
        play_first_moves(tools, 1)
    return tools


def test_an_opponent_that_fails_loses_the_game(failed, folder):
    assert "lost it by a fault" in failed.see_seat(1).text
    (row,) = rows(folder)
    assert row["forfeited_by"] not in (None, 0)
    assert (row["fault"], row["fault_details"]) == ("error", "ValueError: my hand holds the fool")
    assert recorded_games(folder)[0].forfeited_by == row["forfeited_by"]


def test_the_message_of_an_opponent_that_fails_is_not_shown(failed):
    for result in (failed.see_seat(1), failed.legal_moves(1)):
        assert "the fool" not in f"{result}"


def test_a_game_that_is_over_takes_no_move(failed):
    with pytest.raises(RequestError, match="game at table 1 is over"):
        failed.play(1, "pass", 99)


def test_all_models_play_the_same_solo_deals(folder):
    for name, count in (("one", 2), ("two", 2), ("two", 1)):
        tools = tools_of(folder, name, "shakespeare")
        for number in range(1, count + 1):
            tools.new_game(number, "shakespeare", 1)
        tools.close()
    assert [row["deal"] for row in rows(folder)] == [0, 1, 0, 1, 2]
    assert len({row["seed"] for row in rows(folder)}) == 1


def test_results_wait_while_another_writer_is_at_work(folder):
    tools = tools_of(folder)
    tools.new_game(1, GAME, PLAYERS)
    with open_results(folder, GAME):
        assert "is not written yet" in play_first_moves(tools, 1).text
        assert not rows(folder)
        with pytest.raises(ArenaError, match="this process already plays"):
            ResultsWriter(folder, GAME, "another")
    tools.close()
    assert len(rows(folder)) == 1
