"""Any game of an arena can be replayed and looked at; damaged ones are refused in words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.arena.store import opened
from shakespeare_env import Batch, registry
from shakespeare_env.datasets import RecordedGames, recorded_games
from shakespeare_env.datasets.frames import frame
from shakespeare_env.datasets.results import MANIFEST, RESULTS
from shakespeare_env.datasets.results_reading import read_results
from shakespeare_env.errors import DatasetError
from tests.arena.small_arenas import DEAL, SEED, written
from tests.contract.command_line import moves_told, printed, refused

GAMES = registry.names()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {name: written(name, tmp_path_factory.mktemp(name) / "arena") for name in GAMES}


@pytest.fixture(params=GAMES)
def folder(request, folders):
    return folders[request.param]


@pytest.fixture
def rows(folder):
    return list(read_results(folder).iter_rows(named=True))


@pytest.fixture
def played(folder):
    return [game.positions for game in recorded_games(folder)]


def test_a_game_ends_as_it_did(rows, played):
    for row, positions in zip(rows[:-1], played, strict=False):
        assert len(positions) == len(row["actions"]) + 1
        assert positions[-1].to_move is None
        assert positions[-1].scores() == row["scores"]
        winners = [seat for seat, place in enumerate(row["places"]) if place == 1]
        assert positions[-1].winners == winners


def test_it_starts_from_its_deal(rows, played):
    row = rows[0]
    variants: dict[str, Any] = dict.fromkeys(row["variants"], True)
    batch = Batch(row["game"], DEAL + 1, players=row["players"], seed=SEED, **variants)
    first = played[0][0]
    assert first.record() == batch.save([DEAL])[0]
    assert first != played[-1][0]


def test_a_forfeited_game_ends_where_it_was_stopped(rows, played, folder):
    row = rows[-1]
    assert len(played[-1]) == len(row["actions"]) + 1
    assert played[-1][-1].to_move == row["forfeited_by"] == 1
    told = "Seat 1 (failing) forfeited the game: error: "
    last = printed("replay", str(folder), "--game-id", str(len(rows) - 1), "--list")
    assert told in last
    assert "tired" in last
    assert "\x1b" not in last
    end = str(len(row["actions"]))
    at_end = printed("replay", str(folder), "--game-id", str(len(rows) - 1), "--at", end)
    assert told in at_end
    assert "decides" not in at_end.splitlines()[-1]
    before = printed("replay", str(folder), "--game-id", str(len(rows) - 1), "--at", "0")
    assert told not in before


def test_games_are_numbered_in_the_order_they_are_read(rows, played, folder):
    for number, (row, positions) in enumerate(zip(rows, played, strict=True)):
        told = moves_told(printed("replay", str(folder), "--game-id", str(number), "--list"))
        assert told == [
            (at, before.to_move, before.move_text(action))
            for at, (before, action) in enumerate(zip(positions, row["actions"], strict=False), 1)
        ]
    listed = printed("replay", str(folder), "--list")
    assert f" {len(rows[0]['actions'])} " in listed
    assert " ".join(map(str, rows[0]["scores"])) in listed
    assert "seat 1 forfeited: error" in listed


def test_one_position_and_another_move(played, folder):
    at = 2
    position = played[0][at]
    assert str(position) in printed("replay", str(folder), "--at", str(at))
    seen = position.game.draw(position.seen_by(0))
    assert seen in printed("replay", str(folder), "--at", str(at), "--seat", "0")
    other = position.moves()[-1]
    few = ["--at", str(at), "--continuations", "2"]
    out = printed("replay", str(folder), "random", *few, "--instead", other)
    assert "Recorded" in out


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
        (lambda row: {"variants": ["none"]}, "has no option 'none'"),
        (lambda row: {"variants": ["autoreset"]}, "has no option 'autoreset'"),
        (lambda row: {"players": 99}, "players=99"),
        (lambda row: {"game": "chess"}, "there is no game 'chess'"),
        (lambda row: {"box_digest": "0" * 64}, "another box"),
        (
            lambda row: {"places": [3 - min(place, 2) for place in row["places"]]},
            "it is won by seats",
        ),
        (lambda row: {"places": row["places"][1:]}, "are not one for each seat"),
        (lambda row: {"agents": None}, "game 1: it has no agents"),
        (lambda row: {"actions": [*row["actions"], None]}, "an entry of its actions is missing"),
        (lambda row: {"forfeited_by": 9}, "forfeited_by=9 is no seat of it"),
    ],
)
def test_what_cannot_have_been_played_is_refused(folder, change, said):
    rows = read_results(folder)
    # Beside a sound game, which is not blamed.
    first, row = rows.rows(named=True)[1::-1]
    columns = {
        name: [first[name], {**row, **change(row)}[name]]
        for name in (column.name for column in RESULTS)
    }
    games = frame(RESULTS, columns).with_row_index("game_id")
    with pytest.raises(DatasetError, match=said) as caught:
        list(RecordedGames(games.lazy(), "arena"))
    assert str(caught.value).startswith("arena")


def test_a_damaged_game_is_named(folder, tmp_path):
    name = json.loads((folder / MANIFEST).read_bytes())["game"]
    columns = read_results(folder).to_dict(as_series=False)
    columns["actions"][1][4] = np.iinfo(np.int16).max
    with opened(tmp_path / "copy", name) as store:
        store.append(frame(RESULTS, columns))
    said = refused("replay", str(tmp_path / "copy"), "--game-id", "1")
    assert "game 1: action 4 is 32767" in said
    assert "copy it again" in said
    printed("replay", str(tmp_path / "copy"), "--game-id", "0", "--list")


def test_what_is_not_there_is_refused(folder, rows, tmp_path):
    said = refused("replay", str(folder), "--game-id", str(len(rows)))
    assert f"has no game {len(rows)}; its games are 0 to {len(rows) - 1}" in said
    name = json.loads((folder / MANIFEST).read_bytes())["game"]
    with opened(tmp_path / "empty", name):
        pass
    assert "it has none yet" in refused("replay", str(tmp_path / "empty"))
    manifest = json.loads((folder / MANIFEST).read_bytes())
    (tmp_path / "empty" / MANIFEST).write_text(json.dumps({**manifest, "box_digest": "0" * 64}))
    assert "another box" in refused("replay", str(tmp_path / "empty"))
