"""Setting up a game and dealing a round (section A)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import below, draw
from shakespeare_env.figaro.box.tables import COPIES, HAND, LENGTHS, N_KINDS, N_ROUNDS, NO_COLOUR
from shakespeare_env.figaro.state import NOTHING

_ALL_PIECES = len(LENGTHS)


@rule
def set_up(game: Record, players: int, options: int) -> None:
    """Set up a game, up to the first card (Rules A1 to A4)."""
    game["players"] = players
    game["round"] = 0
    game["king"] = below(game, players)  # A4
    game["to_move"] = game["king"]
    game["road"][:, :] = 0
    game["winners"][:] = 0
    draw_pieces(game)
    deal(game)


@rule
def draw_pieces(game: Record) -> None:
    """Draw the pieces of every round, shown long to short from the start (Rules A3).

    From long to short, each piece gets a random free place, in a round or the bag: so rounds come
    out sorted, and every choice is equally likely.
    """
    game["pieces"][:, :] = 0
    a_round = game["players"] - 1
    for piece in range(_ALL_PIECES):
        # A place among those still free: in a round, or back in the bag.
        place = below(game, _ALL_PIECES - piece)
        for number in range(N_ROUNDS):
            filled = 0
            while filled < a_round and game["pieces"][number, filled]:
                filled += 1
            if 0 <= place < a_round - filled:
                game["pieces"][number, filled] = LENGTHS[piece]
            place -= a_round - filled


@rule
def deal(game: Record) -> None:
    """Clear the table and deal all cards (Rules A1)."""
    players = game["players"]
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["taken"][:, :] = 0
    game["taken_count"][:] = 0
    for kind in range(N_KINDS):
        game["dealt"][kind] = COPIES[players, kind]
    left = players * HAND[players]
    for seat in range(players):
        give(game, seat, HAND[players], left)
        left -= HAND[players]


@rule
def give(game: Record, seat: int, cards: int, left: int) -> None:
    """Deal a seat `cards` of the `left` undealt cards."""
    for card in range(cards):
        kind = draw(game, game["dealt"], left - card)
        game["hand"][seat, kind] += 1
    game["hand_size"][seat] += cards


@rule
def clear_front(game: Record) -> None:
    """Clear all face-up cards."""
    game["front"][:, :] = NOTHING
    game["front_len"][:] = 0
    game["total"][:] = 0
    game["colour"][:] = NO_COLOUR
