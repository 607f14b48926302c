"""The decisions of recorded games: as a frame, as objects and as batches of NumPy arrays."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.game import LayoutEntry, ObservationLayout
from shakespeare_env.datasets import (
    DECISIONS,
    Batches,
    Decisions,
    frames,
    read_decisions,
    read_games,
    recorded_columns,
    recorded_games,
)
from shakespeare_env.datasets.fields import field_column
from shakespeare_env.errors import DatasetError
from tests.arena.small_arenas import written
from tests.contract.small_datasets import write_small_dataset

SCHEMA = frames.polars_schema(DECISIONS)
KINDS = [f"an arena of {registry.names()[0]}", f"a dataset of {registry.names()[1]}"]
"""Both kinds of folders and both games. Arenas are played with variants."""


def games_of(folder):
    """Return the rows of the games."""
    return read_games(folder).collect().rows(named=True)


def played(game: dict[str, Any]) -> list[Position]:
    """Play a recorded game, and return all of its positions."""
    arguments = {name: game[name] for name in ("players", "seed", "deal")}
    arguments |= dict.fromkeys(game["variants"], True)
    positions = [Position.new(game["game"], **arguments)]
    for action in game["actions"]:
        after = positions[-1].copy()
        after.push(after.move_text(action))
        positions.append(after)
    return positions


def decisions_of(game: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that a game's decisions must have."""
    values = game.get("values") or [None] * len(game["actions"])
    decided = zip(played(game)[:-1], game["actions"], values, strict=True)
    rows = []
    for number, (position, action, value) in enumerate(decided):
        seat = position.to_move
        text = position.to_dict()
        move = position.move_text(action)
        row = {
            "game_id": game["game_id"],
            "number": number,
            "seat": seat,
            "agent": game["agents"][seat],
            "phase": position.phase,
            "position": json.dumps(text, ensure_ascii=False, separators=(",", ":")),
            "legal_actions": np.flatnonzero(position.action_mask()).tolist(),
            "legal_moves": position.moves(),
            "action": action,
            "move": move,
            "is_secret": position.game.is_secret(text, move),
            "value": value,
            "score": game["scores"][seat],
            "place": game["places"][seat],
            "won": game["places"][seat] == 1 if game["players"] > 1 else None,
        }
        rows.append(row)
    return rows


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    """A folder of games. Those of a dataset have values; the last one of an arena is forfeited."""
    folder = tmp_path_factory.mktemp("of") / "games"
    name = request.param.rpartition(" ")[-1]
    if request.param.startswith("an arena"):
        return written(name, folder)
    write_small_dataset(folder, name, deals=2)
    return folder


@pytest.fixture(scope="module")
def rows(folder):
    return read_decisions(folder)


def test_a_frame_holds_the_decisions_of_the_games_played_again(folder, rows):
    expected = [row for game in games_of(folder) for row in decisions_of(game)]
    assert_frame_equal(rows, pl.DataFrame(expected, schema=SCHEMA))


@pytest.mark.parametrize("at_once", [recorded_columns._GAMES_AT_ONCE, 1])
def test_columns_can_be_read_alone_and_in_any_order(folder, rows, at_once, monkeypatch):
    monkeypatch.setattr(recorded_columns, "_GAMES_AT_ONCE", at_once)
    columns = ["value", "seat", "won"]
    assert_frame_equal(read_decisions(folder, columns), rows.select(columns))


def test_any_field_of_the_observation_is_a_column_as_the_deciding_seat_sees_it(folder, decided):
    """The observations hold nothing that the seat may not know, as another test shows."""
    layout = registry.game(games_of(folder)[0]["game"]).layout
    fields = [name for name in layout.fields if name not in DECISIONS]
    read = read_decisions(folder, fields)
    seen = np.array([position.observation(position.to_move) for _, position in decided])
    for name in fields:
        field = layout[name]
        numbers = seen[:, field.slice]
        if not field.is_one_hot:
            expected = numbers if field.size > 1 else numbers[:, 0]
            np.testing.assert_array_equal(read[name].to_numpy(), expected)
            continue
        choices = field.names or range(1, field.size + 1)
        chosen = [choices[row.argmax()] if row.any() else None for row in numbers]
        assert read[name].cast(pl.String).to_list() == [
            None if choice is None else str(choice) for choice in chosen
        ]


def test_a_field_without_games_has_no_rows(folder):
    assert read_decisions(read_games(folder).clear(), ["seat0.present", "seat"]).is_empty()


