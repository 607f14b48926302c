"""Simultaneous choices: the seats that may choose in secret at the same time.

The rules ask one seat after the other. If the seats know nothing of each other's choices, each of
them may decide before its turn comes, and the order in which they decide changes nothing.
"""

from __future__ import annotations

import numpy as np

from shakespeare_env.core.position import Position
from shakespeare_env.play.tracing import interpreted


def simultaneous_choices(position: Position) -> dict[int, Position]:
    """Return the seats that may choose now, each with a position in which it is to move.

    The seat to move comes first. Seats that the rules ask later follow if all choices before theirs
    are secret (`Game.is_secret`) and `Rules.rewind` takes these choices back. At the end of a game
    no seat may choose.

    The positions of later seats hold choices of earlier seats that nobody has made. A later seat
    sees the same whatever they are.
    """
    if position.to_move is None:
        return {}
    choices = {position.to_move: position}
    first = _rewound(position)
    asked = position
    while _is_secret(asked):
        asked = asked.copy()
        asked.push(asked.moves()[0])
        if asked.to_move is None or asked.to_move in choices or _rewound(asked) != first:
            break
        choices[asked.to_move] = asked
    return choices


def _is_secret(position: Position) -> bool:
    """Return whether every legal move is hidden from the other seats."""
    seen = position.to_dict()
    return all(position.game.is_secret(seen, move) for move in position.moves())


def _rewound(position: Position) -> bytes:
    """Return the record of a position without the secret choices that its mover does not know."""
    record = position.record()
    with np.errstate(over="ignore"):  # the state of the random generator overflows on purpose
        interpreted(position.game.rules.rewind)(record)
    return bytes(record.tobytes())
