"""Datasets: which rows they have, how a run goes on, and what is refused."""

import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shakespeare_env import Batch, Position, registry
from shakespeare_env.datasets import TABLES, frames, read_decisions, read_games, read_manifest
from shakespeare_env.datasets.schema import markdown
from shakespeare_env.errors import DatasetError
from tests.contract.command_line import printed, refused
from tests.contract.small_datasets import small_settings, write

GAMES = registry.names()
games = pytest.mark.parametrize("name", GAMES)
READ = {"games": read_games, "decisions": read_decisions}
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {name: tmp_path_factory.mktemp(name) / "dataset" for name in GAMES}
    for name, folder in made.items():
        write(folder, small_settings(name))
    return made


def content(folder):
    """All files but the lock, which stays."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def rows(folder):
    return {table: read(folder).collect() for table, read in READ.items()}


def same_rows(one, other):
    return all(one[table].equals(other[table]) for table in TABLES)


@games
def test_tables_have_the_columns_declared(name, folders):
    for table, found in rows(folders[name]).items():
        assert dict(found.schema) == frames.polars_schema(TABLES[table])
        for column in TABLES[table]:
            assert column.nullable or not found[column.name].null_count(), column.name


@pytest.mark.parametrize("table", TABLES)
def test_the_page_has_every_column(table):
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    assert markdown(TABLES[table]) in page, markdown(TABLES[table])


@games
def test_positions_are_read_again_and_have_the_moves_recorded(name, folders):
    for row in read_decisions(folders[name]).collect()[::7].iter_rows(named=True):
        position = Position.from_dict(json.loads(row["position"]))
        assert json.dumps(position.to_dict()) == json.dumps(json.loads(row["position"]))
        assert position.moves() == row["legal_moves"]
        assert row["move"] in row["legal_moves"]
        assert (position.to_move, position.phase) == (row["seat"], row["phase"])
        secret = position.game.is_secret(position.to_dict(), row["move"])
        assert secret == row["is_secret"]


@games
def test_the_two_tables_tell_the_same_games(name, folders):
    found = rows(folders[name])
    players = found["games"]["players"][0]
    assert found["games"]["game_id"].to_list() == list(range(3 * players))
    for game in found["games"].iter_rows(named=True):
        steps = found["decisions"].filter(pl.col("game_id") == game["game_id"])
        assert steps["number"].to_list() == list(range(game["decisions"]))
        assert steps["move"].to_list() == game["moves"]
        assert steps["position"][0] == game["first_position"]
        end = Position.from_dict(json.loads(game["last_position"]))
        assert (end.scores(), end.winners) == (game["final_scores"], game["winners"])
        for seat, agent, score, won in steps.select(
            "seat", "agent", "final_score", "won"
        ).iter_rows():
            assert agent == game["agents"][seat]
            assert score == game["final_scores"][seat]
            assert won == (seat in game["winners"])
        estimated = steps.filter(pl.col("value").is_not_null())
        assert set(estimated["agent"]) == {"guesser"}
        assert estimated.height == steps.filter(pl.col("agent") == "guesser").height > 0


@games
def test_every_deal_is_played_from_every_seat(name, folders):
    found = read_games(folders[name]).collect()
    players = found["players"][0]
    batch = Batch(name, 3, players=players, seed=5)
    for game in found.iter_rows(named=True):
        assert game["game_id"] == game["deal"] * players + game["rotation"]
        deal = batch.game.to_dict(batch.save(slice(None))[game["deal"]])
        assert json.loads(game["first_position"]) == json.loads(json.dumps(deal))
        assert game["agents"].index("guesser") == game["rotation"]


@games
def test_chance_goes_on_as_in_the_batch(name, folders):
    """The moves of a record, played from the deal, lead to its end."""
    game = read_games(folders[name]).collect().row(-1, named=True)
    batch = Batch(name, 3, players=game["players"], seed=5, autoreset=False)
    row = np.array([game["deal"]])
    for move in game["moves"]:
        texts = batch.actions.texts_for(int(batch.to_move[row[0]]), game["players"])
        batch.step([texts.index(move)], row)
    end = batch.game.to_dict(batch.save(row)[0])
    assert json.loads(json.dumps(end)) == json.loads(game["last_position"])


@games
def test_the_size_of_shards_changes_no_row(name, folders, tmp_path):
    manifest = write(tmp_path / "one", small_settings(name, deals_per_shard=3))
    assert len(manifest.shards) == 1
    assert same_rows(rows(tmp_path / "one"), rows(folders[name]))
    write(tmp_path / "other", small_settings(name, seed=6))
    assert not same_rows(rows(tmp_path / "other"), rows(folders[name]))


@games
@pytest.mark.parametrize("after", [0, 1, "a shard", "a file"])
def test_a_run_that_broke_off_goes_on(name, after, folders, tmp_path, monkeypatch):
    settings, folder = small_settings(name), tmp_path / "broken"
    players = settings.players
    last = {"a shard": players, "a file": None}.get(after, after)
    told = 0

    def stop(_decisions):
        nonlocal told
        if told == last:
            raise KeyboardInterrupt
        told += 1

    if last is None:  # the decisions of the second shard are never written
        replaced, calls = os.replace, []

        def fail(draft, path):
            calls.append(path)
            if Path(path).name == "decisions-00001.parquet":
                raise OSError("no space")
            replaced(draft, path)

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="no space"):
            write(folder, settings)
        monkeypatch.undo()
        assert (folder / "games-00001.parquet").exists()
    else:
        with pytest.raises(KeyboardInterrupt):
            write(folder, settings, stop)
    finished = 1 if last in (None, players) else 0
    assert len(read_manifest(folder).shards) == finished
    with pytest.raises(DatasetError, match=f"holds {finished * players} of {3 * players} games"):
        read_games(folder)
    assert read_games(folder, unfinished=True).collect().height == finished * players
    write(folder, settings)
    assert content(folder) == content(folders[name])


class TestCommand:
    def run(self, name, out, *more):
        players = str(max(registry.seats(name)[0], 2))
        command = ["dataset", "--game", name, "random", "random", "--players", players]
        return [*command, "--games", "2", "--seed", "3", "--out", str(out), *more]

    @games
    def test_it_writes_once(self, name, tmp_path):
        run = self.run(name, tmp_path / "d")
        said = printed(*run)
        found = rows(tmp_path / "d")
        assert f"{found['games'].height} games" in said
        assert f"{found['decisions'].height:,} decisions" in said
        before = content(tmp_path / "d")
        assert "is complete" in printed(*run)
        assert content(tmp_path / "d") == before
        for change in (["--seed", "4"], ["--games", "9"]):
            message = refused(*run, *change)
            assert "other settings" in message
            assert f"{change[0][2:]} " in message

    def test_refuses_a_folder_of_something_else(self, tmp_path):
        (tmp_path / "mine.txt").write_text("mine")
        assert "holds other things" in refused(*self.run(GAMES[0], tmp_path))
        assert "other things" in refused(*self.run(GAMES[0], tmp_path / "mine.txt"))

    def test_without_polars_it_says_what_to_install(self, tmp_path, monkeypatch):
        def missing(name):
            raise ModuleNotFoundError(name=name)

        monkeypatch.setattr(frames, "import_module", missing)
        said = refused(*self.run(GAMES[0], tmp_path / "d"))
        assert "datasets need polars; install the extra data of" in said
        assert "pip install -e '.[data]' in a checkout" in said
        assert not (tmp_path / "d").exists()
