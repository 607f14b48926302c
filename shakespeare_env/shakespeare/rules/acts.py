"""The discs on the acts."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.box.tables import ACT_LENGTH, N_DISCS

_ROW = 16
"""Exceeds any pile: spaces outweigh heights."""


@rule
def place(game: Record, act: int, disc: int, space: int) -> None:
    """Move a disc to the top of a space's pile (Rules T7)."""
    spaces = game["disc_space"][act]
    heights = game["disc_height"][act]
    left, below = spaces[disc], heights[disc]
    height = 0
    for other in range(N_DISCS):
        if spaces[other] == left and heights[other] > below:
            heights[other] -= 1  # the discs above close the gap
        if spaces[other] == space and other != disc:
            height += 1
    spaces[disc] = space
    heights[disc] = height


@rule
def can_advance(game: Record, act: int, seat: int) -> bool:
    """Whether a quill can advance the seat (Rules T6)."""
    return game["disc_space"][act, seat] < ACT_LENGTH[act]


@rule
def advance(game: Record, act: int, seat: int, quills: int) -> None:
    """Advance a disc; quills past the last space are lost (Rules T6)."""
    for _ in range(quills):
        if can_advance(game, act, seat):
            place(game, act, seat, game["disc_space"][act, seat] + 1)


@rule
def can_move_back(game: Record, act: int, seat: int) -> bool:
    """Whether a seat's disc is past space 1 (Rules M2)."""
    return game["disc_space"][act, seat] > 1


@rule
def standing(game: Record, act: int, disc: int) -> int:
    """A disc's rank, higher being ahead: by space, then lower in the pile (Rules T7).

    Discs out of play rank last, on space 0.
    """
    return _ROW * int(game["disc_space"][act, disc]) - int(game["disc_height"][act, disc])


@rule
def ahead(game: Record, act: int, disc: int) -> int:
    """How many discs are ahead, the neutral one included (Rules T7, V4)."""
    own = standing(game, act, disc)
    count = 0
    for other in range(N_DISCS):
        count += int(standing(game, act, other) > own)
    return count
