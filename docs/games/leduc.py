"""Leduc hold'em for two seats, with two suits of jack, queen and king.

Southey et al. 2005, "Bayes' Bluff: Opponent Modelling in Poker". Each seat pays 1 and is dealt a
card. There are two rounds of betting with at most two raises each. A raise is 2 in the first round
and 4 in the second. A public card is turned up before the second round. The seat whose card pairs
with it wins, otherwise the seat with the higher card. Equal hands share the pot.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env import Check, GameRecord, GameRules, StateField, below, define, rule

CARDS = ("J", "Q", "K")
NO_CARD = -1
MOST_RAISES = 2
FOLD = 0
CALL = 1
RAISE = 2


@rule
def is_shown(game: Any, seat: int, owner: int) -> bool:
    """Show cards to their owners, and at the end to all if nobody has folded."""
    return seat == owner or (game["to_move"] < 0 and not game["folded"])


# The fields with the pool "deck" share the six cards. A seat does not know which of the hidden
# cards is in which of these fields.
FIELDS = (
    StateField("phase", 0, 1, words=("preflop", "flop")),
    StateField("card", 0, 2, 2, by_seat=True, words=CARDS, visible=is_shown, pool="deck"),
    StateField("public", NO_CARD, 2, words=("-", *CARDS)),
    StateField("deck", NO_CARD, 2, 4, visible="nobody", pool="deck"),
    StateField("paid", 0, 13, 2, by_seat=True),  # at most 1 + 2 * 2 + 2 * 4
    StateField("raises", 0, MOST_RAISES),
    StateField("acted", 0, 2),  # the number of seats that have acted in this round
    StateField("folded", 0, 1),
)


@rule
def is_wrong_deck(game: Any) -> bool:
    """Return whether the deck does not hold four cards, or three after the flop."""
    # The first four places hold a card before the flop, and the first three after it.
    for place in range(4):
        if (game["deck"][place] == NO_CARD) != (place >= 4 - game["phase"]):
            return True
    return False


@rule
def draw(game: Any) -> int:
    """Take a card from the deck, which ends at the first empty place."""
    cards = 0
    while cards < 4 and game["deck"][cards] != NO_CARD:
        cards += 1
    place = below(game, cards)
    card = game["deck"][place]
    game["deck"][place] = game["deck"][cards - 1]
    game["deck"][cards - 1] = NO_CARD
    return card


@rule
def set_up(game: Any, players: int, options: int) -> None:
    """Deal a card to each seat. The other four cards are the deck."""
    # The six cards have numbers from 0 to 5; card // 2 is the rank, an index into CARDS.
    first = below(game, 6)
    second = below(game, 5)
    second += second >= first  # any card but the first
    left = 0
    for card in range(6):
        if card != first and card != second:
            game["deck"][left] = card // 2
            left += 1
    game["card"][0] = first // 2
    game["card"][1] = second // 2
    game["players"] = players
    game["to_move"] = 0
    game["public"] = NO_CARD
    game["phase"] = 0
    game["paid"][:] = 1
    game["winners"][:] = 0
    game["raises"] = 0
    game["acted"] = 0
    game["folded"] = 0


@rule
def legal(game: Any, mask: Any) -> int:
    """Allow folding to a raise, calling, and at most two raises a round."""
    mover = game["to_move"]
    mask[FOLD] = game["paid"][1 - mover] > game["paid"][mover]
    mask[CALL] = True
    mask[RAISE] = game["raises"] < MOST_RAISES
    return 1 + int(mask[FOLD]) + int(mask[RAISE])


@rule
def play(game: Any, action: int) -> None:
    """Fold, call or raise. A round ends when both have acted and the last one has called."""
    mover = game["to_move"]
    if action == FOLD:
        game["folded"] = 1
        game["to_move"] = -1
        game["winners"][1 - mover] = 1
        return
    game["paid"][mover] = game["paid"][1 - mover]
    game["acted"] += game["acted"] < 2  # counted up to 2
    if action == RAISE:
        game["paid"][mover] += 2 + 2 * game["phase"]
        game["raises"] += 1
    if action == RAISE or game["acted"] < 2:
        game["to_move"] = 1 - mover
    elif game["phase"] == 0:
        game["public"] = draw(game)
        game["phase"] = 1
        game["raises"] = 0
        game["acted"] = 0
        game["to_move"] = 0
    else:
        game["to_move"] = -1
        for seat in range(2):
            game["winners"][seat] = strength(game, seat) >= strength(game, 1 - seat)


@rule
def strength(game: Any, seat: int) -> int:
    """Return the strength of a seat's hand, in which a pair beats any other."""
    return game["card"][seat] + 3 * (game["card"][seat] == game["public"])


@rule
def scores(game: Any, out: Any) -> None:
    """Write what each seat has won or lost, once the game is over."""
    for seat in range(2):
        out[seat] = 0
        if game["to_move"] < 0 and game["winners"][seat] != game["winners"][1 - seat]:
            won = game["winners"][seat] != 0
            out[seat] = game["paid"][1 - seat] if won else -game["paid"][seat]


GAME = define(
    "leduc",
    seats=range(2, 3),
    rules=GameRules(
        actions={"fold": "give up", "call": "pay what is missing", "raise": "pay more"},
        set_up=set_up,
        legal=legal,
        play=play,
        scores=scores,
        score_scale=4,
    ),
    record=GameRecord(
        fields=FIELDS,
        checks=[Check("deck", "it holds four cards, after the flop three", is_wrong_deck)],
    ),
)
