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
from shakespeare_env.errors import DatasetError
from tests.arena.small_arenas import written
from tests.contract.small_datasets import write_small_dataset

SCHEMA = frames.polars_schema(DECISIONS)
KINDS = [f"an arena of {registry.names()[0]}", f"a dataset of {registry.names()[1]}"]
"""Both forms, both games; arenas are played with variants."""


def games_of(folder):
    """The rows of the games."""
    return read_games(folder).collect().rows(named=True)


def played(game: dict[str, Any]) -> list[Position]:
    """The positions of a game, one move after the other."""
    dealt = {name: game[name] for name in ("players", "seed", "deal")}
    dealt |= dict.fromkeys(game["variants"], True)
    positions = [Position.new(game["game"], **dealt)]
    for action in game["actions"]:
        after = positions[-1].copy()
        after.push(after.move_text(action))
        positions.append(after)
    return positions


def decisions_of(game: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a game's decisions."""
    values = game.get("values") or [None] * len(game["actions"])
    decided = zip(played(game)[:-1], game["actions"], values, strict=True)
    return [
        {
            "game_id": game["game_id"],
            "number": number,
            "seat": position.to_move,
            "agent": game["agents"][position.to_move],
            "phase": position.phase,
            "position": json.dumps(position.to_dict(), ensure_ascii=False, separators=(",", ":")),
            "legal_actions": np.flatnonzero(position.action_mask()).tolist(),
            "legal_moves": position.moves(),
            "action": action,
            "move": position.move_text(action),
            "is_secret": position.game.is_secret(position.to_dict(), position.move_text(action)),
            "value": value,
            "score": game["scores"][position.to_move],
            "place": game["places"][position.to_move],
            "won": game["places"][position.to_move] == 1 if game["players"] > 1 else None,
        }
        for number, (position, action, value) in enumerate(decided)
    ]


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    """A folder of games; those of a dataset have values, the last of an arena is forfeited."""
    folder = tmp_path_factory.mktemp("of") / "games"
    name = request.param.rpartition(" ")[-1]
    if request.param.startswith("an arena"):
        return written(name, folder)
    write_small_dataset(folder, name, deals=2)
    return folder


@pytest.fixture(scope="module")
def rows(folder):
    return read_decisions(folder)


def test_they_are_those_of_the_games_played_one_by_one(folder, rows):
    expected = [row for game in games_of(folder) for row in decisions_of(game)]
    assert_frame_equal(rows, pl.DataFrame(expected, schema=SCHEMA))


@pytest.mark.parametrize("at_once", [recorded_columns._GAMES_AT_ONCE, 1])
def test_some_columns_of_some_games_are_those_of_all(folder, rows, at_once, monkeypatch):
    monkeypatch.setattr(recorded_columns, "_GAMES_AT_ONCE", at_once)
    columns = ["value", "seat", "won"]
    assert_frame_equal(read_decisions(folder, columns), rows.select(columns))
    games = read_games(folder).filter(pl.col("game_id") % 2 == 1)
    for some in (games, games.clear()):
        numbers = some.select("game_id").collect()["game_id"].to_list()
        expected = rows.filter(pl.col("game_id").is_in(numbers)).select("phase", "move")
        assert_frame_equal(read_decisions(some, ["phase", "move"]), expected)


def test_any_frame_of_games_is_read_in_its_order(folder, rows):
    """Lazy or not, filtered, sorted or sampled."""
    games = read_games(folder)
    chosen: list[Any] = [games.sort("game_id", descending=True), games.collect().sample(2, seed=3)]
    for some in chosen:
        numbers = some.lazy().select("game_id").collect()["game_id"].to_list()
        expected = [row for number in numbers for row in rows.filter(game_id=number).rows()]
        assert read_decisions(some).rows() == expected
        assert [game.game_id for game in recorded_games(some)] == numbers
        found = [key[0] for key in keys(Batches(some, size=SIZE))]
        assert list(dict.fromkeys(found)) == numbers


@pytest.mark.parametrize("at_once", [recorded_columns._GAMES_AT_ONCE, 1])
def test_frames_that_have_a_number_twice_are_refused(folder, at_once, monkeypatch):
    """As of two recordings put together, or of games drawn more than once."""
    monkeypatch.setattr(recorded_columns, "_GAMES_AT_ONCE", at_once)
    games = read_games(folder)
    twice: list[Any] = [
        pl.concat([games, games.filter(game_id=1)]),
        games.collect().sample(9, with_replacement=True, seed=1),
    ]
    for some in twice:
        for read in (read_decisions, recorded_games, lambda some: Batches(some, size=SIZE)):
            with pytest.raises(DatasetError, match=r"several games have the game_id .*int_range"):
                read(some)
    numbered = twice[0].with_columns(game_id=pl.int_range(pl.len()))
    lengths = read_decisions(numbered, ["game_id"]).group_by("game_id").len().sort("game_id")
    assert lengths["len"].to_list() == [len(game.actions) for game in recorded_games(numbered)]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (pl.col("game_id").cast(pl.String), "game_id has String, not whole numbers"),
        (pl.col("game_id") + 0.5, "game_id has Float64, not whole numbers"),
        (pl.lit(None), "game_id has Null, not whole numbers"),
        (pl.col("game_id") - 1, "game_id -1, which is no number from 0"),
        (pl.col("game_id").replace(1, None), "game_id None, which is no number from 0"),
    ],
)
def test_frames_whose_numbers_are_none_are_refused(folder, number, said):
    games = read_games(folder).with_columns(game_id=number)
    for read in (read_decisions, recorded_games):
        with pytest.raises(DatasetError, match=f"{said}; number them anew"):
            read(games)


