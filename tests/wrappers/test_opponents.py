"""Who plays the other seats: where opponents sit, what they are asked, and what they may answer."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from shakespeare_env import IllegalMove
from shakespeare_env.core import registry
from shakespeare_env.play.agent import agent_for
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.lives import BySight, legal, make, played


class Named:
    """Writes down whenever it is asked, with the seat it is asked for."""

    def __init__(self, name, table):
        self.name, self.table, self._play = name, table, BySight(len(name)).act

    def act(self, observations, masks, rng):
        if "games" in self.table:
            games = self.table["games"]
            self.table["asked"].append((self.name, int(games.batch.to_move[0])))
        return self._play(observations, masks, rng)


def seen_at_the_table(table, names, opponents_of, *, games):
    """[(learner's seat, {seat: names of those asked for it})], game by game, of one table."""
    watched: dict[str, Any] = {"asked": []}
    players = {name: Named(name, watched) for name in names}
    row = make(table, 1, seed=8, opponents=opponents_of(players))
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
def test_a_pool_is_drawn_from_for_every_seat_of_every_game(table):
    """By its weights, anew with every game, and nobody is exchanged before it ends."""
    found = seen_at_the_table(
        table,
        ["seldom", "often", "never"],
        lambda players: {players["seldom"]: 1, players["often"]: 3, players["never"]: 0.0},
        games=60,
    )
    drawn: Counter[str] = Counter()
    lineups = set()
    for learner, seats in found:
        assert set(seats) == set(range(table.players)) - {learner}
        assert all(len(names) == 1 for names in seats.values())
        turns = range(1, table.players)
        names = [next(iter(seats[(learner + after) % table.players])) for after in turns]
        drawn.update(names)
        lineups.add(tuple(names))
    assert drawn["never"] == 0
    assert 0.65 < drawn["often"] / drawn.total() < 0.85
    assert len(lineups) > 5  # one draw for all seats of a game would make 2


@full_tables
def test_wrong_arguments_are_refused_by_name(table):
    """With the most seats at each table, or at the last one with the fewest."""
    most, fewest = table.players, registry.seats(table.game)[0]
    mixed = {"players": [most, most, most, most, fewest]}
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"opponents": ["random"]}, ValueError, f"1 opponents for {most - 1} seats"),
        ({"opponents": [], **mixed}, ValueError, "0 opponents"),
        ({"opponents": {}}, ValueError, "weight"),
        ({"opponents": {"random": -1.0, BySight(): 2.0}}, ValueError, "weight"),
        *(
            ({"opponents": {"random": wrong}}, ValueError, "give every player a weight of 0")
            for wrong in (0, float("nan"), float("inf"), "a", None, [1])
        ),
        ({"opponents": "nobody"}, ValueError, "there is no agent or folder 'nobody'"),
        ({"opponents": ""}, ValueError, "an agent needs a name"),
        ({"opponents": 7}, TypeError, "cannot play"),
        ({"opponents": b"random"}, TypeError, "b'random' cannot play"),
        (
            {"opponents": ["random"] * (most - 2) + [None]},
            ValueError,
            rf"opponents\[{most - 2}\] is None: name a player",
        ),
        ({"seat": -1}, ValueError, "seat=-1"),
        ({"seat": most}, ValueError, f"the seats are 0 to {most - 1}, or None"),
        ({"seat": fewest, **mixed}, ValueError, f"the seats are 0 to {fewest - 1}"),
        ({"seat": 1.0}, ValueError, "the seats are 0 to"),
        ({"seat": True}, ValueError, "the seats are 0 to"),
    ]
    for wrong, fault, words in refused:
        with pytest.raises(fault, match=words):
            make(table, **wrong)


@small_tables
def test_none_is_the_default_agent(table):
    games = SingleAgentBatch(**table.arguments, opponents=None)
    for opponent in games._opponents.lineup.agents:
        assert type(opponent) is type(agent_for(None, games.batch.game))


@small_tables
def test_a_wrong_answer_of_an_opponent_is_named_as_its_own(table):
    """An illegal move as whatever else is no integer for each game, which nothing is taken for."""
    others = TypeError, ValueError
    wrong: list[tuple[Any, Any]] = [
        (lambda masks: (~masks).argmax(axis=1), IllegalMove),
        (lambda masks: masks.argmax(axis=1)[:1], others),
        (lambda masks: masks.argmax(axis=1)[:, None], others),
        (lambda masks: masks.argmax(axis=1).astype(float), others),
        (lambda masks: None, others),
    ]
    for answer, fault in wrong:
        with pytest.raises(fault) as caught:
            played(make(table, 6, opponents=lambda seen, masks, rng, a=answer: a(masks)), 20)
        assert isinstance(caught.value, IllegalMove) == (fault is IllegalMove)
        (note,) = caught.value.__notes__
        assert note.startswith("The agent ")


class Forgetful:
    """Plays until it has forgotten how."""

    forgotten = False

    def act(self, observations, masks, rng):
        if self.forgotten:
            raise LookupError("no idea")
        return masks.argmax(axis=1)


@small_tables
def test_after_an_opponent_has_failed_nobody_plays_for_it(table):
    """Neither its mask nor its turn falls to the learner; a reset puts everything right."""
    opponent = Forgetful()
    games = SingleAgentBatch(n=3, **table.arguments, seed=1, seat=0, opponents=opponent)
    opponent.forgotten = True
    with pytest.raises(LookupError) as caught:
        make(table, opponents=opponent)
    assert any("failed to decide" in note for note in caught.value.__notes__)
    while (games.batch.to_move == games.seats).all():
        with suppress(LookupError):
            games.step(games.action_masks().argmax(axis=1))
    stuck = games.batch.to_move != games.seats
    assert not games.action_masks()[stuck].any()
    with pytest.raises(RuntimeError, match=r"an opponent failed in games \[.*call reset"):
        games.step(games.batch.mask.argmax(axis=1))
    with suppress(LookupError):
        games.reset(0)
    opponent.forgotten = False
    games.reset()
    assert (games.batch.to_move == games.seats).all()
    games.step(games.action_masks().argmax(axis=1))
