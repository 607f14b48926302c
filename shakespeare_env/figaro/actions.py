"""The action table: each decision's id, move text and description.

Ids count seats clockwise from the mover, so they mean the same for every seat; rules use each
block's first id (`PLAY`, `RING`, `TAKE`).
"""

from __future__ import annotations

from shakespeare_env.core.game import ActionTable, Block
from shakespeare_env.figaro.box import tables as t


def _plays() -> Block:
    texts, descriptions = [], []
    for kind in range(t.RING):
        for place in range(t.N_SEATS):
            card = t.KIND_IDS[kind]
            texts.append(f"play:{card}>{{+{place}}}")
            descriptions.append(f"play {card.replace('-', ' ')} before seat {{+{place}}}")
    return Block("play", tuple(texts), tuple(descriptions))


TABLE = ActionTable(
    [
        _plays(),
        Block(
            "ring",
            ("ring",),
            ("play a ring before seat {+0}; all piles go to the next seat clockwise",),
        ),
        Block("take", ("take",), ("take all face-up cards, and play again",)),
    ]
)

PLAY = TABLE.start["play"]
RING = TABLE.start["ring"]
TAKE = TABLE.start["take"]