def test_a_game_is_as_it_was_recorded(folder):
    games = recorded_games(folder)
    for number in (len(games), -len(games) - 1):
        with pytest.raises(IndexError, match=f"no game {number}; there are {len(games)}"):
            games[number]
    for row, game in zip(games_of(folder), games, strict=True):
        assert (game.game_id, game.forfeited_by) == (row["game_id"], row.get("forfeited_by"))
        for name in ("agents", "scores", "places", "actions"):
            assert list(getattr(game, name)) == row[name]
        for name in ("move", "value"):
            own = [decision[name] for decision in decisions_of(row)]
            assert list(getattr(game, f"{name}s")) == own
        positions = played(row)
        assert len(game.positions) == len(positions) == len(game.moves) + 1
        for number in (0, 7, len(positions) - 1, -1):
            assert game.positions[number].record() == positions[number].record()


SIZE = 64


def joined(batches):
    return Decisions._make(map(np.concatenate, zip(*batches, strict=True)))


def keys(batches):
    """Which decisions, in order."""
    whole = joined(batches)
    return list(zip(whole.game_ids.tolist(), whole.numbers.tolist(), strict=True))


def test_a_batch_holds_what_was_seen_and_done_and_what_became_of_it(folder, rows):
    """Nothing that a seat does not know changes an observation."""
    batches = Batches(folder, size=SIZE)
    whole = joined(batches)
    for name in ("action", "seat", "game_id", "number"):
        assert getattr(whole, f"{name}s").tolist() == rows[name].to_list()
    assert [batches.agents[agent] for agent in whole.agents] == rows["agent"].to_list()
    legal = [np.flatnonzero(mask).tolist() for mask in whole.masks]
    assert legal == rows["legal_actions"].to_list()
    values = [None if np.isnan(value) else value for value in whole.values.tolist()]
    assert values == rows["value"].to_list()
    at = 0
    for game in games_of(folder):
        players = game["players"]
        firsts = [place == 1 for place in game["places"]]
        for position in played(game)[: len(game["actions"])]:
            seat = position.to_move
            assert seat is not None
            around = [(seat + place) % players for place in range(players)]
            absent = [0] * (whole.scores.shape[1] - players)
            scores = position.scores()
            assert whole.players[at] == players
            possible = position.determinize(seat, seed=at)
            for one in (position, possible):
                assert whole.observations[at].tolist() == one.observation(seat).tolist()
            assert whole.scores_before[at].tolist() == [scores[one] for one in around] + absent
            assert whole.scores[at].tolist() == [game["scores"][one] for one in around] + absent
            shares = [firsts[one] / sum(firsts) for one in around]
            assert whole.shares[at].tolist() == pytest.approx(shares + absent)
            at += 1
    assert at == whole.size == batches.decisions