FIELDS = ObservationLayout(
    [
        LayoutEntry("seat0.pounds", 1, 0, 127, ""),
        LayoutEntry("stage", 2, 0, 9, "", ("black", "pink")),
        LayoutEntry("place", 3, 0, 1, "", is_one_hot=True),
        LayoutEntry("seats", 2, 0, 1, "", ("3", "4"), is_one_hot=True),
        LayoutEntry("phase", 2, 0, 1, "", ("wager", "turn"), is_one_hot=True),
        LayoutEntry("seat1.pounds", 1, 0, 127, ""),
    ]
)
SEEN = np.array([[7, 1, 2, 0, 0, 1, 0, 1, 0, 1, 127], [8, 3, 4, 0, 0, 0, 1, 0, 1, 0, 0]], np.int8)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("seat0.pounds", [7, 8]),
        ("stage", [[1, 2], [3, 4]]),
        ("stage.pink", [2, 4]),
        ("place", [3, None]),
        ("seats", [4, 3]),
        ("phase", ["turn", "wager"]),
        ("phase.turn", [1, 0]),
    ],
)
def test_a_field_is_read_as_numbers_or_as_the_name_of_its_choice(name, values):
    column = field_column(FIELDS, name, SEEN)
    assert column.name == name
    assert column.to_list() == values


def test_the_double_of_a_number_does_not_overflow():
    assert (2 * field_column(FIELDS, "seat1.pounds", SEEN)).to_list() == [254, 0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pounds", r"no field 'pounds' \(did you mean 'seat0.pounds'\?\)"),
        ("stage.pin", r"'stage' has no number 'pin' \(did you mean 'pink'\?\); black, pink have"),
        ("place.1", "'place' has no number '1'; none have names"),
    ],
)
def test_a_field_that_does_not_exist_is_refused_with_a_remedy(name, message):
    with pytest.raises(ValueError, match=message):
        field_column(FIELDS, name, SEEN)


@pytest.mark.parametrize("at_once", [recorded_columns._GAMES_AT_ONCE, 1])
def test_some_games_or_none_can_be_read(folder, rows, at_once, monkeypatch):
    monkeypatch.setattr(recorded_columns, "_GAMES_AT_ONCE", at_once)
    games = read_games(folder).filter(pl.col("game_id") % 2 == 1)
    for some in (games, games.clear()):
        numbers = some.select("game_id").collect()["game_id"].to_list()
        expected = rows.filter(pl.col("game_id").is_in(numbers)).select("phase", "move")
        assert_frame_equal(read_decisions(some, ["phase", "move"]), expected)


def test_any_frame_of_games_is_read_in_its_order(folder, rows):
    """A frame may be lazy or not, and sorted or sampled."""
    games = read_games(folder)
    ordered: list[Any] = [games.sort("game_id", descending=True), games.collect().sample(2, seed=3)]
    for some in ordered:
        numbers = some.lazy().select("game_id").collect()["game_id"].to_list()
        expected = [row for number in numbers for row in rows.filter(game_id=number).rows()]
        assert read_decisions(some).rows() == expected
        assert [game.game_id for game in recorded_games(some)] == numbers
        in_batches = [game_id for game_id, _ in keys(Batches(some, size=SIZE))]
        assert list(dict.fromkeys(in_batches)) == numbers


def with_repeated_numbers(folder):
    """Return frames as of two recordings put together, and of games drawn more than once."""
    games = read_games(folder)
    together: Any = pl.concat([games, games.filter(game_id=1)])
    drawn: Any = games.collect().sample(9, with_replacement=True, seed=1)
    return together, drawn


@pytest.mark.parametrize("at_once", [recorded_columns._GAMES_AT_ONCE, 1])
def test_frames_in_which_games_share_a_number_are_refused(folder, at_once, monkeypatch):
    monkeypatch.setattr(recorded_columns, "_GAMES_AT_ONCE", at_once)
    for games in with_repeated_numbers(folder):
        for read in (read_decisions, recorded_games, lambda games: Batches(games, size=SIZE)):
            with pytest.raises(DatasetError, match=r"several games have the game_id .*int_range"):
                read(games)


