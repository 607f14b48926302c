"""Any game of an arena can be replayed and looked at; damaged ones are refused in words."""

import json
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.arena.games.store import opened
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import RecordedGames, recorded_games
from shakespeare_env.datasets.frames import frame
from shakespeare_env.datasets.results_reading import MANIFEST, RESULTS, read_results
from shakespeare_env.errors import DatasetError
from tests.arena.small_arenas import DEAL, SEED, written
from tests.contract.command_line import moves_told, printed, refused


@pytest.fixture(scope="module", params=registry.names())
def folder(request, tmp_path_factory):
    return written(request.param, tmp_path_factory.mktemp(request.param) / "arena")


@pytest.fixture
def rows(folder):
    return list(read_results(folder).iter_rows(named=True))


@pytest.fixture
def played(folder):
    return [game.positions for game in recorded_games(folder)]


def replay(folder, number, *more):
    return printed("replay", str(folder), "--game-id", str(number), *more)


def test_a_game_starts_from_its_deal_and_ends_as_it_did(rows, played, folder):
    for row, positions in zip(rows, played, strict=True):
        if row["forfeited_by"] is None:
            assert positions[-1].to_move is None
            assert positions[-1].scores() == row["scores"]
            winners = [seat for seat, place in enumerate(row["places"]) if place == 1]
            assert positions[-1].winners == winners
    row = rows[0]
    told = moves_told(replay(folder, 0, "--list"))
    moves = zip(played[0], row["actions"], strict=False)
    assert [move for *_, move in told] == [before.move_text(action) for before, action in moves]
    variants: dict[str, Any] = dict.fromkeys(row["variants"], True)
    batch = Batch(row["game"], DEAL + 1, players=row["players"], seed=SEED, **variants)
    assert played[0][0].record() == batch.save([DEAL])[0]
    listed = printed("replay", str(folder), "--list")
    assert f" {len(row['actions'])} " in listed
    assert " ".join(map(str, row["scores"])) in listed
    assert "seat 1 forfeited: error" in listed


def test_a_forfeited_game_ends_where_it_was_stopped(rows, played, folder):
    row, number = rows[-1], len(rows) - 1
    assert played[-1][-1].to_move == row["forfeited_by"] == 1
    said = "Seat 1 (failing) forfeited the game: error: "
    last = replay(folder, number, "--list")
    assert said in last
    assert "tired" in last
    assert "\x1b" not in last
    assert said in replay(folder, number, "--at", str(len(row["actions"])))
    assert said not in replay(folder, number, "--at", "0")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: {"actions": [-1, *row["actions"][1:]]}, "action 0 is -1, which is not legal"),
        (lambda row: {"actions": [*row["actions"], 0]}, "which is not legal there"),
        (lambda row: {"actions": row["actions"][:-1]}, "but it was played to the end"),
        (lambda row: {"actions": row["actions"] * 999}, "actions, and a game has 4000 at most"),
        (lambda row: {"forfeited_by": 0}, "is over, but seat 0 forfeited it"),
        (lambda row: {"scores": [one + 1 for one in row["scores"]]}, "it ends with"),
        (lambda row: {"deal": -1}, "deal -1 is below 0"),
        (lambda row: {"variants": ["autoreset"]}, "has no option 'autoreset'"),
        (lambda row: {"box_digest": "0" * 64}, "another box"),
        (lambda row: {"places": [3 - min(p, 2) for p in row["places"]]}, "it is won by seats"),
        (lambda row: {"places": row["places"][1:]}, "are not one for each seat"),
        (lambda row: {"forfeited_by": 9}, "forfeited_by=9 is no seat of it"),
    ],
)
def test_what_cannot_have_been_played_is_refused(folder, change, said):
    # Beside a sound game, which is not blamed.
    first, row = read_results(folder).rows(named=True)[1::-1]
    damaged = {**row, **change(row)}
    columns = {column.name: [first[column.name], damaged[column.name]] for column in RESULTS}
    games = frame(RESULTS, columns).with_row_index("game_id")
    with pytest.raises(DatasetError, match=said) as caught:
        list(RecordedGames(games.lazy(), "arena"))
    assert str(caught.value).startswith("arena")


def test_what_is_damaged_or_not_there_is_named(folder, rows, tmp_path):
    copy, empty = tmp_path / "copy", tmp_path / "empty"
    columns = read_results(folder).to_dict(as_series=False)
    columns["actions"][1][4] = np.iinfo(np.int16).max
    with opened(copy, rows[0]["game"]) as store:
        store.append(frame(RESULTS, columns))
    said = refused("replay", str(copy), "--game-id", "1")
    assert "game 1: action 4 is 32767" in said
    assert "copy it again" in said
    replay(copy, 0, "--list")
    said = refused("replay", str(folder), "--game-id", str(len(rows)))
    assert f"has no game {len(rows)}; its games are 0 to {len(rows) - 1}" in said
    with opened(empty, rows[0]["game"]):
        pass
    assert "it has none yet" in refused("replay", str(empty))
    manifest = json.loads((folder / MANIFEST).read_bytes())
    (empty / MANIFEST).write_text(json.dumps({**manifest, "box_digest": "0" * 64}))
    assert "another box" in refused("replay", str(empty))