def test_a_seed_gives_every_epoch_an_order_of_its_own_and_the_same_again(folder):
    batches = Batches(folder, size=SIZE, seed=3)
    in_order = keys(Batches(folder, size=SIZE))
    orders = [keys(batches.epoch(epoch)) for epoch in (0, 1)]
    orders.append(keys(Batches(folder, size=SIZE, seed=4)))
    for number, order in enumerate(orders):
        assert sorted(order) == in_order
        assert order not in (in_order, *orders[:number])
    assert orders[1] == keys(batches.epoch(1))
    assert orders[0] == keys(batches)
    assert len({game for game, _ in orders[0][:SIZE]}) > 1, "games are mixed"
    shuffled = joined(batches)
    plain = joined(Batches(folder, size=SIZE))
    back = plain.rows(np.array([in_order.index(key) for key in orders[0]]))
    for one, other in zip(shuffled, back, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("agents", [False, True])
def test_parts_share_the_decisions_out_in_equally_many_batches(folder, seed, agents):
    """Processes that wait for each other, as in DistributedDataParallel, would hang otherwise."""
    agent = Batches(folder, size=SIZE).agents[0] if agents else None
    for size, parts in ((SIZE, 3), (1, 7), (10_000, 2)):
        batches = Batches(folder, size=size, seed=seed, agent=agent)
        read = [list(batches.epoch(1, part=(part, parts))) for part in range(parts)]
        assert len({len(part) for part in read}) == 1
        found = [key for part in read for key in keys(part)]
        assert len(found) == len(set(found)) <= batches.decisions
        assert set(found) <= set(keys(batches.epoch(1)))
        # Those of one more batch for some are left out.
        left_out = batches.decisions % parts if batches.decisions // parts % size == 0 else 0
        assert len(found) == batches.decisions - left_out
    assert not list(batches.epoch(0, part=(99, 100_000)))


def test_one_agents_decisions_alone(folder, rows):
    for agent in set(rows["agent"]):
        own = list(rows.filter(agent=agent).select("game_id", "number").iter_rows())
        for seed in (None, 1):
            batches = Batches(folder, size=SIZE, agent=agent, seed=seed)
            assert sorted(keys(batches)) == own
            assert batches.decisions == len(own)


def test_they_go_to_other_processes_and_touch_no_generator(folder, monkeypatch):
    batches = Batches(folder, size=SIZE, seed=3)
    assert len(pickle.dumps(batches)) < 10 * batches.decisions + 5000
    # Not Polars either, which survives no fork.
    monkeypatch.setattr(frames, "import_module", None)
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    there = pickle.loads(pickle.dumps(batches))
    for one, other in zip(joined(batches), joined(there), strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_what_cannot_be_asked_is_refused(folder):
    wrong: dict[str, Any] = {"size": 1.5, "seed": -1, "agent": "nobody"}
    for name, value in wrong.items():
        with pytest.raises((DatasetError, ValueError, TypeError), match=f"{name}.*{value}"):
            Batches(folder, **{"size": SIZE, name: value})
    with pytest.raises(ValueError, match="no column 'turn'; choose some of game_id, "):
        read_decisions(folder, ["turn"])
    for epoch in ((-1,), (0, (2, 2))):
        with pytest.raises(ValueError, match="epoch"):
            Batches(folder, size=SIZE).epoch(*epoch)


@pytest.mark.parametrize("variants", [["x" * 10**6], ["no_such"], None], ids=["long", "", "twice"])
@pytest.mark.parametrize("folder", KINDS[:1], indirect=True)
def test_only_variants_that_exist_are_read(folder, variants):
    """A text as long as the longest in every row of an array would take all memory."""
    games = read_games(folder).collect()
    (known, *_) = registry.game(games["game"][0]).options
    changed = games.with_columns(variants=pl.lit(variants or [known, known]))
    with pytest.raises(DatasetError, match=r"variants .* cannot be those of a game") as refused:
        Batches(changed.lazy(), size=SIZE)
    assert len(str(refused.value)) < 300
