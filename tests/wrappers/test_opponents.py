"""Who plays the other seats: where opponents sit, what they are asked, and what they may answer."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from shakespeare_env import IllegalMove, registry
from shakespeare_env.agent import agent_for
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import PLAIN_TABLES
from tests.wrappers.lives import BySight, first_legal, legal, make, mixed_seats, play, played

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


def seen_at_the_table(table, names, opponents_of, *, games, **arguments):
    """[(learner's seat, {seat: names of those asked for it})], game by game, of one table."""
    watched: dict[str, Any] = {"asked": []}
    players = {name: Named(name, watched) for name in names}
    row = make(table, 1, seed=8, opponents=opponents_of(players), **arguments)
    watched["games"] = row
    row.reset(8)
    found = []
    for _ in range(games):
        while not row.step(legal(row)).ended[0]:
            pass
        seats: dict[int, set[str]] = {}
        for name, seat in watched["asked"]:
            seats.setdefault(seat, set()).add(name)
        found.append((int(row.seats[0]), seats))
        watched["asked"].clear()
        row.restart([0])
    return found


@full_tables
def test_a_sequence_sits_in_order_after_the_learner(table):
    seats = table.players
    names = [chr(ord("a") + place) * (place + 1) for place in range(seats - 1)]
    found = seen_at_the_table(table, names, lambda players: list(players.values()), games=2 * seats)
    assert [learner for learner, _ in found] == [*range(seats)] * 2
    for learner, asked in found:
        assert asked == {(learner + 1 + place) % seats: {name} for place, name in enumerate(names)}


@full_tables
def test_one_player_plays_all_other_seats(table):
    found = seen_at_the_table(table, "a", lambda players: players["a"], games=3, seat=2)
    for learner, seats in found:
        assert learner == 2
        assert seats == {seat: {"a"} for seat in range(table.players) if seat != 2}


@full_tables
def test_a_pool_is_drawn_from_for_every_seat_of_every_game(table):
    """By its weights, anew with every game, and nobody is exchanged before it ends."""
    everybody = set(range(table.players))
    found = seen_at_the_table(
        table,
        ["seldom", "often", "never"],
        lambda players: {players["seldom"]: 1, players["often"]: 3, players["never"]: 0.0},
        games=60,
    )
    drawn: Counter[str] = Counter()
    lineups = set()
    for learner, seats in found:
        assert set(seats) == everybody - {learner}
        assert all(len(names) == 1 for names in seats.values())
        turns = range(1, table.players)
        names = [next(iter(seats[(learner + after) % table.players])) for after in turns]
        drawn.update(names)
        lineups.add(tuple(names))
    assert drawn["never"] == 0
    assert 0.65 < drawn["often"] / drawn.total() < 0.85
    assert len(lineups) > 5  # one draw for all seats of a game would make 2


@small_tables
def test_rows_draw_their_own_line_ups(table):
    one, other = BySight(1), BySight(2)
    games = make(table, 80, seed=4, opponents={one: 1, other: 1})
    games.step(legal(games))
    assert min(one.asked[0], other.asked[0]) > 15


@full_tables
def test_the_learners_seat_goes_around_the_table(table):
    mixed = mixed_seats(table.game)
    games = make(table, 7, players=mixed, seat=None)
    for begun in range(5):
        assert games.seats.tolist() == [(row + begun) % mixed[row] for row in range(7)]
        games.restart(range(7))
    games.restart([3])
    assert games.seats.tolist() == [(row + 5 + (row == 3)) % mixed[row] for row in range(7)]
    games.reset(1)
    assert games.seats.tolist() == [row % mixed[row] for row in range(7)]
    fixed = make(table, 7, seat=2)
    fixed.restart([1, 4])
    assert fixed.seats.tolist() == [2] * 7


# ------------------------------------------------------------------------------ what may be asked


@pytest.mark.parametrize(
    ("arguments", "fault", "words"),
    [
        ({"opponents": ["random"]}, ValueError, "1 opponents for {last} seats"),
        ({"opponents": ["random"] * 99}, ValueError, "99 opponents for {last} seats"),
        ({"opponents": []}, ValueError, "0 opponents for {last} seats"),
        ({"opponents": [], "players": "mixed"}, ValueError, "0 opponents"),
        ({"opponents": {}}, ValueError, "weight"),
        ({"opponents": {"random": 0}}, ValueError, "weight"),
        ({"opponents": {"random": -1.0, BySight(): 2.0}}, ValueError, "weight"),
        ({"opponents": {"random": float("nan")}}, ValueError, "weight"),
        ({"opponents": {"random": float("inf")}}, ValueError, "weight"),
        ({"opponents": "nobody"}, ValueError, "there is no agent or folder 'nobody'"),
        ({"opponents": 7}, TypeError, "cannot play"),
        ({"seat": 9}, ValueError, "seat=9"),
        ({"seat": -1}, ValueError, "seat=-1"),
        ({"seat": 5, "players": "mixed"}, ValueError, "seat=5: the seats are 0 to {fewest}"),
        ({"reward": "fame"}, ValueError, "reward='fame'"),
        ({"players": 99}, ValueError, "players=99"),
        ({"n": 0}, ValueError, "n=0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"expansion": True}, TypeError, "unexpected keyword argument 'expansion'"),
    ],
)
@full_tables
def test_arguments_are_checked(table, arguments, fault, words):
    """With the most seats at each table, or at the last one with the fewest ("mixed")."""
    most, fewest = table.players, registry.seats(table.game)[0]
    if arguments.get("players") == "mixed":
        arguments = arguments | {"players": [most, most, most, most, fewest]}
    with pytest.raises(fault, match=words.format(last=most - 1, fewest=fewest - 1)):
        make(table, **arguments)


@pytest.mark.parametrize("table", [t for t in PLAIN_TABLES if t.players == 1], ids=str)
def test_one_seat_has_no_opponents(table):
    assert played(make(table, 2, opponents=[]), 5).seats.tolist() == [0, 0]


@pytest.mark.parametrize("wrong", [-1, 10**6, "masked"])
@full_tables
def test_an_illegal_move_of_an_opponent_is_named_as_its_own(table, wrong):
    def choose(observations, masks, rng):
        actions = masks.argmax(axis=1)
        actions[-1] = (~masks[-1]).argmax() if wrong == "masked" else wrong
        return actions

    with pytest.raises(IllegalMove) as caught:
        played(make(table, 4, opponents=choose), 20)
    (note,) = caught.value.__notes__
    assert note.startswith("The agent ")
    assert note.endswith(" chose it.")
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
@small_tables
def test_an_opponents_answer_must_be_an_integer_for_each_game(table, n, answer):
    """Nothing else is taken for one in silence."""

    def choose(observations, masks, rng):
        return answer(masks.argmax(axis=1))

    with pytest.raises((TypeError, ValueError)) as caught:
        played(make(table, n, opponents=choose), 20)
    assert not isinstance(caught.value, IllegalMove)


@pytest.mark.parametrize("number", [np.int16, np.uint16, np.int32, np.uint64])
@small_tables
def test_any_kind_of_integers_is_an_answer(table, number):
    def choose(observations, masks, rng):
        return masks.argmax(axis=1).astype(number)

    games = make(table, 4, opponents=choose)
    assert list(play(games, 20)) == list(play(make(table, 4, opponents=first_legal), 20))


class Forgetful:
    """Plays until it has forgotten how."""

    forgotten = False

    def act(self, observations, masks, rng):
        if self.forgotten:
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)


@small_tables
def test_after_an_opponent_has_failed_nobody_plays_for_it(table):
    """Neither its mask nor its turn falls to the learner; a reset puts everything right."""
    opponent = Forgetful()
    games = SingleAgentBatch(n=3, **table.arguments, seed=1, seat=0, opponents=opponent)
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
    games.reset()
    assert (games.batch.to_move == games.seats).all()
    games.step(games.action_masks().argmax(axis=1))


@small_tables
def test_none_is_the_default_agent(table):
    games = SingleAgentBatch(**table.arguments, opponents=None)
    for opponent in games._opponents.lineup.agents:
        assert type(opponent) is type(agent_for(None, games.batch.game))


@small_tables
def test_none_is_nobody_among_others(table):
    wrong: Any = ["random"] * (table.players - 2) + [None]
    with pytest.raises(
        ValueError, match=rf"opponents\[{table.players - 2}\] is None: name a player"
    ):
        SingleAgentBatch(**table.arguments, opponents=wrong)


@small_tables
def test_bytes_are_no_player(table):
    wrong: Any = b"random"
    with pytest.raises(TypeError, match="b'random' cannot play"):
        SingleAgentBatch(**table.arguments, opponents=wrong)
