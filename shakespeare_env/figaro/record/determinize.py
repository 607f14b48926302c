"""The rules that redraw what a seat does not know of a position (Rules D2)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import has_choice
from shakespeare_env.figaro.rules.setup import give
from shakespeare_env.figaro.state import NOBODY


@rule
def determinize(game: Record, seat: int) -> None:
    """Redraw, from game["random"], everything that a seat does not know.

    Every deal of the unseen cards that leaves the mover a choice is equally likely, because the
    observer knows that the mover has one (Rules D1). The deals of later rounds are not
    drawn here, since the random state decides them. The unseen cards are gathered by kind before
    they are dealt, so their true holders have no influence.
    """
    mover = game["to_move"]
    left = 0
    for other in range(game["players"]):
        if other != seat:
            left += game["hand_size"][other]
            put_back(game, other)
    if mover != seat and mover != NOBODY:
        # In a position given as text, there may be no deal that leaves the mover a choice. There is
        # one if the mover would have a choice with all the unseen cards in hand. These are in
        # `undealt` now.
        can_choose = has_choice(game, game["undealt"])
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
    """Return a seat's cards to `undealt`, but keep its `hand_size`."""
    for kind in range(t.N_KINDS):
        game["undealt"][kind] += game["hand"][seat, kind]
        game["hand"][seat, kind] = 0


@rule
def deal_again(game: Record, seat: int, left: int) -> None:
    """Deal a seat as many cards as it had, of the `left` cards that are not dealt yet."""
    cards = game["hand_size"][seat]
    game["hand_size"][seat] = 0
    give(game, seat, cards, left)
