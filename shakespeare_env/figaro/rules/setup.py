"""Setting up a game and dealing a round (Rules A)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import below, draw
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import clear_front

_ALL_PIECES = len(t.LENGTHS)


@rule
def set_up(game: Record, players: int, options: int) -> None:
    """Set up a game, up to the first card (Rules A1 to A4). Figaro has no `options`."""
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
    """Draw the pieces of each round (Rules A3).

    Each piece, longest first, gets one of the free places at random. A piece whose place lies past
    those of the last round is out of the game.
    """
    game["pieces"][:, :] = 0
    per_round = game["players"] - 1
    for piece in range(_ALL_PIECES):
        # `place` is an index into the free places of all rounds. In the loop below it counts from
        # the first free place of round `number`.
        place = below(game, _ALL_PIECES - piece)
        for number in range(t.N_ROUNDS):
            filled = 0
            while filled < per_round and game["pieces"][number, filled]:
                filled += 1
            if 0 <= place < per_round - filled:
                game["pieces"][number, filled] = t.LENGTHS[piece]
            place -= per_round - filled  # negative once the piece has its place


@rule
def deal(game: Record) -> None:
    """Clear the table and deal all cards for a round (Rules A1)."""
    players = game["players"]
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["taken"][:, :] = 0
    game["taken_count"][:] = 0
    for kind in range(t.N_KINDS):
        game["undealt"][kind] = t.COPIES[players, kind]
    left = players * t.HAND[players]
    for seat in range(players):
        give(game, seat, t.HAND[players], left)
        left -= t.HAND[players]


@rule
def give(game: Record, seat: int, cards: int, left: int) -> None:
    """Deal a seat a number of cards at random from the `left` cards that are not dealt yet."""
    for card in range(cards):
        kind = draw(game, game["undealt"], left - card)
        game["hand"][seat, kind] += 1
    game["hand_size"][seat] += cards
