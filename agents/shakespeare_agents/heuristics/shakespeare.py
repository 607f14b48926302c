"""The heuristic for Shakespeare: a careful beginner, who judges moves by their worth in prestige.

It follows the advice on the rule book's last page: wager as many cylinders as are useful, recruit
characters that will be used, finish costumes before rehearsals, build towards candles, and save for
wages. All numbers are a beginner's rough guesses.

In all functions, `seen` is the deciding seat's observation, int8[D]. It begins with this seat's own
numbers, so `SEAT_AT` without a further offset refers to them. "Rules F3" and the like refer to
the lines of `shakespeare_env/shakespeare/RULES.md`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from shakespeare_agents.heuristics.best_action import BestAction, HeuristicEvaluator
from shakespeare_env.compile.decorators import rule
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import METRIC_NAMES
from shakespeare_env.shakespeare.record.layout import SEAT_AT, TABLE_AT
from shakespeare_env.shakespeare.state import OVER

_OWNER = "heuristic-shakespeare"
YELLOW_METRIC = METRIC_NAMES.index("yellow_elements")
# The worths of things, in prestige:
NEEDED_POUND = 0.6  # a pound for wages saves part of an unpaid character's 2 prestige (Rules F3)
SPARE_POUND = 0.15  # a pound beyond the wages
TOKEN = 0.7  # a "+3" token
CRAFT = 0.33  # a point of craft value, while there are elements to take
ELEMENT_PRICE = 0.1  # a point of craft value, which could have bought another element
REST_PRICE = 0.25  # every character activated after the first rests the next day (Rules P2)
CYLINDER = 1.0  # a cylinder that can still be placed today
MOOD = np.array([-1.0, -0.6, 0.0, 0.3, 0.6, 1.0])
"""float64[space]: the worth of each mood, from the lowest up (Rules M2)."""


def _act_worth() -> np.ndarray:
    """Return the worth of a disc in one rehearsal (Rules R2), float64[act, space].

    It is linear between the spaces at which the reward changes, so that an advance towards a higher
    reward is worth something, too.
    """
    longest = int(t.ACT_LENGTH.max())
    worth = np.zeros((3, longest + 2))
    for act, steps in enumerate(t.BOX.pay):
        unit = 0.5 if act == t.ACT_I else 1.0  # Act I pays pounds, the others prestige
        worth_at = {1: -1.0, t.GREY_SPACES + 1: 0.0}
        worth_at |= {space: unit * gain for space, gain in steps}
        if act == t.ACT_II:
            # Act II pays by rank and not by space, but a high space makes a high rank likely.
            worth_at[int(t.ACT_LENGTH[act])] = 1.5
        spaces = sorted(worth_at)
        values = [worth_at[space] for space in spaces]
        worth[act] = np.interp(np.arange(longest + 2), spaces, values)
    return worth


def _candles_above() -> np.ndarray:
    """Count the candles that rest on a space, directly or indirectly (Rules T13), int64[space]."""
    # rests_on[space, below] is 1 if `space` rests on `below`, at first only directly.
    rests_on = t.SUPPORTS[:, None] >> np.arange(t.N_SPACES) & 1
    for middle in range(t.N_SPACES):  # Warshall's transitive closure
        rests_on |= rests_on[:, middle, None] & rests_on[middle]
    return t.CANDLE.astype(np.int64) @ rests_on


ACT_WORTH = _act_worth()
CANDLES_ABOVE = _candles_above()


@rule
def mood_at(space: int) -> float:
    """Return the worth of a mood. Beyond the track's ends it is that of the last space."""
    return MOOD[min(max(space, t.LOWEST_MOOD), t.HIGHEST_MOOD) - t.LOWEST_MOOD]


@rule
def day_of(seen: Any) -> int:
    """Return the day, 1 to 6."""
    day = 1
    while day < t.N_DAYS and not seen[TABLE_AT.day + day - 1]:
        day += 1
    return day


@rule
def rehearsals(seen: Any) -> int:
    """Return how many dress rehearsals are left, including today's."""
    days_left = t.N_DAYS - day_of(seen)
    # There are two. The second is on the last day: if none comes before that, one is left.
    return 1 if seen[TABLE_AT.days_to_rehearsal] >= days_left else 2


@rule
def pound(seen: Any) -> float:
    """Return the worth of one more pound."""
    return NEEDED_POUND if seen[SEAT_AT.wages] > seen[SEAT_AT.pounds] else SPARE_POUND


