"""The action table: each decision's id, move text and description.

Ids count seats clockwise from the mover, so they mean the same for every seat; rules use each
block's first id (`PLAY`, `RING`, `TAKE`).
"""

from __future__ import annotations

from shakespeare_env.core.game import ActionTable, Block
from shakespeare_env.figaro.box import tables as t

_PLAYS = [(card, f"{{+{place}}}") for card in t.KIND_IDS[: t.RING] for place in range(t.N_SEATS)]
_RINGS = "play a ring before {+0}; all piles go to the next seat clockwise"
TABLE = ActionTable(
    [
        Block(
            "play",
            tuple(f"play:{card}>{seat}" for card, seat in _PLAYS),
            tuple(f"play {card.replace('-', ' ')} before {seat}" for card, seat in _PLAYS),
        ),
        Block("ring", ("ring",), (_RINGS,)),
        Block("take", ("take",), ("take all face-up cards, and {play} again",)),
    ]
)
PLAY, RING, TAKE = (TABLE.start[name] for name in ("play", "ring", "take"))
