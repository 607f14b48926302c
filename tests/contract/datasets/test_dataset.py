"""Datasets: which rows they have, how recording goes on, and what is refused."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.identity import agent_set
from shakespeare_agents.naming import entrants_of as made
from shakespeare_agents.workers import tell_nobody
from shakespeare_arena.dataset import Recording, settings_of
from shakespeare_arena.games.playing import places_of
from shakespeare_arena.games.seating import SeatPlan, deal
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import DECISIONS, frames, read_games
from shakespeare_env.datasets import GAMES as GAMES_TABLE
from shakespeare_env.play.lineup import play_out
from tests.contract.batches import games
from tests.contract.command_line import printed, refused
from tests.contract.small_datasets import content, entrants_of, small_settings, write

GAMES = registry.names()
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {name: tmp_path_factory.mktemp(name) / "dataset" for name in GAMES}
    for name, folder in made.items():
        write(folder, small_settings(name))
    return made


def test_the_page_has_every_column():
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    for heading, table in (("games", GAMES_TABLE), ("decisions", DECISIONS)):
        text = page.partition(f"## The table of {heading}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \| ([^ ]+)", text, re.M) == list(table.items())


@games
def test_every_deal_is_played_from_every_seat(name, folders):
    found = read_games(folders[name]).collect()
    assert dict(found.schema) == frames.polars_schema(GAMES_TABLE)
    assert not any(found[name].null_count() for name in GAMES_TABLE)
    players = found["players"][0]
    assert found["game_id"].to_list() == list(range(3 * players))
    for game in found.iter_rows(named=True):
        assert game["game_id"] == game["deal"] * players + game["rotation"]
        assert game["agents"].index("guesser") == game["rotation"]
        assert game["agents"].count("random") == players - 1


@games
def test_the_actions_lead_from_the_deal_to_the_result_and_values_stand_beside_them(name, folders):
    guesser = entrants_of(name)[0].agent
    for game in read_games(folders[name]).collect().iter_rows(named=True):
        batch = Batch(name, 1, players=game["players"], autoreset=False)
        batch.reset(game["seed"], [game["deal"]])
        for action, value in zip(game["actions"], game["values"], strict=True):
            decides = game["agents"][batch.to_move[0]]
            expected = guesser.values(batch.obs)[0] if decides == "guesser" else None
            assert value == expected
            batch.step([action])
        assert batch.to_move[0] == -1
        scores = batch.final_scores[:, : game["players"]]
        winners = batch.final_winners[:, : game["players"]]
        assert game["scores"] == scores[0].tolist()
        assert game["places"] == places_of(scores, winners)[0].tolist()


def test_an_estimate_that_is_none_names_whose_it_is(monkeypatch):
    entrants = entrants_of(GAMES[0])
    monkeypatch.setattr(entrants[0].agent, "values", lambda seen: None, raising=False)
    with pytest.raises(ValueError, match="shape") as raised:
        recorded(GAMES[0], entrants, range(1))
    assert raised.value.__notes__ == ["The agent guesser failed to estimate 1 game."]


def recorded(name, entrants, deals, **more):
    """The rows of some deals, played together."""
    settings = settings_of(name, entrants, games=10**5, seed=5)
    agents = agent_set(entrants, registry.game(name))
    part = Recording(settings, agents, **{"threads": 1, **more}).start()(deals, tell_nobody)
    return pl.read_parquet(io.BytesIO(part.content))


@pytest.mark.parametrize(("name", "agent"), [("figaro", "network,greedy=false")])
def test_a_networks_choices_and_values_are_those_it_gives_itself(name, agent):
    """Bit for bit, from one pass that follows each seat of each game."""
    seats = registry.seats(name)[-1]
    entrants = made([agent] * seats, registry.game(name))
    network: Any = entrants[0].agent
    rows = recorded(name, entrants, range(2))
    batch, lineup = deal(
        [network] * seats, name, range(2), 5, SeatPlan((name,) * seats, 5).of(range(2))
    )
    played: list[list[tuple[int, bytes]]] = [[] for _ in range(batch.n)]

    def note(rows, actions):
        values = network.values(batch.obs[rows])
        for row, action, value in zip(rows.tolist(), actions.tolist(), values, strict=True):
            played[row].append((action, value.tobytes()))

    play_out(batch, lineup, before_step=note)
    for row, game in enumerate(rows.iter_rows(named=True)):
        values = np.array(game["values"], np.float32)
        found = [(a, v.tobytes()) for a, v in zip(game["actions"], values, strict=True)]
        assert found == played[row]


@games
def test_neither_files_nor_threads_nor_company_change_a_row(name, folders, tmp_path):
    whole = read_games(folders[name]).collect()
    together = small_settings(name, deals_per_shard=3, deals_together=3)
    one = tmp_path / "[one] seed=7,*"  # no pattern, and no column
    assert len(write(one, together, threads=2).shards) == 1
    assert read_games(one).collect().equals(whole)


def asked(name, out, *more):
    """The words that record a small dataset."""
    players = str(max(registry.seats(name)[0], 2))
    command = ["dataset", "--game", name, "random", "random", "--players", players]
    return [*command, "--games", "2", "--seed", "3", "--out", str(out), *more]


@games
def test_the_command_writes_once(name, tmp_path):
    run = asked(name, tmp_path / "d")
    said = printed(*run)
    found = read_games(tmp_path / "d").collect()
    decisions = found["actions"].list.len().sum()
    assert f"{found.height} games, {decisions:,} decisions, files: 1" in said
    before = content(tmp_path / "d")
    assert f"{found.height} games" in printed(*run)
    assert content(tmp_path / "d") == before
    for change, said in ((["--seed", "4"], "seed 3, not 4"), (["--games", "9"], "deals 1, not")):
        assert said in refused(*run, *change)
    (tmp_path / "mine.txt").write_text("mine")
    assert "holds other things" in refused(*asked(name, tmp_path))
    assert "is no folder" in refused(*asked(name, tmp_path / "mine.txt"))
