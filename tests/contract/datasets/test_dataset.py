"""Datasets: which rows they hold, how they are continued, and what is refused."""

import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import RandomAgent
from shakespeare_agents.making import entrants_of as entrants_named
from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.dataset import write_dataset
from shakespeare_arena.games import playing, recording
from shakespeare_arena.games.results import merge, open_results
from shakespeare_arena.games.rows import places_of
from shakespeare_arena.games.seating import Match, RunSettings, Seating
from shakespeare_arena.ladders.standings import standings_of
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import DECISIONS, GAMES, read_games, read_results
from shakespeare_env.datasets.reading import results_files
from tests.arena.simulated_results import simulated
from tests.arena.small_arenas import games, play
from tests.contract.command_line import output_of, refusal_of
from tests.contract.small_datasets import entrants_of, write_small_dataset

ROOT = Path(__file__).resolve().parents[3]
NAME = registry.names()[-1]
every_game = pytest.mark.parametrize("name", registry.names())


@pytest.mark.parametrize(("heading", "schema"), [("games", GAMES), ("decisions", DECISIONS)])
def test_the_documentation_lists_every_column(heading, schema):
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    section = page.partition(f"## The table of {heading}\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \| ([^ ]+)", section, re.M) == list(schema.items())


class Recorded(NamedTuple):
    """A dataset in which a network plays two deals from every seat against random agents."""

    game: str
    network: Entrant
    seats: int
    rows: list[dict[str, Any]]


@pytest.fixture(scope="module", params=registry.names())
def recorded(request, tmp_path_factory):
    name = request.param
    network, other = entrants_named(["network", "random"], registry.game(name))
    seats = max(registry.seats(name)[0], 2)
    folder = tmp_path_factory.mktemp(name)
    write_dataset(folder, [network, *[other] * (seats - 1)], name, games=2 * seats, seed=5)
    return Recorded(name, network, seats, read_games(folder).collect().rows(named=True))


def replayed(recorded, row):
    """Play a recorded game; yield the same batch at each decision and at the end."""
    batch = Batch(recorded.game, 1, players=recorded.seats, autoreset=False)
    batch.reset(row["seed"], [row["deal"]])
    for action in row["actions"]:
        yield batch
        batch.step([action])
    yield batch


def test_every_deal_is_played_from_every_seat(recorded):
    seats = recorded.seats
    assert [row["game_id"] for row in recorded.rows] == list(range(2 * seats))
    for row in recorded.rows:
        assert row["game_id"] == row["deal"] * seats + row["rotation"]
        assert row["agents"].index(recorded.network.name) == row["rotation"]
        assert row["agents"].count("random") == row["players"] - 1


def test_actions_lead_from_the_deal_to_the_result(recorded):
    for row in recorded.rows:
        *_, batch = replayed(recorded, row)
        assert batch.to_move[0] == -1
        scores = batch.final_scores[:, : recorded.seats]
        winners = batch.final_winners[:, : recorded.seats]
        assert row["scores"] == scores[0].tolist()
        assert row["places"] == places_of(scores, winners)[0].tolist()


def test_values_are_the_networks_own_bit_for_bit_where_it_decides(recorded):
    network: Any = recorded.network.agent
    for row in recorded.rows:
        *decisions, _ = replayed_values(recorded, row, network)
        assert row["values"] == decisions


def replayed_values(recorded, row, network):
    """Yield what a network expects where it decides; None at other decisions and at the end."""
    for batch in replayed(recorded, row):
        mover = batch.to_move[0]
        decides = mover >= 0 and row["agents"][mover] == recorded.network.name
        yield network.values(batch.obs)[0] if decides else None


@pytest.fixture(scope="module", params=["heuristic", "random"])
def alone(request, tmp_path_factory):
    """One agent at all seats, and the games that it plays."""
    copies = [entrants_named([request.param], registry.game(NAME))[0] for _ in range(3)]
    folder = tmp_path_factory.mktemp(request.param)
    assert write_dataset(folder, copies, NAME, games=7, seed=5) == 7
    return copies[0], read_games(folder).collect()


def test_one_agent_at_all_seats_plays_every_deal_once(alone):
    """Another rotation would only repeat the game, if the agent draws nothing."""
    entrant, rows = alone
    assert rows["deal"].to_list() == list(range(7))
    assert rows["actions"].n_unique() == 7
    assert evaluate([entrant] * 3, NAME, games=7, seed=5).deals == 7


def test_the_one_game_of_a_deal_is_the_first_rotation_and_has_its_key(alone):
    entrant, rows = alone
    digests = tuple(rows["digests"][3])
    agents = {digests[0]: entrant.agent}
    names = {digests[0]: entrant.name}
    match = Match(3, 3, digests, (0, 1, 2))
    again = play([Seating(match, 0)], RunSettings(NAME, (), 5, agents, names))
    assert again["actions"].to_list() == [rows["actions"][3].to_list()]
    assert again["key"][0] == rows["key"][3]


