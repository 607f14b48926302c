"""Recordings: which rows they have, how they go on, and what is refused."""

import random
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import RandomAgent
from shakespeare_agents.naming import entrants_of as made
from shakespeare_arena import Entrant, dataset, evaluate
from shakespeare_arena.dataset import write_dataset
from shakespeare_arena.ladders.standings import standings_of
from shakespeare_arena.playing import places_of, play
from shakespeare_arena.results import merge, open_results
from shakespeare_arena.seating import Match, RunSettings, Seating
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import DECISIONS, GAMES, read_games, read_results
from shakespeare_env.datasets.reading import results_files
from tests.arena.simulated_results import simulated
from tests.arena.small_arenas import games
from tests.contract.command_line import output_of, refusal_of
from tests.contract.small_datasets import entrants_of, write_small_dataset

ROOT = Path(__file__).resolve().parents[3]
NAME = registry.names()[-1]
every_game = pytest.mark.parametrize("name", registry.names())


def test_the_page_has_every_column():
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    for heading, table in (("games", GAMES), ("decisions", DECISIONS)):
        text = page.partition(f"## The table of {heading}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \| ([^ ]+)", text, re.M) == list(table.items())


@every_game
def test_actions_lead_from_every_seat_of_a_deal_to_the_result_and_values_stand_beside_them(
    name, tmp_path
):
    """A network's are those that it gives itself, bit for bit."""
    network, other = made(["network", "random"], registry.game(name))
    entrants = [network, *[other] * (max(registry.seats(name)[0], 2) - 1)]
    seats = len(entrants)
    first = network.name
    agent: Any = network.agent
    write_dataset(tmp_path, entrants, name, games=2 * seats, seed=5)
    rows = read_games(tmp_path).collect().rows(named=True)
    assert [row["game_id"] for row in rows] == list(range(2 * seats))
    for row in rows:
        assert row["game_id"] == row["deal"] * seats + row["rotation"]
        assert row["agents"].index(first) == row["rotation"]
        assert row["agents"].count("random") == row["players"] - 1
        batch = Batch(name, 1, players=seats, autoreset=False)
        batch.reset(row["seed"], [row["deal"]])
        for action, value in zip(row["actions"], row["values"], strict=True):
            decides = row["agents"][batch.to_move[0]] == first
            assert value == (agent.values(batch.obs)[0] if decides else None)
            batch.step([action])
        assert batch.to_move[0] == -1
        scores = batch.final_scores[:, :seats]
        winners = batch.final_winners[:, :seats]
        assert row["scores"] == scores[0].tolist()
        assert row["places"] == places_of(scores, winners)[0].tolist()


@pytest.mark.parametrize("agent", ["heuristic", "random"])
def test_one_agent_at_all_seats_plays_every_deal_once(agent, tmp_path):
    """Copies would only repeat the game, where they draw nothing."""
    copies = [made([agent], registry.game(NAME))[0] for _ in range(3)]
    assert write_dataset(tmp_path, copies, NAME, games=7, seed=5) == 7
    rows = read_games(tmp_path).collect()
    assert rows["deal"].to_list() == list(range(7))
    assert rows["actions"].n_unique() == 7
    assert evaluate(copies[:1] * 3, NAME, games=7, seed=5).deals == 7
    # The game is the first of those in all rotations, which have its key.
    digests = tuple(rows["digests"][3])
    agents = {digests[0]: copies[0].agent}
    names = {digests[0]: agent}
    match = Match(3, 3, digests, (0, 1, 2))
    again = play([Seating(match, 0)], RunSettings(NAME, (), 5, agents, names))
    assert again["actions"].to_list() == [rows["actions"][3].to_list()]
    assert again["key"][0] == rows["key"][3]


