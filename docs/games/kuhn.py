"""Kuhn poker for three seats, with four cards and one bet.

Abou Risk and Szafron 2010, "Using Counterfactual Regret Minimization to Create Competitive
Multiplayer Poker Agents". Each seat pays 1 and is dealt a card. In turn the seats check or bet 1.
Once a seat has bet, the others call or fold. The highest card among those who have not folded wins.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env import GameRecord, GameRules, StateField, below, define, rule

CARDS = ("J", "Q", "K", "A")
SEATS = 3
NOBODY = -1  # no seat has bet
PASS = 0
BET = 1


@rule
def is_shown(game: Any, seat: int, owner: int) -> bool:
    """Show each card to its owner, and at the end to all if the owner has not folded."""
    return seat == owner or (game["to_move"] < 0 and game["stays"][owner] != 0)


# The fields of the pool "deck" hold the cards. A seat does not know how those that it does not see
# are distributed among them.
FIELDS = (
    StateField("card", 0, 3, SEATS, by_seat=True, words=CARDS, visible=is_shown, pool="deck"),
    StateField("left", 0, 3, visible="nobody", pool="deck"),  # the card that is not dealt
    StateField("paid", 1, 2, SEATS, by_seat=True),
    StateField("stays", 0, 1, SEATS, by_seat=True),  # 0 after folding
    StateField("bettor", NOBODY, SEATS - 1, seats=True),
)


@rule
def set_up(game: Any, players: int, options: int) -> None:
    """Deal a card to each seat. One card is left."""
    for place in range(SEATS):
        game["card"][place] = place
    game["left"] = SEATS
    # Fisher-Yates shuffle: exchange each card with itself or a later one. Place SEATS is `left`.
    for place in range(SEATS):
        other = place + below(game, SEATS + 1 - place)
        card = game["left"] if other == SEATS else game["card"][other]
        if other == SEATS:
            game["left"] = game["card"][place]
        else:
            game["card"][other] = game["card"][place]
        game["card"][place] = card
    game["paid"][:] = 1
    game["stays"][:] = 1
    game["winners"][:] = 0
    game["players"] = players
    game["to_move"] = 0
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
    next_seat = (mover + 1) % SEATS
    checked = game["bettor"] == NOBODY and next_seat == 0
    if checked or next_seat == game["bettor"]:
        game["to_move"] = -1
        best = 0
        for seat in range(SEATS):
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
    for seat in range(SEATS):
        pot += game["paid"][seat]
    for seat in range(SEATS):
        out[seat] = 0
        if game["to_move"] < 0:
            out[seat] = (pot if game["winners"][seat] != 0 else 0) - game["paid"][seat]


GAME = define(
    "kuhn",
    seats=range(SEATS, SEATS + 1),
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