@pytest.mark.parametrize("at_once", [recorded_columns._GAMES_AT_ONCE, 1])
def test_games_that_are_numbered_anew_are_read(folder, at_once, monkeypatch):
    monkeypatch.setattr(recorded_columns, "_GAMES_AT_ONCE", at_once)
    games, _ = with_repeated_numbers(folder)
    numbered = games.with_columns(game_id=pl.int_range(pl.len()))
    lengths = read_decisions(numbered, ["game_id"]).group_by("game_id").len().sort("game_id")
    assert lengths["len"].to_list() == [len(game.actions) for game in recorded_games(numbered)]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (pl.col("game_id").cast(pl.String), "game_id has String, not whole numbers"),
        (pl.col("game_id") + 0.5, "game_id has Float64, not whole numbers"),
        (pl.lit(None), "game_id has Null, not whole numbers"),
        (pl.col("game_id") - 1, "game_id -1, but numbers begin with 0"),
        (pl.col("game_id").replace(1, None), "game_id None, but numbers begin with 0"),
    ],
)
def test_frames_without_whole_numbers_from_0_are_refused(folder, number, said):
    games = read_games(folder).with_columns(game_id=number)
    for read in (read_decisions, recorded_games):
        with pytest.raises(DatasetError, match=f"{said}; number them anew"):
            read(games)


@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_a_place_without_a_game_is_named_with_the_number_of_games(folder):
    games = recorded_games(folder)
    for place in (len(games), -len(games) - 1):
        with pytest.raises(IndexError, match=f"no game {place}; there are {len(games)}"):
            games[place]


def test_a_game_is_as_it_was_recorded(folder):
    for row, game in zip(games_of(folder), recorded_games(folder), strict=True):
        assert game.game_id == row["game_id"]
        assert game.forfeited_by == row.get("forfeited_by")
        for name in ("agents", "scores", "places", "actions"):
            assert list(getattr(game, name)) == row[name]
        decisions = decisions_of(row)
        assert list(game.moves) == [decision["move"] for decision in decisions]
        assert list(game.values) == [decision["value"] for decision in decisions]
        positions = played(row)
        assert len(game.positions) == len(positions) == len(game.moves) + 1
        for number in (0, 7, len(positions) - 1, -1):
            assert game.positions[number].record() == positions[number].record()


SIZE = 64


def joined(batches):
    """Return the decisions of all batches as one."""
    return Decisions._make(map(np.concatenate, zip(*batches, strict=True)))


def keys(batches):
    """Return (game, number in the game) of all decisions in their order."""
    decisions = joined(batches)
    return list(zip(decisions.game_ids.tolist(), decisions.numbers.tolist(), strict=True))


@pytest.fixture(scope="module")
def decisions(folder):
    """All decisions of the games, joined from batches in their order."""
    return joined(Batches(folder, size=SIZE))


@pytest.fixture(scope="module")
def decided(folder):
    """(row of the game, position) of every decision."""
    return [
        (game, position)
        for game in games_of(folder)
        for position in played(game)[: len(game["actions"])]
    ]


def test_batches_hold_the_decisions_of_the_frame(folder, rows, decisions):
    batches = Batches(folder, size=SIZE)
    assert decisions.size == batches.decisions == len(rows)
    for name in ("action", "seat", "game_id", "number"):
        assert getattr(decisions, f"{name}s").tolist() == rows[name].to_list()
    assert [batches.agents[agent] for agent in decisions.agents] == rows["agent"].to_list()
    legal = [np.flatnonzero(mask).tolist() for mask in decisions.masks]
    assert legal == rows["legal_actions"].to_list()
    values = [None if np.isnan(value) else value for value in decisions.values.tolist()]
    assert values == rows["value"].to_list()


def test_an_observation_holds_what_the_seat_may_know_and_nothing_else(decisions, decided):
    for number, (_, position) in enumerate(decided):
        observation = decisions.observations[number].tolist()
        possible = position.determinize(position.to_move, seed=number)
        assert observation == position.observation(position.to_move).tolist()
        assert observation == possible.observation(position.to_move).tolist()


def test_scores_and_shares_of_the_victory_begin_with_the_seat_that_decides(decisions, decided):
    for number, (game, position) in enumerate(decided):
        players = game["players"]
        assert decisions.players[number] == players
        clockwise = [(position.to_move + place) % players for place in range(players)]
        absent = [0] * (decisions.scores.shape[1] - players)
        scores = position.scores()
        is_first = [place == 1 for place in game["places"]]

        before = [scores[seat] for seat in clockwise]
        final = [game["scores"][seat] for seat in clockwise]
        shares = [is_first[seat] / sum(is_first) for seat in clockwise]
        assert decisions.scores_before[number].tolist() == before + absent
        assert decisions.scores[number].tolist() == final + absent
        assert decisions.shares[number].tolist() == pytest.approx(shares + absent)


