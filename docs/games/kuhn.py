"""Kuhn poker for two or three seats, with one card more than seats and one bet.

Kuhn 1950, "A Simplified Two-Person Poker"; for three seats Abou Risk and Szafron 2010, "Using
Counterfactual Regret Minimization to Create Competitive Multiplayer Poker Agents". Each seat pays 1
and is dealt a card. In turn the seats check or bet 1. Once a seat has bet, the others call or fold.
The highest card among those who have not folded wins.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env import GameRecord, GameRules, StateField, below, define, rule

CARDS = ("J", "Q", "K", "A")
MOST_SEATS = 3
NO_CARD = -1  # of an absent seat
NOBODY = -1  # no seat has bet
PASS = 0
BET = 1


@rule
def is_shown(game: Any, seat: int, owner: int) -> bool:
    """Show each card to its owner, and at the end to all if the owner has not folded."""
    return seat == owner or (game["to_move"] < 0 and game["stays"][owner] != 0)


# The fields with the pool "deck" share the cards. A seat does not know which of the hidden cards is
# in which of these fields.
FIELDS = (
    StateField(
        "card",
        NO_CARD,
        3,
        MOST_SEATS,
        by_seat=True,
        words=("-", *CARDS),
        visible=is_shown,
        pool="deck",
    ),
    StateField("left", 0, 3, visible="nobody", pool="deck"),  # the card that is not dealt
    StateField("paid", 1, 2, MOST_SEATS, by_seat=True),
    StateField("stays", 0, 1, MOST_SEATS, by_seat=True),  # 0 after folding
    StateField("checks", 0, MOST_SEATS),  # the number of seats that have checked
    StateField("bettor", NOBODY, MOST_SEATS - 1, seats=True),
)


@rule
def set_up(game: Any, players: int, options: int) -> None:
    """Deal a card to each seat. One card is left."""
    game["card"][:] = NO_CARD
    game["stays"][:] = 0
    for place in range(players):
        game["card"][place] = place
        game["stays"][place] = 1
    game["left"] = players
    # Fisher-Yates shuffle: exchange each card with itself or a later one. The last one is `left`.
    for place in range(players):
        other = place + below(game, players + 1 - place)
        card = game["left"] if other == players else game["card"][other]
        if other == players:
            game["left"] = game["card"][place]
        else:
            game["card"][other] = game["card"][place]
        game["card"][place] = card
    game["paid"][:] = 1
    game["winners"][:] = 0
    game["players"] = players
    game["to_move"] = 0
    game["checks"] = 0
    game["bettor"] = NOBODY


@rule
def legal(game: Any, mask: Any) -> int:
    """Allow both actions: to check or bet, or after a bet to fold or call."""
    mask[PASS] = mask[BET] = True
    return 2


@rule
def play(game: Any, action: int) -> None:
    """Check, bet, fold or call. The game ends when all have checked or answered a bet."""
    mover = game["to_move"]
    if action == BET:
        game["paid"][mover] = 2
        if game["bettor"] == NOBODY:
            game["bettor"] = mover
    elif game["bettor"] != NOBODY:
        game["stays"][mover] = 0
    else:
        game["checks"] += 1
    players = game["players"]
    next_seat = (mover + 1) % players
    if game["checks"] == players or next_seat == game["bettor"]:
        game["to_move"] = -1
        best = 0
        for seat in range(players):
            better = game["stays"][best] == 0 or game["card"][seat] > game["card"][best]
            if game["stays"][seat] != 0 and better:
                best = seat
        game["winners"][best] = 1
    else:
        game["to_move"] = next_seat


@rule
def scores(game: Any, out: Any) -> None:
    """Write what each seat has won or lost, once the game is over."""
    pot = 0
    for seat in range(game["players"]):
        pot += game["paid"][seat]
    for seat in range(game["players"]):
        out[seat] = 0
        if game["to_move"] < 0:
            out[seat] = (pot if game["winners"][seat] != 0 else 0) - game["paid"][seat]


GAME = define(
    "kuhn",
    seats=range(2, MOST_SEATS + 1),
    rules=GameRules(
        actions={"pass": "check, or fold to a bet", "bet": "bet, or call a bet"},
        set_up=set_up,
        legal=legal,
        play=play,
        scores=scores,
        score_scale=2,
    ),
    record=GameRecord(fields=FIELDS),
)
