"""Who plays the other seats: where opponents sit, what they are asked, and what they may answer."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from shakespeare_env import IllegalMove
from shakespeare_env.wrappers.seat_games import SeatGames
from tests.wrappers.lives import (
    MIXED,
    BySight,
    first_legal,
    legal,
    make,
    play,
    played,
)

# --------------------------------------------------------------------------------- who sits where


class Named:
    """Writes down whenever it is asked, with the seat it is asked for."""

    def __init__(self, name, table):
        self.name, self.table, self._play = name, table, BySight(len(name)).act

    def act(self, observations, masks, rng):
        if "games" in self.table:
            games = self.table["games"]
            self.table["asked"].append((self.name, int(games.batch.to_move[0])))
        return self._play(observations, masks, rng)


def seen_at_the_table(names, opponents_of, *, games, **arguments):
    """[(learner's seat, {seat: names of those asked for it})], game by game, of one table."""
    table: dict[str, Any] = {"asked": []}
    players = {name: Named(name, table) for name in names}
    row = make(1, seed=8, opponents=opponents_of(players), **arguments)
    table["games"] = row
    row.reset(8)
    found = []
    for _ in range(games):
        while not row.step(legal(row)).ended[0]:
            pass
        seats: dict[int, set[str]] = {}
        for name, seat in table["asked"]:
            seats.setdefault(seat, set()).add(name)
        found.append((int(row.seats[0]), seats))
        table["asked"].clear()
        row.restart([0])
    return found


def test_a_sequence_sits_in_order_after_the_learner():
    found = seen_at_the_table(
        "abc", lambda players: [players["a"], players["b"], players["c"]], games=8
    )
    assert [learner for learner, _ in found] == [0, 1, 2, 3, 0, 1, 2, 3]
    for learner, seats in found:
        assert seats == {(learner + 1 + place) % 4: {name} for place, name in enumerate("abc")}


def test_one_player_plays_all_other_seats():
    for learner, seats in seen_at_the_table("a", lambda players: players["a"], games=3, seat=2):
        assert learner == 2
        assert seats == {seat: {"a"} for seat in (0, 1, 3)}


def test_a_pool_is_drawn_from_for_every_seat_of_every_game():
    """By its weights, anew with every game, and nobody is exchanged before it ends."""
    found = seen_at_the_table(
        ["seldom", "often", "never"],
        lambda players: {players["seldom"]: 1, players["often"]: 3, players["never"]: 0.0},
        games=60,
    )
    drawn: Counter[str] = Counter()
    lineups = set()
    for learner, seats in found:
        assert set(seats) == {0, 1, 2, 3} - {learner}
        assert all(len(names) == 1 for names in seats.values())
        names = [next(iter(seats[(learner + after) % 4])) for after in (1, 2, 3)]
        drawn.update(names)
        lineups.add(tuple(names))
    assert drawn["never"] == 0
    assert 0.65 < drawn["often"] / drawn.total() < 0.85
    assert len(lineups) == 8


def test_rows_draw_their_own_line_ups():
    one, other = BySight(1), BySight(2)
    games = make(80, 2, seed=4, opponents={one: 1, other: 1})
    games.step(legal(games))
    assert min(one.asked[0], other.asked[0]) > 15


def test_the_learners_seat_goes_around_the_table():
    games = make(7, MIXED, seat=None)
    for begun in range(5):
        assert games.seats.tolist() == [(row + begun) % MIXED[row] for row in range(7)]
        games.restart(range(7))
    games.restart([3])
    assert games.seats.tolist() == [(row + 5 + (row == 3)) % MIXED[row] for row in range(7)]
    games.reset(1)
    assert games.seats.tolist() == [row % MIXED[row] for row in range(7)]
    fixed = make(7, 4, seat=2)
    fixed.restart([1, 4])
    assert fixed.seats.tolist() == [2] * 7


# ------------------------------------------------------------------------------ what may be asked


@pytest.mark.parametrize(
    ("arguments", "fault", "words"),
    [
        ({"opponents": ["random"]}, ValueError, "1 opponents for 3 seats"),
        ({"opponents": ["random"] * 4}, ValueError, "4 opponents for 3 seats"),
        ({"opponents": []}, ValueError, "0 opponents for 3 seats"),
        ({"opponents": ["random"] * 3, "players": [4, 4, 4, 4, 3]}, ValueError, "3 opponents"),
        ({"opponents": {}}, ValueError, "weight"),
        ({"opponents": {"random": 0}}, ValueError, "weight"),
        ({"opponents": {"random": -1.0, BySight(): 2.0}}, ValueError, "weight"),
        ({"opponents": {"random": float("nan")}}, ValueError, "weight"),
        ({"opponents": {"random": float("inf")}}, ValueError, "weight"),
        ({"opponents": "nobody"}, ValueError, "no agent is named 'nobody'"),
        ({"opponents": 7}, TypeError, "cannot play"),
        ({"opponents": ["random", None, "random"]}, TypeError, "cannot play"),
        ({"seat": 4}, ValueError, "seat=4"),
        ({"seat": -1}, ValueError, "seat=-1"),
        ({"seat": 2, "players": [4, 4, 2, 4, 4]}, ValueError, "seat=2: the seats are 0 to 1"),
        ({"reward": "fame"}, ValueError, "reward='fame'"),
        ({"players": 5}, ValueError, "players=5"),
        ({"n": 0}, ValueError, "n=0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"expansion": True}, TypeError, "no option 'expansion'"),
    ],
)
def test_arguments_are_checked(arguments, fault, words):
    with pytest.raises(fault, match=words):
        make(**arguments)


def test_one_seat_has_no_opponents():
    assert played(make(2, 1, opponents=[]), 5).seats.tolist() == [0, 0]


@pytest.mark.parametrize("wrong", [-1, 10**6, "masked"])
def test_an_illegal_move_of_an_opponent_is_named_as_its_own(wrong):
    def choose(observations, masks, rng):
        actions = masks.argmax(axis=1)
        actions[-1] = (~masks[-1]).argmax() if wrong == "masked" else wrong
        return actions

    with pytest.raises(IllegalMove) as caught:
        played(make(4, 4, opponents=choose), 20)
    assert caught.value.__notes__ == ["An opponent chose it."]
    assert caught.value.game_index is not None


@pytest.mark.parametrize(
    ("n", "answer"),
    [
        (6, lambda first: first[0]),
        (6, lambda first: first[:1]),
        (6, lambda first: first[1:]),
        (6, lambda first: np.append(first, 0)),
        (6, lambda first: first + 0.5),
        (6, lambda first: first.astype(np.float64)),
        (6, lambda first: first > 0),
        (6, lambda first: None),
        (1, lambda first: first[0]),
        (1, lambda first: first[:, None]),
    ],
    ids=[
        "one number for all",
        "an array of one for all",
        "too few",
        "too many",
        "fractions",
        "floats",
        "flags",
        "nothing",
        "a number for an array of one",
        "a column",
    ],
)
def test_an_opponents_answer_must_be_an_integer_for_each_game(n, answer):
    """Nothing else is taken for one in silence."""

    def choose(observations, masks, rng):
        return answer(masks.argmax(axis=1))

    with pytest.raises((TypeError, ValueError)) as caught:
        played(make(n, 2, opponents=choose), 20)
    assert not isinstance(caught.value, IllegalMove)


@pytest.mark.parametrize("number", [np.int16, np.uint16, np.int32, np.uint64])
def test_any_kind_of_integers_is_an_answer(number):
    def choose(observations, masks, rng):
        return masks.argmax(axis=1).astype(number)

    games = make(4, 2, opponents=choose)
    assert list(play(games, 20)) == list(play(make(4, 2, opponents=first_legal), 20))


class Forgetful:
    """Plays until it has forgotten how."""

    forgotten = False

    def act(self, observations, masks, rng):
        if self.forgotten:
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)


def test_after_an_opponent_has_failed_nobody_plays_for_it():
    """Neither its mask nor its turn falls to the learner; a reset puts everything right."""
    opponent = Forgetful()
    games = SeatGames(n=3, players=2, seed=1, seat=0, opponents=opponent)
    opponent.forgotten = True
    while (games.batch.to_move == games.seats).all():
        with suppress(RuntimeError):
            games.step(games.action_masks().argmax(axis=1))
    stuck = games.batch.to_move != games.seats
    assert not games.action_masks()[stuck].any()
    with pytest.raises(RuntimeError, match=r"an opponent failed in games \[.*call reset"):
        games.step(games.batch.mask.argmax(axis=1))
    with suppress(RuntimeError):
        games.reset(0)
    opponent.forgotten = False
    games.begin(None)
    assert (games.batch.to_move == games.seats).all()
    games.step(games.action_masks().argmax(axis=1))


def test_bytes_are_no_player():
    wrong: Any = b"random"
    with pytest.raises(TypeError, match="b'random' cannot play"):
        SeatGames(players=2, opponents=wrong)
