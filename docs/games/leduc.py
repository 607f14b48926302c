"""Leduc hold'em: two suits of jack, queen and king, two rounds of betting, one public card.

Southey et al. 2005, "Bayes' Bluff: Opponent Modelling in Poker". Each of two seats pays 1 and is
dealt a card. In each round they bet in turn, at most two raises, of 2 and then of 4; before the
second round a card is turned up. A pair with it wins, then the higher card; equal hands share.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env import Check, GameRecord, GameRules, StateField, below, define, rule

CARDS = ("J", "Q", "K")
NO_CARD, MOST_RAISES = -1, 2
FOLD, CALL, RAISE = 0, 1, 2


@rule
def is_shown(game: Any, seat: int, owner: int) -> bool:
    """Cards are shown to their owners, and to all when nobody has folded at the end."""
    return seat == owner or (game["to_move"] < 0 and not game["folded"])


FIELDS = (
    StateField("phase", 0, 1, words=("preflop", "flop")),
    StateField("card", 0, 2, 2, by_seat=True, words=CARDS, visible=is_shown, pool="deck"),
    StateField("public", NO_CARD, 2, words=("-", *CARDS)),
    StateField("deck", NO_CARD, 2, 4, visible="nobody", pool="deck"),
    StateField("paid", 0, 13, 2, by_seat=True),
    StateField("raises", 0, MOST_RAISES),
    StateField("acted", 0, 2),
    StateField("folded", 0, 1),
)


@rule
def is_wrong_deck(game: Any) -> bool:
    """Whether the deck does not hold four cards, or after the flop three, and then nothing."""
    for place in range(4):
        if (game["deck"][place] == NO_CARD) != (place >= 4 - game["phase"]):
            return True
    return False


@rule
def draw(game: Any) -> int:
    """Take a card from the deck, which ends where there is none."""
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
    """One card each of six; the other four are the deck."""
    first = below(game, 6)
    second = below(game, 5)
    second += second >= first
    left = 0
    for card in range(6):
        if card != first and card != second:
            game["deck"][left] = card // 2
            left += 1
    game["card"][0], game["card"][1] = first // 2, second // 2
    game["players"], game["to_move"], game["public"], game["phase"] = players, 0, NO_CARD, 0
    game["paid"][:] = 1
    game["winners"][:] = 0
    game["raises"] = game["acted"] = game["folded"] = 0


@rule
def legal(game: Any, mask: Any) -> int:
    """Folding needs a raise to fold to; two raises a round."""
    mover = game["to_move"]
    mask[FOLD] = game["paid"][1 - mover] > game["paid"][mover]
    mask[CALL] = True
    mask[RAISE] = game["raises"] < MOST_RAISES
    return 1 + int(mask[FOLD]) + int(mask[RAISE])


@rule
def play(game: Any, action: int) -> None:
    """Fold, call or raise; a round ends when both have acted and the last one called."""
    mover = game["to_move"]
    if action == FOLD:
        game["folded"], game["to_move"] = 1, -1
        game["winners"][1 - mover] = 1
        return
    game["paid"][mover] = game["paid"][1 - mover]
    game["acted"] += game["acted"] < 2
    if action == RAISE:
        game["paid"][mover] += 2 + 2 * game["phase"]
        game["raises"] += 1
    if action == RAISE or game["acted"] < 2:
        game["to_move"] = 1 - mover
    elif game["phase"] == 0:
        game["public"] = draw(game)
        game["phase"], game["raises"], game["acted"], game["to_move"] = 1, 0, 0, 0
    else:
        game["to_move"] = -1
        for seat in range(2):
            game["winners"][seat] = strength(game, seat) >= strength(game, 1 - seat)


@rule
def strength(game: Any, seat: int) -> int:
    """A pair, then the higher card."""
    return game["card"][seat] + 3 * (game["card"][seat] == game["public"])


@rule
def scores(game: Any, out: Any) -> None:
    """What a seat has won or lost, once over."""
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
