"""What rules promise."""

from collections import Counter
from typing import Any

import pytest

from shakespeare_env import Batch, Position, StateField, below, define, register, rule
from shakespeare_env.core import registry

NONE = -1


@pytest.fixture(autouse=True)
def registered_for_the_test(monkeypatch):
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
    monkeypatch.setattr(registry, "_register_views", lambda name, seats: None)


@rule
def _set_up(game, players, options):
    """A card each of 0 to 5; the others stay in the deck."""
    game["players"], game["to_move"], game["turn"] = players, 0, 0
    game["winners"][:] = 0
    game["hand"][:] = NONE
    for card in range(6):
        game["deck"][card] = card
    for seat in range(players):
        place = below(game, 6)
        while game["deck"][place] == NONE:
            place = below(game, 6)
        game["hand"][seat] = game["deck"][place]
        game["deck"][place] = NONE


@rule
def _legal(game, mask):
    """Whoever holds 0 or 1 must pass, which is played automatically."""
    mask[0] = True
    mask[1] = game["hand"][game["to_move"]] > 1
    return 1 + int(mask[1])


@rule
def _play(game, action):
    game["to_move"] += 1
    if game["to_move"] == game["players"]:
        game["to_move"] = -1
        game["winners"][0] = 1


@rule
def _scores(game, out):
    out[:] = 0


CARDS = ("-", *"abcdef")
FIELDS = (
    StateField("hand", NONE, 5, 4, by_seat=True, words=CARDS, visible="owner", pool="deck"),
    StateField("deck", NONE, 5, 6, words=CARDS, visible="nobody", pool="deck"),
    StateField("turn", 0, 3),
)
RULES: dict[str, Any] = {"set_up": _set_up, "legal": _legal, "play": _play, "scores": _scores}


def made():
    actions = {"pass": "pass", "go": "go"}
    return register(
        define("promises", seats=range(2, 5), fields=FIELDS, actions=actions, **RULES)
    ).name


def test_a_deal_without_a_decision_is_dealt_anew():
    batch = Batch(made(), n=512, players=2, seed=0)
    for _ in range(20):
        assert (batch.to_move >= 0).all()
        assert (batch.mask.sum(axis=1) == 2).all()
        batch.step(batch.random_actions())


def test_rows_of_absent_seats_hold_no_card():
    position = Position.new(made(), players=2, seed=3)
    read = Position.from_dict(position.to_dict())
    assert read == position
    for one in (position, read):
        hands = [one.determinize(0, seed).to_dict()["hand"] for seed in range(60)]
        assert {hand[0] for hand in hands} == {position.to_dict()["hand"][0]}
        assert len(Counter(hand[1] for hand in hands)) > 2
        assert "-" not in {hand[1] for hand in hands}
