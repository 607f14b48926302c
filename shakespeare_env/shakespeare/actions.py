"""The action table: the id, the text and the description of every move.

The rules compute an id as the first of its block (`DRAFT`, `WAGER`, ...) plus an index of
`box/tables.py`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shakespeare_env.core.game import ActionTable, Block
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS

# Pairs of the id in the notation and the name.
_DECK = list(zip(t.DECK_IDS, t.CARD_NAMES[t.N_BOARD :], strict=True))
_WEARERS = list(zip(t.WEARER_IDS, t.WEARER_NAMES, strict=True))
_OBJECTIVES = list(zip(t.OBJECTIVE_IDS, t.OBJECTIVE_NAMES, strict=True))
# Cards as integers (`box/tables.py`).
_CAN_BE_ACTIVATED = [card for card in range(t.N_CARDS) if t.KIND[card] != t.ASSISTANT]
_CRAFTSMEN = [card for card in range(t.N_CARDS) if t.IS_CRAFTSMAN[card]]
# Pairs of the id in the notation and the name.
_CARDS = [(t.CARD_IDS[card], t.CARD_NAMES[card]) for card in _CAN_BE_ACTIVATED]
_CRAFT_CARDS = [(t.CARD_IDS[card], t.CARD_NAMES[card]) for card in _CRAFTSMEN]
_BLOCKS = {
    "draft": {f"draft:{i}": f"take {name} at setup" for i, name in _DECK},
    "wager": {
        f"wager:{n}": f"wager {n} cylinder{'s' * (n > 1)}" for n in range(1, t.N_CYLINDERS + 1)
    },
    "recruit": {f"recruit:{i}": f"recruit {name}" for i, name in _DECK},
    "extra": {f"extra:{i}": f"take {name} face down, as an extra" for i, name in _DECK},
    "activate": {f"activate:{i}": f"activate {name}" for i, name in _CARDS},
    "activate+3": {
        f"activate:{i}+3": f'activate {name}, discarding a "+3" token' for i, name in _CRAFT_CARDS
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
        # The text keeps `{keep}`, a verb that agrees with the player (`core/seat_names.py`).
        "queen:objectives": f"draw {t.QUEEN_OBJECTIVES} objectives and {{keep}} one",
    },
    "objective": {f"objective:{i}": f'keep the objective "{name}"' for i, name in _OBJECTIVES},
    "pass": {"pass": "pass for the rest of the day"},
    "keep": {f"keep:{i}": f"keep {name} free of a rest token" for i, name in _CARDS},
}
_KINDS = {
    "draft": "take a character at setup",
    "wager": "wager cylinders",
    "recruit": "recruit a character",
    "extra": "take an extra",
    "activate": "activate a character",
    "activate+3": 'activate a character with a "+3" token',
    "quill": "advance on an act by a white quill",
    "back": "move back on an act",
    "costume": "take a costume element",
    "set": "take a stage set element",
    "done": "take no more elements",
    "queen": "choose what the Queen gives",
    "objective": "keep an objective",
    "pass": "pass",
    "keep": "choose who needs no rest",
}
TABLE = ActionTable(
    [
        Block(name, tuple(moves), tuple(moves.values()), _KINDS[name])
        for name, moves in _BLOCKS.items()
    ]
)

DRAFT = TABLE.start["draft"]
WAGER = TABLE.start["wager"]
RECRUIT = TABLE.start["recruit"]
EXTRA = TABLE.start["extra"]
ACTIVATE = TABLE.start["activate"]
ACTIVATE_PLUS_3 = TABLE.start["activate+3"]
QUILL = TABLE.start["quill"]
BACK = TABLE.start["back"]
COSTUME = TABLE.start["costume"]
SET = TABLE.start["set"]
DONE = TABLE.start["done"]
QUEEN_MONEY = TABLE.start["queen"]
QUEEN_OBJECTIVES = QUEEN_MONEY + 1
OBJECTIVE = TABLE.start["objective"]
PASS = TABLE.start["pass"]
KEEP = TABLE.start["keep"]


def _index_in(chosen: list[int]) -> npt.NDArray[np.int64]:
    """Return the index of every card in `chosen`, int64[card]; -1 where it is not chosen."""
    indices = np.full(t.N_CARDS, -1, np.int64)
    indices[chosen] = range(len(chosen))
    return indices


ACTIVATE_INDEX = _index_in(_CAN_BE_ACTIVATED)
"""int64[card]: index in the blocks `activate` and `keep`; -1 for assistants (Rules T3)."""
PLUS_3_INDEX = _index_in(_CRAFTSMEN)
"""int64[card]: index in the block `activate+3`; -1 for all but craftsmen (Rules T9)."""
ACTIVATE_CARD = np.array(_CAN_BE_ACTIVATED, np.int64)
"""int64[index in `activate` and `keep`]: the card."""
PLUS_3_CARD = np.array(_CRAFTSMEN, np.int64)
"""int64[index in `activate+3`]: the card."""