def test_a_seed_gives_every_epoch_an_order_of_its_own(folder):
    batches = Batches(folder, size=SIZE, seed=3)
    in_order = keys(Batches(folder, size=SIZE))
    orders = [keys(batches.epoch(epoch)) for epoch in (0, 1)]
    orders.append(keys(Batches(folder, size=SIZE, seed=4)))
    for number, order in enumerate(orders):
        assert sorted(order) == in_order
        assert order not in (in_order, *orders[:number])
    first_batch = orders[0][:SIZE]
    assert len({game for game, _ in first_batch}) > 1, "the games are not mixed"


def test_a_seed_gives_an_epoch_the_same_order_again(folder):
    batches = Batches(folder, size=SIZE, seed=3)
    assert keys(batches.epoch(1)) == keys(batches.epoch(1))
    assert keys(batches.epoch(0)) == keys(batches)


def test_shuffling_changes_the_order_of_decisions_and_nothing_else(folder, decisions):
    batches = Batches(folder, size=SIZE, seed=3)
    in_order = keys(Batches(folder, size=SIZE))
    places = np.array([in_order.index(key) for key in keys(batches)])
    for shuffled, plain in zip(joined(batches), decisions.rows(places), strict=True):
        np.testing.assert_array_equal(shuffled, plain)


@pytest.mark.parametrize(("size", "parts"), [(SIZE, 3), (1, 7), (10_000, 2)])
@pytest.mark.parametrize("seed", [None, 3])
def test_parts_share_the_decisions_in_equally_many_batches(folder, seed, size, parts):
    """Otherwise processes that wait for each other would hang, as in DistributedDataParallel."""
    batches = Batches(folder, size=size, seed=seed)
    read = [list(batches.epoch(1, part=(part, parts))) for part in range(parts)]
    assert len({len(part) for part in read}) == 1
    found = [key for part in read for key in keys(part)]
    assert len(found) == len(set(found)) <= batches.decisions
    assert set(found) <= set(keys(batches.epoch(1)))
    # Decisions that would give only some parts one more batch are left out.
    left_out = batches.decisions % parts if batches.decisions // parts % size == 0 else 0
    assert len(found) == batches.decisions - left_out


def test_of_more_parts_than_decisions_each_is_empty(folder):
    batches = Batches(folder, size=SIZE)
    assert not list(batches.epoch(0, part=(99, 100_000)))


def test_batches_are_pickled_without_their_observations_and_read_alike(folder, monkeypatch):
    batches = Batches(folder, size=SIZE, seed=3)
    pickled = pickle.dumps(batches)
    assert len(pickled) < 10 * batches.decisions + 5000
    # Polars survives no fork, so a worker must not need it.
    monkeypatch.setattr(frames, "import_module", None)
    there = pickle.loads(pickled)
    for own, copied in zip(joined(batches), joined(there), strict=True):
        np.testing.assert_array_equal(own, copied)


def test_batches_draw_from_no_global_generator(folder):
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    joined(Batches(folder, size=SIZE, seed=3))
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


@pytest.mark.parametrize(("name", "value"), [("size", 1.5), ("seed", -1)])
@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_a_wrong_argument_of_batches_is_named_with_its_value(folder, name, value):
    arguments: dict[str, Any] = {"size": SIZE, name: value}
    with pytest.raises((ValueError, TypeError), match=f"{name}.*{value}"):
        Batches(folder, **arguments)


@pytest.mark.parametrize("epoch", [(-1,), (0, (2, 2))])
@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_an_epoch_or_a_part_that_does_not_exist_is_refused(folder, epoch):
    with pytest.raises(ValueError, match="epoch"):
        Batches(folder, size=SIZE).epoch(*epoch)


@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_a_column_that_does_not_exist_is_refused_with_those_that_do(folder):
    with pytest.raises(ValueError, match="no column 'turn'; choose some of game_id, "):
        read_decisions(folder, ["turn"])


@pytest.mark.parametrize("variants", [["x" * 10**6], ["no_such"], None], ids=["long", "", "twice"])
@pytest.mark.parametrize("folder", KINDS[:1], indirect=True)
def test_variants_that_a_game_does_not_have_are_refused_in_a_short_message(folder, variants):
    """In an array of texts every row takes the room of the longest, which could be all memory."""
    games = read_games(folder).collect()
    (known, *_) = registry.game(games["game"][0]).options
    changed = games.with_columns(variants=pl.lit(variants or [known, known]))
    with pytest.raises(DatasetError, match=r"variants .* does not fit a game") as refused:
        Batches(changed.lazy(), size=SIZE)
    assert len(str(refused.value)) < 300
