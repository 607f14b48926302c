"""The printed facts of a box file, checked, as arrays indexed by small integers.

They are read at import and compiled in as constants. Index spaces:

    card       characters, 0 .. N_CARDS-1: the board's first, then the deck's; copies share one
    deck       characters of the deck, 0 .. N_DECK-1; `card = deck + N_BOARD`
    colour     0 black, 1 pink, 2 purple, 3 blue, 4 green, 5 yellow
    kind       of element: 0 costume, 1 stage set
    act        0 Act I, 1 Act II, 2 Act III
    space      of the stage, 0 .. N_SPACES-1, in the box's order; of an act, 1 up to its length
    wearer     of a costume: actors in card order, then extra 1, extra 2, ...
    objective  0 .. N_OBJECTIVES-1
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shakespeare_env.checks.box_files import (
    box_in_force,
    checked_box,
    complete_facts,
    parsed_facts_digest,
)
from shakespeare_env.shakespeare.box.facts import (
    ACTS,
    COLOURS,
    KINDS,
    METRIC_NAMES,
    Box,
    Power,
    Steps,
)

_PACKAGE = Path(__file__).parents[1]
BOX_FILE = box_in_force(_PACKAGE, "SHAKESPEARE_BOX")
_FACTS = complete_facts(_PACKAGE, BOX_FILE)
BOX = checked_box(Box, _FACTS, BOX_FILE)
BOX_DIGEST = parsed_facts_digest(_FACTS)

N_SEATS = 4
FIRST_REHEARSAL, N_DAYS = BOX.rehearsals.days
"""Rehearsal days; the second is the game's last (section R)."""
N_SLOTS = 3
"""The number of elements of a complete costume (Rules T12)."""
N_COLOURS = len(COLOURS)
BLACK, PINK, PURPLE, BLUE, GREEN, YELLOW = range(N_COLOURS)
COSTUME, SET = range(2)
ACT_I, ACT_II, ACT_III = range(len(ACTS))
NEUTRAL = N_SEATS
"""Index of the neutral disc, which is in play in solo only (Rules V2)."""
N_DISCS = N_SEATS + 1
CRAFT_COLOURS = 0b011111
"""Bits of the colours a craftsman can take: all but yellow (Rules T10)."""
LOWEST_MOOD = BOX.lowest_mood
HIGHEST_MOOD = BOX.highest_mood
START_PRESTIGE = BOX.starting_prestige
N_CYLINDERS = BOX.cylinders
"""Cylinders of each seat, and the highest wager (Rules W1)."""
N_TOKENS = BOX.plus3_tokens
QUEEN_POUNDS = BOX.queen_pounds
QUEEN_OBJECTIVES = BOX.queen_objectives
GOOD_SCORES = {seats: float(score) for seats, score in BOX.good_scores.items()}
"""The score of a good winner, by number of seats; in solo, the target."""

# ---- what the rule book fixes for every box ------------------------------------------------------
PLUS_3 = 3
"""The value that a token adds to a craftsman (Rules T9)."""
PINK_POUNDS = 1
"""Pounds for a pink stage set (Rules T14)."""
BLUE_MOOD = 2
"""Steps that a blue stage set moves its seat's mood (Rules T14)."""
PURPLE_MOOD = -1
"""Steps that a purple stage set moves every other seat's mood (Rules T14)."""
MOOD_BACK = -1
"""The mood that moves a disc back (Rules M2)."""
MOOD_QUILL = 2
"""The mood that gives a white quill (Rules M2)."""
MOOD_GAINS = {-2: {"prestige": -1}, 1: {"pounds": 1}, 3: {"prestige": 1}}
"""The gains that other moods pay (Rules M2)."""
_gains = [MOOD_GAINS.get(mood, {}) for mood in range(LOWEST_MOOD, HIGHEST_MOOD + 1)]
MOOD_POUNDS = np.array([gain.get("pounds", 0) for gain in _gains], np.int8)
"""int8[mood - LOWEST_MOOD]: pounds that a mood pays."""
MOOD_PRESTIGE = np.array([gain.get("prestige", 0) for gain in _gains], np.int8)
"""int8[mood - LOWEST_MOOD]: prestige that a mood pays."""
UNPAID = -2
"""Prestige for each character not paid (Rules F3)."""
GREY_PRESTIGE = -1
"""Prestige for a disc on a grey space at a rehearsal (Rules R2)."""


