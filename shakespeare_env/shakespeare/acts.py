"""The three acts: where the discs stand and how they move (Rules T6, T7)."""

from __future__ import annotations

from shakespeare_env.compiled import rule
from shakespeare_env.game import Record
from shakespeare_env.shakespeare.tables import ACT_LENGTH, N_DISCS

_ROW = 16
"""More than a pile can hold: one space outweighs any place in a pile."""


@rule
def place(game: Record, act: int, disc: int, space: int) -> None:
    """Put a disc on top of the pile on a space, taking it from where it was (Rules T7)."""
    spaces = game["disc_space"][act]
    heights = game["disc_height"][act]
    left, below = spaces[disc], heights[disc]
    height = 0
    for other in range(N_DISCS):
        if spaces[other] == left and heights[other] > below:
            heights[other] -= 1  # the discs above close the gap
        if spaces[other] == space:
            height += 1
    spaces[disc] = space
    heights[disc] = height


@rule
def can_advance(game: Record, act: int, seat: int) -> bool:
    """Whether a quill on this act has somewhere to go (Rules T6)."""
    return game["disc_space"][act, seat] < ACT_LENGTH[act]


@rule
def advance(game: Record, act: int, seat: int, quills: int) -> None:
    """Move a seat's disc once for each quill; quills past the last space are lost (Rules T6)."""
    for _ in range(quills):
        if can_advance(game, act, seat):
            place(game, act, seat, game["disc_space"][act, seat] + 1)


@rule
def can_move_back(game: Record, act: int, seat: int) -> bool:
    """Whether a seat's disc is past space 1 of the act (Rules M2)."""
    return game["disc_space"][act, seat] > 1


@rule
def standing(game: Record, act: int, disc: int) -> int:
    """How far a disc is: more is ahead, by space, then by being lower in the pile (Rules T7).

    Discs that are not in play stand on space 0, behind all others.
    """
    return _ROW * int(game["disc_space"][act, disc]) - int(game["disc_height"][act, disc])


@rule
def ahead(game: Record, act: int, disc: int) -> int:
    """How many discs are ahead of a disc, the neutral one counted like any (Rules T7, V4)."""
    own = standing(game, act, disc)
    count = 0
    for other in range(N_DISCS):
        count += int(standing(game, act, other) > own)
    return count
