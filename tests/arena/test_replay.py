"""Any game of an arena can be replayed and looked at; damaged ones are refused in words."""

from typing import Any

import pytest

from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import RecordedGames, recorded_games
from shakespeare_env.datasets.frames import RESULTS, frame
from shakespeare_env.datasets.reading import read_results
from shakespeare_env.errors import DatasetError
from tests.arena.small_arenas import DEAL, SEED, written
from tests.contract.command_line import moves_told, printed


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
        (lambda row: {"actions": [-1, *row["actions"][1:]]}, "action 0 is -1"),
        (lambda row: {"actions": [*row["actions"], 0]}, "not legal"),
        (lambda row: {"actions": row["actions"][:-1]}, "seat"),
        (lambda row: {"actions": row["actions"] * 999}, "not legal"),
        (lambda row: {"forfeited_by": 0}, "seat"),
        (lambda row: {"scores": [one + 1 for one in row["scores"]]}, "scores"),
        (lambda row: {"deal": -1}, "deal"),
        (lambda row: {"variants": ["autoreset"]}, "autoreset"),
        (lambda row: {"box_digest": "0" * 64}, "another box"),
        (lambda row: {"places": [3 - min(p, 2) for p in row["places"]]}, "winners"),
        (lambda row: {"places": row["places"][1:]}, "places"),
        (lambda row: {"forfeited_by": 9}, "forfeited_by"),
    ],
)
def test_what_cannot_have_been_played_is_refused(folder, change, said):
    # Beside a sound game, which is not blamed.
    first, row = read_results(folder).rows(named=True)[1::-1]
    damaged = {**row, **change(row)}
    columns = {name: [first[name], damaged[name]] for name in RESULTS}
    games = frame(RESULTS, columns).with_row_index("game_id")
    with pytest.raises(DatasetError, match=said) as caught:
        list(RecordedGames(games.lazy(), "arena"))
    assert str(caught.value).startswith("arena")