def test_an_evaluation_and_the_standings_of_the_same_games_agree(tmp_path):
    """Their intervals agree as well, since both count the games of a deal as one sample."""
    agents = ["heuristic", "random", "greedy"]
    arguments: dict[str, Any] = {"games": 60, "seed": 4}
    write_dataset(tmp_path, entrants_named(agents, registry.game("figaro")), "figaro", **arguments)
    result = evaluate(agents, "figaro", **arguments)
    standings = standings_of(read_results(tmp_path))
    figures = ("win_rate", "low", "high", "mean_score", "score_low", "score_high")
    for row in standings.tables.to_dicts():
        for name in figures:
            assert row[name] == pytest.approx(getattr(result[row["agent"]], name)), name
    assert standings.matches == result.deals == 10


def test_interruptions_change_no_row(tmp_path, monkeypatch):
    write_small_dataset(tmp_path / "whole", NAME, deals=4)
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 3)
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    # A name that must be taken neither for a pattern nor for a column.
    folder = tmp_path / "[one] seed=7,*"
    for deals in (1, 3):

        def interrupt(_decisions: int, kept: int, deals: int = deals) -> None:
            if kept >= deals * 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_small_dataset(folder, NAME, deals=4, on_progress=interrupt)
        assert deals * 3 <= len(games(folder)) < 4 * 3
    write_small_dataset(folder, NAME, deals=4)
    interrupted = read_games(folder).drop("seconds").collect()
    whole = read_games(tmp_path / "whole").drop("seconds").collect()
    assert_frame_equal(interrupted, whole)
    assert len(results_files(folder)) == 1


def test_a_game_keeps_its_number_whatever_is_added(tmp_path):
    """It keeps it in frames that were read before, and beside games that take much room."""
    write_small_dataset(tmp_path, NAME, deals=1)
    frame = read_games(tmp_path)
    before = frame.collect()

    large = simulated({"a": 0, "b": 50}, tables=(3,), matches=1)
    large = large.with_columns(fault_details=pl.lit(random.Random(1).randbytes(2**20).hex()))
    with open_results(tmp_path, NAME) as store:
        store.append(large)
    write_small_dataset(tmp_path, NAME, deals=2)
    write_small_dataset(tmp_path, NAME, deals=3)
    with open_results(tmp_path / "other", NAME) as store:
        store.append(simulated({"a": 0, "b": 50}, tables=(3,), matches=1, seed=1))
    merge([tmp_path / "other"], tmp_path)

    assert_frame_equal(frame.collect()[: before.height], before)
    after = read_games(tmp_path).collect()
    assert_frame_equal(after[: before.height], before)
    assert after["game_id"].to_list() == list(range(after.height))
    recorded = after.filter(seed=before["seed"][0])
    assert list(recorded.select("deal", "rotation").iter_rows()) == [
        (deal, rotation) for deal in range(3) for rotation in range(3)
    ]


@pytest.fixture
def command(name):
    """The command that records two games, but for its folder."""
    players = str(max(registry.seats(name)[0], 2))
    seated = ["dataset", "--game", name, "random", "random", "--players", players]
    return [*seated, "--games", "2", "--seed", "3", "--out"]


@every_game
def test_the_command_repeated_adds_no_game(command, tmp_path):
    printed = output_of(*command, str(tmp_path / "d"))
    before = read_games(tmp_path / "d").collect()
    assert f"{before.height} games." in printed
    assert output_of(*command, str(tmp_path / "d")) == printed
    assert_frame_equal(read_games(tmp_path / "d").collect(), before)


@every_game
def test_the_command_refuses_a_folder_of_other_things(command, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    assert "holds other things" in refusal_of(*command, str(tmp_path))


def test_a_number_of_games_below_1_is_refused(tmp_path):
    with pytest.raises(ValueError, match="games="):
        write_dataset(tmp_path, entrants_of(NAME), NAME, games=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "\x1b[2J", "\udcff"])
def test_a_name_that_cannot_be_printed_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="printable"):
        write_dataset(tmp_path, [Entrant(name, RandomAgent())] * 3, NAME, games=9)
    assert not list(tmp_path.iterdir())


def test_two_names_for_one_agent_are_refused(tmp_path):
    entrants = [Entrant(name, RandomAgent()) for name in ("one", "other", "other")]
    with pytest.raises(ValueError, match="'other' is the same agent as 'one'"):
        write_dataset(tmp_path, entrants, NAME, games=9)
    assert not list(tmp_path.iterdir())
