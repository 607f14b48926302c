"""The box as arrays: what is printed on cards and boards, indexed by small integers.

Everything here is read once, at import, from the box file (`box.py`); Numba compiles it in as
constants.

Index spaces used by all other files of this game:
    card     a kind of character, 0 .. CARDS-1: first the characters of the board, then those of the
    deck. deck     a kind of character in the deck, 0 .. DECK-1; `card = deck + BOARD`. colour   0
    black, 1 pink, 2 purple, 3 blue, 4 green, 5 yellow. kind     of element: 0 costume, 1 stage set.
    act      0 Act I, 1 Act II, 2 Act III. space    of the stage, 0 .. SPACES-1, in the order of the
    box file. wearer   what a costume can be made for: the actors in card order, then extra 1, extra
    2, ... objective 0 .. OBJECTIVES-1.
"""

from __future__ import annotations

import numpy as np

from shakespeare_env.shakespeare.box import ACTS, COLOURS, KINDS, Power, load_box
from shakespeare_env.shakespeare.box import METRICS as METRIC_NAMES

BOX = load_box()

SEATS = 4
DAYS = 6
COSTUME_SLOTS = 3
N_COLOURS = len(COLOURS)
BLACK, PINK, PURPLE, BLUE, GREEN, YELLOW = range(N_COLOURS)
COSTUME, SET = range(2)
ACT_I, ACT_II, ACT_III = range(len(ACTS))
NEUTRAL = SEATS
"""The row of the neutral disc in tables of discs (solo variant)."""
DISCS = SEATS + 1
CRAFT_COLOURS = 0b011111
"""The colours a craftsman can take, as bits: all but yellow (Rules T10)."""
ALL_MOOD = (-2, 3)
QUEEN_POUNDS = 4
QUEEN_CARDS = 3
GOOD_SCORES = {1: 30.0, 2: 26.0, 3: 24.0, 4: 22.0}
"""The winning score of good play by seats, alone a target to pass (rule book, last page)."""
TARGET_SOLO = int(GOOD_SCORES[1])

# ---- characters ----------------------------------------------------------------------------------
_by_id = {character.id: character for character in BOX.characters}
_board = [_by_id[name] for name in BOX.starting]
_deck = [character for character in BOX.characters if character.id not in BOX.starting]
_cards = _board + _deck

BOARD = len(_board)
CARDS = len(_cards)
DECK = len(_deck)
CARD_IDS = tuple(card.id for card in _cards)
CARD_NAMES = tuple(card.name for card in _cards)
DECK_IDS = tuple(card.id for card in _deck)

ACTOR, COSTUME_MISTRESS, SET_DRESSER, HANDYMAN, JEWELER, ASSISTANT, QUEEN = range(7)
KIND = np.array([KINDS.index(card.kind) for card in _cards], np.int8)
COST = np.array([card.cost for card in _cards], np.int16)
VALUE = np.array([card.value for card in _cards], np.int16)
COPIES = np.array([card.copies for card in _deck], np.int8)
IS_CRAFTSMAN = np.isin(KIND, (COSTUME_MISTRESS, SET_DRESSER, HANDYMAN))
DECK_CARDS = int(COPIES.sum())

EXTRA = CARDS
"""The row of an extra in the tables of costume powers."""
TROUPE = BOARD + 1 + DAYS
"""Most characters a seat can have: the board's, one from the draft, one a day."""


def _powers(powers: list[Power]) -> dict[str, np.ndarray]:
    """Columns of a list of powers, one row each."""
    return {
        "quills": np.array([(power.red, power.gold, power.blue) for power in powers], np.int8),
        **{
            name: np.array([getattr(power, name) for power in powers], np.int16)
            for name in ("white", "mood", "others_mood", "pounds", "prestige")
        },
    }


_activation = _powers([card.activation for card in _cards])
QUILLS, WHITE = _activation["quills"], _activation["white"]
MOOD, OTHERS_MOOD = _activation["mood"], _activation["others_mood"]
POUNDS, PRESTIGE = _activation["pounds"], _activation["prestige"]
TAKE_KIND = np.array(
    [
        COSTUME if c.activation.take_costume else SET if c.activation.take_set else -1
        for c in _cards
    ],
    np.int8,
)
TAKE_COLOUR = np.array(
    [
        COLOURS.index(c.activation.take_costume or c.activation.take_set or COLOURS[0])
        for c in _cards
    ],
    np.int8,
)
_costume = _powers([card.costume_power for card in _cards] + [BOX.extra_power])
COSTUME_QUILLS, COSTUME_WHITE = _costume["quills"], _costume["white"]
COSTUME_POUNDS, COSTUME_PRESTIGE = _costume["pounds"], _costume["prestige"]

