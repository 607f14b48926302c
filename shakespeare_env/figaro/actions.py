"""The action table: every decision of the game as one id, its move text and a description.

A card is played before a seat counted clockwise from the one that plays it, so that an id means the
same for every seat; the rules use the first id of each block (`PLAY`, `RING`, `TAKE`).
"""

from __future__ import annotations

from shakespeare_env.action_table import ActionTable, Block
from shakespeare_env.figaro import tables as t


def _plays() -> Block:
    texts, descriptions = [], []
    for kind in range(t.RING):
        for place in range(t.N_SEATS):
            card = t.KIND_IDS[kind]
            before = f"seat {{+{place}}}" if place else "oneself"
            texts.append(f"play:{card}>{{+{place}}}")
            descriptions.append(f"play {card.replace('-', ' ')} before {before}")
    return Block("play", tuple(texts), tuple(descriptions))


TABLE = ActionTable(
    [
        _plays(),
        Block(
            "ring",
            ("ring",),
            ("play a ring before oneself; all piles go to the next seat clockwise",),
        ),
        Block("take", ("take",), ("take all face-up cards, and play again",)),
    ]
)

PLAY = TABLE.start["play"]
RING = TABLE.start["ring"]
TAKE = TABLE.start["take"]