# ---- characters ----------------------------------------------------------------------------------
_by_id = {character.id: character for character in BOX.characters}
_board = [_by_id[name] for name in BOX.starting]
_deck = [card for card in BOX.characters if card.id not in BOX.starting]
_cards = [*_board, *_deck]
N_BOARD = len(BOX.starting)
N_CARDS = len(_cards)
N_DECK = N_CARDS - N_BOARD
CARD_IDS = tuple(card.id for card in _cards)
CARD_NAMES = tuple(card.name for card in _cards)
DECK_IDS = tuple(card.id for card in _deck)

ACTOR, COSTUME_MISTRESS, SET_DRESSER, HANDYMAN, JEWELER, ASSISTANT, QUEEN = range(7)
KIND = np.array([KINDS.index(card.kind) for card in _cards], np.int8)
VALUE = np.array([card.value for card in _cards], np.int16)
COST = np.array([card.cost for card in _cards], np.int16)
COPIES = np.array([card.copies for card in _deck], np.int8)
IS_CRAFTSMAN = np.isin(KIND, (COSTUME_MISTRESS, SET_DRESSER, HANDYMAN))
N_DECK_CARDS = int(COPIES.sum())

EXTRA = N_CARDS
"""Row of an extra in the tables of costume powers."""
MAX_TROUPE = N_BOARD + 1 + N_DAYS
"""The largest troupe: the board's characters, one drafted, and one recruited a day."""


def _amounts(powers: Sequence[Power], name: str) -> np.ndarray:
    return np.array([getattr(power, name) for power in powers], np.int16)


def _quills(powers: Sequence[Power]) -> np.ndarray:
    """Return the coloured quills of powers, int8[power, act]."""
    by_act = [_amounts(powers, name) for name in ("red", "gold", "blue")]
    return np.stack(by_act, axis=1).astype(np.int8)


_activations = [card.activation for card in _cards]
QUILLS = _quills(_activations)
WHITE = _amounts(_activations, "white")
MOOD = _amounts(_activations, "mood")
OTHERS_MOOD = _amounts(_activations, "others_mood")
POUNDS = _amounts(_activations, "pounds")
PRESTIGE = _amounts(_activations, "prestige")
TAKE_KIND = np.full(N_CARDS, -1, np.int8)
"""int8[card]: kind of the one element to take, -1 if none (Rules T18)."""
TAKE_COLOUR = np.zeros(N_CARDS, np.int8)
"""int8[card]: colour of that element."""
for _index, _power in enumerate(_activations):
    if _power.take_costume:
        TAKE_KIND[_index] = COSTUME
        TAKE_COLOUR[_index] = COLOURS.index(_power.take_costume)
    elif _power.take_set:
        TAKE_KIND[_index] = SET
        TAKE_COLOUR[_index] = COLOURS.index(_power.take_set)
_costumes = [card.costume_power for card in _cards]
_costumes.append(BOX.extra_power)
COSTUME_QUILLS = _quills(_costumes)
COSTUME_WHITE = _amounts(_costumes, "white")
COSTUME_POUNDS = _amounts(_costumes, "pounds")
COSTUME_PRESTIGE = _amounts(_costumes, "prestige")

# ---- wearers -------------------------------------------------------------------------------------
_actors = [card for card in range(N_CARDS) if KIND[card] == ACTOR]
N_ACTORS = len(_actors)
N_EXTRAS = N_DAYS
N_WEARERS = N_ACTORS + N_EXTRAS
_extras = range(1, N_EXTRAS + 1)
_actor_ids = [CARD_IDS[card] for card in _actors]
_actor_names = [CARD_NAMES[card] for card in _actors]
WEARER_IDS = tuple(_actor_ids + [f"extra{number}" for number in _extras])
WEARER_NAMES = tuple(_actor_names + [f"extra {number}" for number in _extras])
WEARER_OF_CARD = np.full(N_CARDS, -1, np.int64)
WEARER_OF_CARD[_actors] = range(N_ACTORS)

# ---- elements ------------------------------------------------------------------------------------
ELEMENT_VALUE = np.array([BOX.element_values[colour] for colour in COLOURS], np.int8)
"""int8[colour]: value of an element (Rules T10; T12 for yellow)."""

BAG = np.zeros((N_SEATS + 1, 2, N_COLOURS), np.int8)
"""int8[seats, kind, colour]: initial bags; one seat uses those of two (Rules V1)."""
for _seats in range(1, N_SEATS + 1):
    for _kind, _bag in enumerate((BOX.bags["costumes"], BOX.bags["sets"])):
        BAG[_seats, _kind] = [_bag[max(_seats, 2)][colour] for colour in COLOURS]
