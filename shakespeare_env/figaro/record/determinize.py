"""Possible positions: the other hands, redealt (D2)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box.tables import N_KINDS
from shakespeare_env.figaro.rules.moves import has_choice
from shakespeare_env.figaro.rules.setup import give
from shakespeare_env.figaro.state import NOBODY


@rule
def determinize(game: Record, seat: int) -> None:
    """Redraw, from game["random"], all that a seat does not know.

    Every deal of the unseen cards that leaves the mover a choice is equally likely: the observer
    knows that who is asked has one (Rules D1). The random state decides future deals. Cards are
    gathered by kind before dealing, so their true holders have no influence.
    """
    mover = game["to_move"]
    left = gather(game, seat)
    if mover != seat and mover != NOBODY:
        # A position in text may hold a decision with one legal move: then no deal may leave two.
        can_choose = has_choice(game, game["dealt"])
        cards = game["hand_size"][mover]
        game["hand_size"][mover] = 0
        give(game, mover, cards, left)
        while can_choose and not has_choice(game, game["hand"][mover]):
            put_back(game, mover)
            give(game, mover, cards, left)
        left -= cards
    for other in range(game["players"]):
        if other != seat and other != mover:
            cards = game["hand_size"][other]
            game["hand_size"][other] = 0
            give(game, other, cards, left)
            left -= cards


@rule
def gather(game: Record, seat: int) -> int:
    """Collect all hands but one in `dealt`, keeping hand sizes; return the number of cards."""
    cards = 0
    for other in range(game["players"]):
        if other != seat:
            for kind in range(N_KINDS):
                game["dealt"][kind] += game["hand"][other, kind]
                game["hand"][other, kind] = 0
            cards += game["hand_size"][other]
    return cards


@rule
def put_back(game: Record, seat: int) -> None:
    """Return a hand to the cards to be dealt."""
    for kind in range(N_KINDS):
        game["dealt"][kind] += game["hand"][seat, kind]
        game["hand"][seat, kind] = 0
    game["hand_size"][seat] = 0


@rule
def rewind(game: Record) -> bool:
    """No choice is secret: cards are seen when they are played."""
    return False
