"""Exact best responses: in games whose values are known, and refusals of what is not exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import make
from shakespeare_arena.best_response import BestResponse, NotExactError, best_response
from shakespeare_env import GameRecord, GameRules, StateField, below, define, rule
from shakespeare_env.core import registry
from tests.contract.games import small_games
from tests.registered_games import registering

GAMES = Path(__file__).parents[2] / "docs" / "games"
PASS, BET = range(2)


@pytest.fixture(scope="module", autouse=True)
def games():
    """Kuhn poker, Leduc hold'em and a game that deals until a card is free."""
    in_files = [f"{GAMES / name}.py:GAME" for name in ("kuhn", "leduc")]
    with small_games.registered(), registering(*in_files, UNTIL_FREE):
        yield


def respond(agent: Any, game: str, players: int) -> BestResponse:
    loaded = registry.game(game)
    return best_response(make(agent, loaded), "it", loaded, players)


class Kuhn:
    """Plays Kuhn poker for two by the chances to bet, or to call, with J, Q and K.

    Args:
        chances: By what was played before: nothing, a check ("p"), a bet ("b"), or both.
    """

    def __init__(self, chances: dict[str, tuple[float, float, float]]) -> None:
        self.chances = chances
        layout = registry.game("kuhn").layout
        self._card = layout["seat0.card"].slice
        self._checks = layout["checks"].start
        self._bettor = layout["bettor"].slice

    def probabilities(self, observations, masks):
        chances = np.zeros(masks.shape, np.float32)
        for row, seen in enumerate(observations):
            card = int(seen[self._card].argmax()) - 1
            before = "p" if seen[self._checks + 1] else ""
            before += "b" if seen[self._bettor].any() else ""
            chances[row, BET] = self.chances[before][card]
        chances[:, PASS] = 1 - chances[:, BET]
        return chances

    def act(self, observations, masks, rng):
        return rng.choose(self.probabilities(observations, masks))


def equilibrium(bluff: float) -> Kuhn:
    """Return an equilibrium of Kuhn poker, by the chance to bet a jack first (up to 1/3)."""
    return Kuhn(
        {
            "": (bluff, 0, 3 * bluff),
            "p": (1 / 3, 0, 1),
            "b": (0, 1 / 3, 1),
            "pb": (0, bluff + 1 / 3, 1),
        }
    )


MIXED = {"": (0.1, 0.4, 0.8), "p": (0.3, 0.2, 0.9), "b": (0.05, 0.6, 0.95), "pb": (0.15, 0.35, 0.7)}


@pytest.mark.parametrize(
    ("agent", "game", "players", "gains"),
    [
        ("random", "kuhn", 2, (0.375, 0.54166667)),
        ("random", "kuhn", 3, (0.546875, 0.69270833, 0.82291667)),
        ("random", "leduc", 2, (2.165625, 2.58159722)),
        (lambda: Kuhn(MIXED), "kuhn", 2, (0.06891667, 0.15775)),
        (lambda observations, masks, rng: np.full(len(masks), PASS), "kuhn", 2, (1.0, 1.0)),
        (lambda observations, masks, rng: np.full(len(masks), BET), "kuhn", 2, (1 / 3, 1 / 3)),
    ],
    ids=["random", "random-3", "random-leduc", "mixed", "always-pass", "always-bet"],
)
def test_what_responses_gain_is_what_openspiel_finds(agent, game, players, gains):
    """The gains of scores by seat are `player_improvements` of OpenSpiel's `nash_conv`."""
    found = respond(agent, game, players)
    assert [seat.score - seat.own_score for seat in found.seats] == pytest.approx(gains, abs=1e-6)
    assert found.beyond_own_score == pytest.approx(sum(gains) / players, abs=1e-6)
    # The others hold copies, so the agent's own shares are those of a whole game.
    assert sum(seat.own_win_rate for seat in found.seats) == pytest.approx(1.0)
    assert sum(seat.own_score for seat in found.seats) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("bluff", [0.0, 0.2, 1 / 3])
def test_nothing_gains_on_an_equilibrium_and_the_first_seat_loses_an_eighteenth(bluff):
    found = respond(lambda: equilibrium(bluff), "kuhn", 2)
    assert found.beyond_own_score == pytest.approx(0.0, abs=1e-6)
    assert found.seats[0].own_score == pytest.approx(-1 / 18, abs=1e-6)


def highest(observations, masks, rng):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_a_response_to_secret_bids_and_to_the_chance_after_them_is_that_found_by_hand():
    """In each of two rounds both bid a card for a prize of 1, 2 or 3. The higher card takes it.

    Those who tie both take the prize, so the agent's own score is that of two mean prizes, and
    nobody can have more. Bidding 0 first leaves 2 against the agent's 1 for the second prize. It
    wins if that is larger than the first, in 2 of 3 games if the first is 1, and else ties.
    """
    for seat in respond(highest, "bids", 2).seats:
        assert (seat.own_win_rate, seat.own_score) == pytest.approx((0.5, 4.0))
        assert seat.score == pytest.approx(4.0)
        assert seat.win_rate == pytest.approx((5 / 6 + 1 / 2 + 1 / 2) / 3)


def remembers(observations, masks, rng):
    for place in range(len(masks)):
        rng.memory(place)["moves"] = 1
    return masks.argmax(axis=1)


def draws(observations, masks, rng):
    return rng.choose(masks.astype(np.float64))


@rule
def deal_until_free(game, players, options):
    """Deal two cards. A card that is taken is drawn again."""
    game["players"] = players
    game["to_move"] = 0
    game["winners"][:] = 0
    game["card"][0] = below(game, 3)
    game["card"][1] = below(game, 3)
    while game["card"][1] == game["card"][0]:
        game["card"][1] = below(game, 3)


@rule
def two_moves(game, mask):
    mask[:] = True
    return 2


@rule
def end(game, action):
    game["to_move"] = -1
    game["winners"][0] = 1


@rule
def nothing(game, out):
    out[:] = 0


UNTIL_FREE = define(
    "untilfree",
    seats=range(2, 3),
    rules=GameRules(
        actions={"one": "play one", "two": "play two"},
        set_up=deal_until_free,
        legal=two_moves,
        play=end,
        scores=nothing,
    ),
    record=GameRecord(fields=[StateField("card", 0, 2, 2, by_seat=True, visible="owner")]),
)


@pytest.mark.parametrize(
    ("agent", "game", "says"),
    [
        (lambda: make("search,rollouts=random", registry.game("leduc")), "leduc", "searches"),
        (remembers, "leduc", "remembers games"),
        (draws, "leduc", r"has no probabilities\(\)"),
        ("random", "untilfree", "too many random events"),
        ("random", "shakespeare", "too many random events"),
    ],
)
def test_what_is_not_exact_is_refused(agent, game, says):
    with pytest.raises(NotExactError, match=says):
        respond(agent, game, 2)