@rule
def advance(seen: Any, act: int) -> float:
    """Return the worth of an act's next space over all rehearsals left."""
    space = int(seen[SEAT_AT.act_space + act])
    if space >= t.ACT_LENGTH[act]:
        return 0.0
    gain = ACT_WORTH[act, space + 1] - ACT_WORTH[act, space]
    if act == t.ACT_II:
        # The first two places are paid. A seat with one or two others ahead may climb to such a
        # place. A leader (none ahead) can only defend the lead, which is worth less.
        gain += 0.3 if 0 < seen[SEAT_AT.act_ahead + act] <= 2 else 0.1
    return gain * rehearsals(seen)


@rule
def best_advance(seen: Any) -> float:
    """Return the worth of one white quill (Rules T6)."""
    return max(advance(seen, t.ACT_I), advance(seen, t.ACT_II), advance(seen, t.ACT_III))


@rule
def mood(seen: Any, steps: int) -> float:
    """Return the worth of steps of mood, given the purple elements on display (Rules M1)."""
    now = int(seen[SEAT_AT.mood]) - int(seen[TABLE_AT.display + t.N_COLOURS + t.PURPLE])
    return mood_at(now + steps) - mood_at(now)


@rule
def quills(seen: Any, coloured: Any, white: int) -> float:
    """Return the worth of coloured quills, int8[act], and white ones."""
    worth = white * best_advance(seen)
    for act in range(3):
        worth += coloured[act] * advance(seen, act)
    return worth


@rule
def elements_on_display(seen: Any, kind: int) -> int:
    """Return how many elements of a kind a craftsman could take."""
    count = 0
    for colour in range(t.N_COLOURS):
        if t.CRAFT_COLOURS >> colour & 1:
            count += seen[TABLE_AT.display + kind * t.N_COLOURS + colour]
    return count


@rule
def craft(seen: Any, card: int, extra_value: int) -> float:
    """Return the worth of a craftsman's work, with `extra_value` points of craft (Rules T9)."""
    value = int(t.VALUE[card]) + extra_value
    for other in range(t.N_CARDS):
        if t.KIND[other] == t.ASSISTANT:
            value += seen[SEAT_AT.cards + other]
    elements = 0
    if t.KIND[card] != t.SET_DRESSER:
        elements += elements_on_display(seen, t.COSTUME)
    if t.KIND[card] != t.COSTUME_MISTRESS:
        elements += elements_on_display(seen, t.SET)
    return CRAFT * min(value, 3 * elements)  # an element costs about 3 points of craft value


@rule
def activation(seen: Any, card: int) -> float:
    """Return the worth of a character's power now (Rules T3)."""
    kind = t.KIND[card]
    if t.IS_CRAFTSMAN[card]:
        return craft(seen, card, 0)
    if kind == t.JEWELER:
        yellow = seen[TABLE_AT.display + t.YELLOW] + seen[TABLE_AT.display + t.N_COLOURS + t.YELLOW]
        return 1.4 if yellow > 0 else 0.0
    if kind == t.QUEEN:
        return max(t.QUEEN_POUNDS * pound(seen), objectives(seen))
    worth = quills(seen, t.QUILLS[card], t.WHITE[card])
    worth += mood(seen, t.MOOD[card]) - 0.2 * t.OTHERS_MOOD[card]
    worth += t.POUNDS[card] * pound(seen) + t.PRESTIGE[card]
    return worth + (1.0 if t.TAKE_KIND[card] >= 0 else 0.0)


@rule
def objectives(seen: Any) -> float:
    """Return the worth of keeping one of three objectives (Rules T17)."""
    if seen[TABLE_AT.objective_deck] == 0:
        return 0.0
    return 1.5 if day_of(seen) <= 4 and seen[SEAT_AT.objectives] < 3 else 0.8


@rule
def costume_power(seen: Any, wearer: int) -> float:
    """Return the worth of a complete costume over the rehearsals left (Rules R1)."""
    row = t.EXTRA  # the row of all extras in the tables, replaced below if an actor wears it
    for card in range(t.N_CARDS):
        if t.WEARER_OF_CARD[card] == wearer:
            row = card
    worth = quills(seen, t.COSTUME_QUILLS[row], t.COSTUME_WHITE[row])
    worth += rehearsals(seen) * (t.COSTUME_PRESTIGE[row] + t.COSTUME_POUNDS[row] * pound(seen))
    return worth


@rule
def costume_worth(seen: Any, wearer: int, elements: int, value: int) -> float:
    """Return the worth of a costume, which may be incomplete (Rules T12).

    Args:
        seen: The observation.
        wearer: The wearer.
        elements: The number of the costume's elements.
        value: The sum of their values.
    """
    if elements == 0:
        return 0.0
    missing = t.N_SLOTS - elements
    final = min(value + 3 * missing, t.GAIN_PRESTIGE.shape[0] - 1)
    worth = t.GAIN_PRESTIGE[final] + t.GAIN_POUNDS[final] * pound(seen)
    worth += costume_power(seen, wearer)
    if missing == 0:
        return worth
    chance = 0.55 if missing == 1 else 0.25
    return worth * (chance if day_of(seen) < t.N_DAYS else 0.4 * chance)