def test_an_evaluation_and_the_standings_of_the_same_games_agree(tmp_path):
    """To the intervals, since both count a deal's games as one."""
    agents = ["heuristic", "random", "greedy"]
    how = dict[str, Any](games=60, seed=4)
    write_dataset(tmp_path, made(agents, registry.game("figaro")), "figaro", **how)
    result = evaluate(agents, "figaro", **how)
    standings = standings_of(read_results(tmp_path))
    figures = ("win_rate", "low", "high", "mean_score", "score_low", "score_high")
    for row in standings.tables.to_dicts():
        for name in figures:
            assert row[name] == pytest.approx(getattr(result[row["agent"]], name)), name
    assert standings.matches == result.deals == 10


def test_neither_company_nor_interruptions_change_a_row(tmp_path, monkeypatch):
    write_small_dataset(tmp_path / "whole", NAME, deals=4)
    monkeypatch.setattr(dataset, "_DEALS_PER_SHARD", 1)
    folder = tmp_path / "[one] seed=7,*"  # no pattern, and no column
    for deals in (1, 3):

        def stop(_decisions: int, kept: int, deals: int = deals) -> None:
            if kept >= deals * 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_small_dataset(folder, NAME, deals=4, on_progress=stop)
        assert len(games(folder)) == deals * 3
    write_small_dataset(folder, NAME, deals=4)
    kept = [read_games(place).drop("seconds").collect() for place in (folder, tmp_path / "whole")]
    assert_frame_equal(*kept)
    assert len(results_files(folder)) == 1


def test_a_game_keeps_its_number_whatever_is_added(tmp_path):
    """Also in frames that were read before, and beside games that take much room."""
    write_small_dataset(tmp_path, NAME, deals=1)
    read_before = read_games(tmp_path)
    before = read_before.collect()
    large = simulated({"a": 0, "b": 50}, tables=(3,), matches=1)
    large = large.with_columns(fault_details=pl.lit(random.Random(1).randbytes(2**20).hex()))
    with open_results(tmp_path, NAME) as store:
        store.append(large)
    write_small_dataset(tmp_path, NAME, deals=2)
    write_small_dataset(tmp_path, NAME, deals=3)
    with open_results(tmp_path / "other", NAME) as store:
        store.append(simulated({"a": 0, "b": 50}, tables=(3,), matches=1, seed=1))
    merge([tmp_path / "other"], tmp_path)
    assert_frame_equal(read_before.collect()[: before.height], before)
    after = read_games(tmp_path).collect()
    assert_frame_equal(after[: before.height], before)
    assert after["game_id"].to_list() == list(range(after.height))
    recorded = after.filter(seed=before["seed"][0])
    assert list(recorded.select("deal", "rotation").iter_rows()) == [
        (deal, rotation) for deal in range(3) for rotation in range(3)
    ]


@every_game
def test_the_command_writes_once(name, tmp_path):
    players = str(max(registry.seats(name)[0], 2))
    command = ["dataset", "--game", name, "random", "random", "--players", players]
    command += ["--games", "2", "--seed", "3", "--out"]
    said = output_of(*command, str(tmp_path / "d"))
    before = read_games(tmp_path / "d").collect()
    assert f"{before.height} games." in said
    assert output_of(*command, str(tmp_path / "d")) == said
    assert_frame_equal(read_games(tmp_path / "d").collect(), before)
    (tmp_path / "mine.txt").write_text("mine")
    assert "holds other things" in refusal_of(*command, str(tmp_path))


def test_numbers_and_names_that_cannot_be_are_refused_at_once(tmp_path):
    with pytest.raises(ValueError, match="games="):
        write_dataset(tmp_path, entrants_of(NAME), NAME, games=0)
    for name in ("", "\x1b[2J", "\udcff"):
        with pytest.raises(ValueError, match="printable"):
            write_dataset(tmp_path, [Entrant(name, RandomAgent())] * 3, NAME, games=9)
    twice = [Entrant(name, RandomAgent()) for name in ("one", "other", "other")]
    with pytest.raises(ValueError, match="'other' is the same agent as 'one'"):
        write_dataset(tmp_path, twice, NAME, games=9)
    assert not list(tmp_path.iterdir())
