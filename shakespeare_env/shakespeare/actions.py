"""The action table: each decision's id, move text and description.

Rules address a block by its first id (`DRAFT`, `WAGER`, ...) plus an index of `box/tables.py`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shakespeare_env.core.game import ActionTable, Block
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS

_DECK = list(zip(t.DECK_IDS, t.CARD_NAMES[t.N_BOARD :], strict=True))
_WEARERS = list(zip(t.WEARER_IDS, t.WEARER_NAMES, strict=True))
_OBJECTIVES = list(zip(t.OBJECTIVE_IDS, t.OBJECTIVE_NAMES, strict=True))
_CAN_BE_ACTIVATED = [card for card in range(t.N_CARDS) if t.KIND[card] != t.ASSISTANT]
_CRAFTSMEN = [card for card in range(t.N_CARDS) if t.IS_CRAFTSMAN[card]]
_CARDS, _CRAFTS = (
    [(t.CARD_IDS[card], t.CARD_NAMES[card]) for card in cards]
    for cards in (_CAN_BE_ACTIVATED, _CRAFTSMEN)
)
_BLOCKS = {
    "draft": {f"draft:{i}": f"take {name} at setup" for i, name in _DECK},
    "wager": {
        f"wager:{n}": f"wager {n} cylinder{'s' * (n > 1)}" for n in range(1, t.N_CYLINDERS + 1)
    },
    "recruit": {f"recruit:{i}": f"recruit {name}" for i, name in _DECK},
    "extra": {f"extra:{i}": f"take {name} face down, as an extra" for i, name in _DECK},
    "activate": {f"activate:{i}": f"activate {name}" for i, name in _CARDS},
    "activate+3": {
        f"activate:{i}+3": f'activate {name}, discarding a "+3" token' for i, name in _CRAFTS
    },
    "quill": {f"quill:{act}": f"advance one space on Act {act}" for act in ACTS},
    "back": {f"back:{act}": f"move back one space on Act {act}" for act in ACTS},
    "costume": {
        f"costume:{colour}>{wearer}": f"take a {colour} costume element for {name}"
        for colour in COLOURS
        for wearer, name in _WEARERS
    },
    "set": {
        f"set:{colour}>{space}": f"take a {colour} stage set element for space {space}"
        for colour in COLOURS
        for space in t.SPACE_IDS
    },
    "done": {"done": "take no more elements"},
    "queen": {
        "queen:money": f"take {t.QUEEN_POUNDS} pounds from the Queen",
        "queen:objectives": f"draw {t.QUEEN_OBJECTIVES} objectives and {{keep}} one",
    },
    "objective": {f"objective:{i}": f'keep the objective "{name}"' for i, name in _OBJECTIVES},
    "pass": {"pass": "pass for the rest of the day"},
    "keep": {f"keep:{i}": f"keep {name} free of a rest token" for i, name in _CARDS},
}
TABLE = ActionTable(
    [Block(name, tuple(moves), tuple(moves.values())) for name, moves in _BLOCKS.items()]
)

# fmt: off
(
    DRAFT, WAGER, RECRUIT, EXTRA, ACTIVATE, ACTIVATE_PLUS_3, QUILL, BACK, COSTUME, SET, DONE,
    QUEEN_MONEY, OBJECTIVE, PASS, KEEP,
) = TABLE.start.values()
# fmt: on
QUEEN_OBJECTIVES = QUEEN_MONEY + 1


def _index_in(chosen: list[int]) -> npt.NDArray[np.int64]:
    return np.array(
        [chosen.index(card) if card in chosen else -1 for card in range(t.N_CARDS)], np.int64
    )


ACTIVATE_INDEX = _index_in(_CAN_BE_ACTIVATED)
"""Card -> index in `activate` and `keep`; -1 for assistants (Rules T3)."""
PLUS_3_INDEX = _index_in(_CRAFTSMEN)
"""Card -> index in `activate+3`; -1 unless a craftsman (Rules T9)."""
ACTIVATE_CARD = np.array(_CAN_BE_ACTIVATED, np.int64)
PLUS_3_CARD = np.array(_CRAFTSMEN, np.int64)