@rule
def character(seen: Any, card: int) -> float:
    """Return the worth of a new character until the end of the game."""
    uses = 0.3 + 0.5 * (t.N_DAYS + 1 - day_of(seen))
    worth = -t.COST[card] * NEEDED_POUND
    if t.KIND[card] == t.ASSISTANT:
        for other in range(t.N_CARDS):
            if t.IS_CRAFTSMAN[other]:
                worth += 0.6 * CRAFT * uses * seen[SEAT_AT.cards + other]
        return worth
    # Each use takes the place of another character's activation, which is worth about 0.5.
    worth += uses * max(activation(seen, card) - 0.5, 0.0)
    if t.WEARER_OF_CARD[card] >= 0:
        worth += 0.5 * costume_power(seen, t.WEARER_OF_CARD[card])
    return worth


@rule
def extra(seen: Any) -> float:
    """Return the worth of a new extra, who costs nothing and can be dressed (Rules T2)."""
    tailors = 0
    for card in range(t.N_CARDS):
        if t.KIND[card] == t.COSTUME_MISTRESS or t.KIND[card] == t.HANDYMAN:
            tailors += seen[SEAT_AT.cards + card]
    first_extra = t.N_ACTORS  # wearers are the actors, then the extras
    return min(tailors, 3) * 0.3 + 0.4 * costume_power(seen, first_extra)


@rule
def savings(seen: Any) -> float:
    """Return the worth of pounds, given the wages due (Rules F3)."""
    pounds = int(seen[SEAT_AT.pounds])
    wages = int(seen[SEAT_AT.wages])
    return NEEDED_POUND * (min(pounds, wages) - wages) + SPARE_POUND * max(pounds - wages, 0)


@rule
def acts(seen: Any) -> float:
    """Return the worth of the seat's three discs."""
    worth = 0.0
    for act in range(3):
        worth += ACT_WORTH[act, seen[SEAT_AT.act_space + act]]
    for place in range(len(t.ACT_II_PRESTIGE)):
        if seen[SEAT_AT.act_ahead + t.ACT_II] == place:
            worth += 0.6 * t.ACT_II_PRESTIGE[place]
    return worth * rehearsals(seen)


@rule
def wardrobe(seen: Any) -> float:
    """Return the worth of all costumes, begun and complete."""
    worth = 0.0
    for wearer in range(t.N_WEARERS):
        elements = int(seen[SEAT_AT.costume_elements + wearer])
        if elements == t.N_SLOTS:
            worth += costume_power(seen, wearer)
        elif elements > 0:
            worth += costume_worth(
                seen, wearer, elements, int(seen[SEAT_AT.costume_value + wearer])
            )
    return worth


@rule
def troupe(seen: Any) -> float:
    """Return the worth of the characters on the days to come."""
    uses = 0.5 * (t.N_DAYS - day_of(seen))
    worth = 0.4 * extra(seen) * seen[SEAT_AT.extras]
    for card in range(t.N_CARDS):
        if seen[SEAT_AT.cards + card] > 0:
            worth += uses * seen[SEAT_AT.cards + card] * max(activation(seen, card) - 0.5, 0.0)
            worth -= 0.5 * REST_PRICE * seen[SEAT_AT.active + card]
    return worth


@rule
def day(seen: Any) -> float:
    """Return the worth of the rest of today, and of quills and craft value still to be used."""
    worth = 0.0
    if not seen[SEAT_AT.passed]:
        worth += CYLINDER * seen[SEAT_AT.cylinders]
        if not seen[SEAT_AT.recruited]:
            worth += 1.0
    if seen[SEAT_AT.to_move]:
        worth += (
            seen[TABLE_AT.quills] * best_advance(seen) + 0.8 * CRAFT * seen[TABLE_AT.craft_value]
        )
    return worth


@rule
def position(seen: Any) -> float:
    """Return the worth of a seat's position."""
    worth = float(seen[SEAT_AT.prestige])
    if seen[TABLE_AT.phase + OVER]:
        return worth
    worth += seen[SEAT_AT.metrics + YELLOW_METRIC] + TOKEN * seen[SEAT_AT.tokens]
    for space in range(t.N_SPACES):
        for colour in range(t.N_COLOURS):
            if seen[SEAT_AT.stage + space * t.N_COLOURS + colour]:
                worth += 0.3 * CANDLES_ABOVE[space] + 0.2
    for card in range(t.N_OBJECTIVES):
        if seen[TABLE_AT.own_objectives + card]:
            worth += 0.8 + seen[TABLE_AT.own_reward + card]
    purple = int(seen[TABLE_AT.display + t.N_COLOURS + t.PURPLE])
    worth += mood_at(int(seen[SEAT_AT.mood]) - purple)
    worth += savings(seen) + acts(seen) + wardrobe(seen) + troupe(seen) + day(seen)
    return worth


