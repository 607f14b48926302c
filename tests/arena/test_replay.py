"""Games of an arena are replayed. Rows that no game can have are refused with the reason."""

import pytest

from shakespeare_env.core import registry
from shakespeare_env.datasets import recorded_games
from shakespeare_env.datasets.frames import RESULTS, frame
from shakespeare_env.datasets.reading import read_results
from shakespeare_env.errors import DatasetError
from tests.arena.small_arenas import written
from tests.contract.command_line import output_of


@pytest.fixture(scope="module", params=registry.names())
def folder(request, tmp_path_factory):
    return written(request.param, tmp_path_factory.mktemp(request.param) / "arena")


@pytest.fixture
def rows(folder):
    return list(read_results(folder).iter_rows(named=True))


def test_a_forfeited_game_ends_where_it_was_stopped(rows, folder):
    def replay(*more):
        return output_of("replay", str(folder), "--game-id", str(len(rows) - 1), *more)

    row = rows[-1]
    assert recorded_games(folder)[-1].positions[-1].to_move == row["forfeited_by"] == 1
    said = "Seat 1 (failing) forfeited the game: error: "
    last = replay("--list")
    assert said in last
    assert "tired" in last
    assert "\x1b" not in last
    assert said in replay("--at", str(len(row["actions"])))
    assert said not in replay("--at", "0")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: {"actions": [-1, *row["actions"][1:]]}, "action 0 is -1"),
        (lambda row: {"actions": [*row["actions"], 0]}, "not legal"),
        (lambda row: {"actions": row["actions"][:-1]}, "seat"),
        (lambda row: {"actions": row["actions"] * 999}, "not legal"),
        (lambda row: {"forfeited_by": 0}, "seat"),
        (lambda row: {"scores": [score + 1 for score in row["scores"]]}, "score"),
        (lambda row: {"deal": -1}, "deal"),
        (lambda row: {"variants": ["autoreset"]}, "autoreset"),
        (lambda row: {"box_digest": "0" * 64}, "another box"),
        (lambda row: {"places": [3 - min(p, 2) for p in row["places"]]}, "winner"),
        (lambda row: {"places": row["places"][1:]}, "places"),
        (lambda row: {"forfeited_by": 9}, "forfeited_by"),
    ],
)
def test_a_row_that_no_game_can_have_is_refused(rows, change, said):
    row, sound = rows[:2]
    damaged = {**row, **change(row)}
    columns = {name: [sound[name], damaged[name]] for name in RESULTS}
    games = frame(RESULTS, columns).with_row_index("game_id")
    with pytest.raises(DatasetError, match=said) as caught:
        list(recorded_games(games.lazy()))
    assert str(caught.value).startswith("the frame: ")