# ---- wearers -------------------------------------------------------------------------------------
_actors = [card for card in range(CARDS) if KIND[card] == ACTOR]
ACTORS = len(_actors)
EXTRAS = DAYS
WEARERS = ACTORS + EXTRAS
WEARER_IDS = tuple(CARD_IDS[card] for card in _actors) + tuple(
    f"extra{i + 1}" for i in range(EXTRAS)
)
WEARER_NAMES = tuple(CARD_NAMES[card] for card in _actors) + tuple(
    f"extra {i + 1}" for i in range(EXTRAS)
)
WEARER_OF_CARD = np.full(CARDS, -1, np.int64)
WEARER_OF_CARD[_actors] = range(ACTORS)

# ---- elements ------------------------------------------------------------------------------------
ELEMENT_VALUE = np.array([1, 2, 3, 4, 5, 3], np.int8)
"""Value of an element by colour (Rules T10, yellow: T12)."""
BAG = np.zeros((SEATS + 1, 2, N_COLOURS), np.int8)
"""Elements in the bags at the start: int8[seats, kind, colour].

The row of one seat is that of two. Rules V1.
"""
for _seats in range(1, SEATS + 1):
    for _kind, _name in enumerate(("costumes", "sets")):
        BAG[_seats, _kind] = [BOX.bags[max(_seats, 2)][_name][colour] for colour in COLOURS]
_BEST_COSTUME = COSTUME_SLOTS * int(ELEMENT_VALUE.max())
GAIN_POUNDS = np.zeros(_BEST_COSTUME + 1, np.int16)
GAIN_PRESTIGE = np.zeros(_BEST_COSTUME + 1, np.int16)
for _value, _gain in BOX.costume_gain.items():
    GAIN_POUNDS[_value], GAIN_PRESTIGE[_value] = _gain.pounds, _gain.prestige

# ---- acts ----------------------------------------------------------------------------------------
ACT_LENGTH = np.array(BOX.act_lengths, np.int8)
GREY_SPACES = 3
NEUTRAL_START, NEUTRAL_LATER = 4, 8
ACT_I_POUNDS = ((5, 1), (7, 3), (int(ACT_LENGTH[ACT_I]), 5))
ACT_III_PRESTIGE = ((6, 1), (8, 2), (int(ACT_LENGTH[ACT_III]), 3))
ACT_II_PLACES = (2, 1)

# ---- stage ---------------------------------------------------------------------------------------
SPACES = len(BOX.spaces)
SPACE_IDS = tuple(space.id for space in BOX.spaces)
_space = {space.id: index for index, space in enumerate(BOX.spaces)}
MIRROR = np.array([_space[space.mirror] for space in BOX.spaces], np.int64)
CANDLE = np.array([space.candle for space in BOX.spaces], np.bool_)
SUPPORTS = np.array(
    [sum(1 << _space[under] for under in space.on) for space in BOX.spaces], np.int32
)
"""The spaces that must be filled below each space, as bits; printed elements are left out.

Rules T13.
"""

# ---- objectives ----------------------------------------------------------------------------------
OBJECTIVES = len(BOX.objectives)
OBJECTIVE_IDS = tuple(objective.id for objective in BOX.objectives)
OBJECTIVE_NAMES = tuple(objective.name for objective in BOX.objectives)
(
    FIRST_PLACES,
    COMPLETE_COSTUMES,
    SACRIFICE,
    STAGE_SPACES,
    STAGE_COLOURS,
    BEST_COSTUME,
    LOWEST_ACT,
    YELLOW_ELEMENTS,
    N_ACTORS,
    CRAFTSMEN,
) = range(10)
METRICS = len(METRIC_NAMES)
METRIC = np.array([METRIC_NAMES.index(objective.metric) for objective in BOX.objectives], np.int8)
STEPS = max(len(objective.points) for objective in BOX.objectives)
NEVER = np.iinfo(np.int16).max
STEP_AT = np.full((OBJECTIVES, STEPS), NEVER, np.int16)
"""int16[objective, step].

The value of the metric at which a step is reached, NEVER where there is none.
"""
STEP_PRESTIGE = np.zeros((OBJECTIVES, STEPS), np.int16)
for _index, _objective in enumerate(BOX.objectives):
    for _step, (_at, _points) in enumerate(_objective.points):
        STEP_AT[_index, _step], STEP_PRESTIGE[_index, _step] = _at, _points

# ---- the rest of the board -----------------------------------------------------------------------
START_PRESTIGE = BOX.starting_prestige
TOKENS = BOX.plus3_tokens
WAGERS = 5
