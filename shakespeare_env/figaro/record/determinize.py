"""Drawing a position that a seat considers possible (Rules D2)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import has_choice
from shakespeare_env.figaro.rules.setup import give
from shakespeare_env.figaro.state import NOBODY


@rule
def determinize(game: Record, seat: int) -> None:
    """Redraw, from game["random"], all that a seat does not know.

    Every deal of the unseen cards that leaves the mover a choice is equally likely: the observer
    knows that a seat that is asked has one (Rules D1). The random state decides future deals. Cards
    are gathered by kind before they are dealt, so that their true holders have no influence.
    """
    mover = game["to_move"]
    left = 0
    for other in range(game["players"]):
        if other != seat:
            left += game["hand_size"][other]
            put_back(game, other)
    if mover != seat and mover != NOBODY:
        # In a position read from text, perhaps no deal leaves the mover a choice.
        can_choose = has_choice(game, game["dealt"])
        cards = game["hand_size"][mover]
        deal_again(game, mover, left)
        while can_choose and not has_choice(game, game["hand"][mover]):
            put_back(game, mover)
            deal_again(game, mover, left)
        left -= cards
    for other in range(game["players"]):
        if other != seat and other != mover:
            deal_again(game, other, left)
            left -= game["hand_size"][other]


@rule
def put_back(game: Record, seat: int) -> None:
    """Put a hand back to the cards to be dealt; its size stays."""
    for kind in range(t.N_KINDS):
        game["dealt"][kind] += game["hand"][seat, kind]
        game["hand"][seat, kind] = 0


@rule
def deal_again(game: Record, seat: int, left: int) -> None:
    """Deal a seat as many cards as it had, of the `left` cards that are not dealt yet."""
    cards = game["hand_size"][seat]
    game["hand_size"][seat] = 0
    give(game, seat, cards, left)