MOST_ELEMENTS = int(BAG.max())
"""The most elements of one colour and kind."""
_BEST_COSTUME = max(N_SLOTS * int(ELEMENT_VALUE.max()), *BOX.costume_gain)
GAIN_POUNDS = np.zeros(_BEST_COSTUME + 1, np.int16)
GAIN_PRESTIGE = np.zeros(_BEST_COSTUME + 1, np.int16)
for _value, _gain in BOX.costume_gain.items():
    GAIN_POUNDS[_value] = _gain.pounds
    GAIN_PRESTIGE[_value] = _gain.prestige

# ---- acts ----------------------------------------------------------------------------------------
ACT_LENGTH = np.array(BOX.act_lengths, np.int8)
GREY_SPACES = BOX.rehearsals.grey_spaces
NEUTRAL_START = BOX.neutral_start
NEUTRAL_LATER = BOX.neutral_later
ACT_II_PRESTIGE = BOX.rehearsals.act_2_prestige


def _paid(steps: Steps) -> np.ndarray:
    """Return the pay of every space of an act, int16[space]; space 0 is none."""
    paid = np.zeros(int(ACT_LENGTH.max()) + 1, np.int16)
    for first, gain in steps:
        paid[first:] = gain
    return paid


ACT_I_POUNDS = _paid(BOX.pay[ACT_I])
"""int16[space]: pounds for the space reached on Act I (Rules R2)."""
ACT_III_PRESTIGE = _paid(BOX.pay[ACT_III])
"""int16[space]: prestige for the space reached on Act III (Rules R2)."""

# ---- stage ---------------------------------------------------------------------------------------
N_SPACES = len(BOX.spaces)
SPACE_IDS = tuple(space.id for space in BOX.spaces)
_space = {space.id: index for index, space in enumerate(BOX.spaces)}
MIRROR = np.array([_space[space.mirror] for space in BOX.spaces], np.int64)
CANDLE = np.array([space.candle for space in BOX.spaces], np.bool_)
SUPPORTS = np.array(
    [sum(1 << _space[under] for under in space.on) for space in BOX.spaces], np.int32
)
"""int32[space]: bits of the spaces that must be filled below it, printed ones left out (T13)."""

# ---- objectives ----------------------------------------------------------------------------------
N_OBJECTIVES = len(BOX.objectives)
OBJECTIVE_IDS = tuple(objective.id for objective in BOX.objectives)
OBJECTIVE_NAMES = tuple(objective.name for objective in BOX.objectives)
# Metrics, in the order of `METRIC_NAMES`.
FIRST_PLACES, COMPLETE_COSTUMES, SACRIFICE, STAGE_SPACES, STAGE_COLOURS = range(5)
BEST_COSTUME, LOWEST_ACT, YELLOW_ELEMENTS, ACTORS_HIRED, CRAFTSMEN_HIRED = range(5, 10)
N_METRICS = len(METRIC_NAMES)
METRIC = np.array([METRIC_NAMES.index(objective.metric) for objective in BOX.objectives], np.int8)
N_STEPS = max(len(objective.points) for objective in BOX.objectives)
NEVER = np.iinfo(np.int16).max
"""A threshold that no metric reaches."""
STEP_AT = np.full((N_OBJECTIVES, N_STEPS), NEVER, np.int16)
"""int16[objective, step]: value of the metric that reaches the step; NEVER past the last one."""
STEP_PRESTIGE = np.zeros((N_OBJECTIVES, N_STEPS), np.int16)
"""int16[objective, step]: prestige for the step."""
for _objective, _card in enumerate(BOX.objectives):
    for _step, (_at, _points) in enumerate(_card.points):
        STEP_AT[_objective, _step] = _at
        STEP_PRESTIGE[_objective, _step] = _points
MOST_COUNTED = 127
"""The greatest value of a metric in tables; greater ones reach no further step."""
OBJECTIVE_PRESTIGE = np.zeros((N_OBJECTIVES, MOST_COUNTED + 1), np.int8)
"""int8[objective, value]: prestige for the highest step that a value of the metric reaches."""
for _objective, _card in enumerate(BOX.objectives):
    for _at, _points in _card.points:
        OBJECTIVE_PRESTIGE[_objective, _at:] = _points
