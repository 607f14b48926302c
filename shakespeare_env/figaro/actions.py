"""The action table: the id, the text and the description of every move.

Ids count seats clockwise from the mover, so that they mean the same for every seat. The rules
compute an id from the first of its block (`PLAY`, `RING`, `TAKE`).
"""

from __future__ import annotations

from shakespeare_env.core.game import ActionTable, Block
from shakespeare_env.figaro.box import tables as t

_PLAYS = [(card, f"{{+{place}}}") for card in t.KIND_IDS[: t.RING] for place in range(t.N_SEATS)]
_RING_DESCRIPTION = "play a ring in front of {+0}; all piles go to the next seat clockwise"
TABLE = ActionTable(
    [
        Block(
            "play",
            tuple(f"play:{card}>{seat}" for card, seat in _PLAYS),
            tuple(f"play {card.replace('-', ' ')} in front of {seat}" for card, seat in _PLAYS),
            "play a card",
        ),
        Block("ring", ("ring",), (_RING_DESCRIPTION,), "play a ring"),
        Block(
            "take",
            ("take",),
            ("take all face-up cards, and {play} again",),
            "take all face-up cards",
        ),
    ]
)
PLAY = TABLE.start["play"]
RING = TABLE.start["ring"]
TAKE = TABLE.start["take"]