@rule
def wager(seen: Any, cylinders: int) -> float:
    """Return the worth of a wager. One cylinder for each useful character is best (Rules W1)."""
    useful = 1  # the character that will be recruited
    for card in range(t.N_CARDS):
        free = int(seen[SEAT_AT.cards + card]) - int(seen[SEAT_AT.resting + card])
        if free > 0 and a.ACTIVATE_INDEX[card] >= 0 and activation(seen, card) > 0.8:
            useful += free
    return -abs(cylinders - min(max(useful, 2), t.N_CYLINDERS - 1))


@rule
def stage_set(seen: Any, colour: int, space: int) -> float:
    """Return the worth of a set element: of its candle, the candles above it, and its colour."""
    worth = 0.3 * CANDLES_ABOVE[space] - ELEMENT_PRICE * t.ELEMENT_VALUE[colour]
    if t.CANDLE[space]:
        worth += 1.0
    if colour == t.PINK:
        worth += pound(seen)
    elif colour == t.PURPLE:
        worth += 0.3
    elif colour == t.BLUE:
        worth += mood(seen, 2)
    elif colour == t.GREEN and seen[TABLE_AT.supply_tokens] > 0:
        worth += TOKEN
    elif colour == t.YELLOW:
        worth += 1.0
    return worth + 0.2


@rule
def costume(seen: Any, colour: int, wearer: int) -> float:
    """Return the worth that an element adds to a costume."""
    elements = int(seen[SEAT_AT.costume_elements + wearer])
    value = int(seen[SEAT_AT.costume_value + wearer])
    worth = costume_worth(seen, wearer, elements + 1, value + t.ELEMENT_VALUE[colour])
    worth -= costume_worth(seen, wearer, elements, value)
    worth -= ELEMENT_PRICE * t.ELEMENT_VALUE[colour]
    return worth + (1.0 if colour == t.YELLOW else 0.0)


@rule
def score(seen: Any, action: int) -> float:
    """Return the worth of an action, comparable within a decision.

    Blocks of actions are tested in ascending order. In every condition `action < a.NEXT`, `a.NEXT`
    is the first action of the next block.
    """
    if action < a.WAGER:  # draft a character at setup
        return character(seen, t.N_BOARD + action)
    if action < a.RECRUIT:  # wager cylinders
        return wager(seen, action - a.WAGER + 1)
    if action < a.EXTRA:  # recruit a character
        return 1.0 + character(seen, t.N_BOARD + action - a.RECRUIT)
    if action < a.ACTIVATE:  # take a character as an extra
        return 1.0 + extra(seen)
    if action < a.QUILL:  # activate a character, maybe with a "+3" token
        rest = REST_PRICE if seen[SEAT_AT.cylinders_used] > 0 else 0.0
        if action < a.ACTIVATE_PLUS_3:
            return activation(seen, a.ACTIVATE_CARD[action - a.ACTIVATE]) - rest
        return craft(seen, a.PLUS_3_CARD[action - a.ACTIVATE_PLUS_3], 3) - rest - TOKEN
    if action < a.BACK:  # advance on an act
        return advance(seen, action - a.QUILL)
    if action < a.COSTUME:  # move back on an act
        act = action - a.BACK
        space = int(seen[SEAT_AT.act_space + act])
        return ACT_WORTH[act, space - 1] - ACT_WORTH[act, space]
    if action < a.SET:  # take a costume element
        colour, wearer = divmod(action - a.COSTUME, t.N_WEARERS)
        return costume(seen, colour, wearer)
    if action < a.DONE:  # take a stage set element
        colour, space = divmod(action - a.SET, t.N_SPACES)
        return stage_set(seen, colour, space)
    if action == a.DONE:
        return 0.05
    if action == a.QUEEN_MONEY:
        return t.QUEEN_POUNDS * pound(seen)
    if action == a.QUEEN_OBJECTIVES:
        return objectives(seen)
    if action < a.PASS:  # keep an objective
        card = action - a.OBJECTIVE
        return seen[TABLE_AT.own_reward + card] + 1.0 / (1.0 + seen[TABLE_AT.own_to_step + card])
    if action == a.PASS:
        return 0.0
    # What is left are the actions that keep a character free of a rest token.
    return activation(seen, a.ACTIVATE_CARD[action - a.KEEP])


evaluate = HeuristicEvaluator(_OWNER, position)
"""Evaluate positions in prestige: int8[n, D] -> float64[n]."""
HeuristicAgent = partial(BestAction, _OWNER, score)
"""Make the agent `heuristic` for Shakespeare."""
