"""The worth of things to a seat of Shakespeare, in prestige: a beginner's rough figures.

Every function takes the deciding seat's observation, int8[D].
"""

from __future__ import annotations

from typing import Any

from shakespeare_agents.heuristics import shakespeare_spaces as spaces
from shakespeare_env.compile.decorators import rule
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import METRIC_NAMES
from shakespeare_env.shakespeare.record import layout as at
from shakespeare_env.shakespeare.state import OVER

YELLOW_METRIC = METRIC_NAMES.index("yellow_elements")
NEEDED_POUND, SPARE_POUND = 0.6, 0.15
"""A pound for wages saves part of an unpaid character's 2 prestige (Rules F3)."""
TOKEN = 0.7
CRAFT = 0.33
"""A point of craft value while there is something to take."""
ELEMENT_PRICE = 0.1
"""The worth of what a point of craft value could have bought instead."""
REST_PRICE = 0.25
"""Every character activated after the first rests the next day (Rules P2)."""

CYLINDER = 1.0
"""The worth of a cylinder still to be placed today."""


@rule
def day_of(seen: Any) -> int:
    """The day, 1 to 6."""
    day = 1
    while day < t.N_DAYS and not seen[at.DAY + day - 1]:
        day += 1
    return day


@rule
def rehearsals(seen: Any) -> int:
    """Dress rehearsals left, including today's."""
    days_left = t.N_DAYS - day_of(seen)
    return 1 if seen[at.TO_REHEARSAL] >= days_left else 2


@rule
def pound(seen: Any) -> float:
    """One more pound."""
    return NEEDED_POUND if seen[at.WAGES] > seen[at.POUNDS] else SPARE_POUND


@rule
def advance(seen: Any, act: int) -> float:
    """An act's next space, over all rehearsals left."""
    space = int(seen[at.ACT_SPACE + act])
    if space >= t.ACT_LENGTH[act]:
        return 0.0
    gain = spaces.ACT_WORTH[act, space + 1] - spaces.ACT_WORTH[act, space]
    if act == t.ACT_II:
        # Two places are paid, and a lead must be defended.
        gain += 0.3 if 0 < seen[at.ACT_AHEAD + act] <= 2 else 0.1
    return gain * rehearsals(seen)


@rule
def best_advance(seen: Any) -> float:
    """One white quill (Rules T6)."""
    return max(advance(seen, t.ACT_I), advance(seen, t.ACT_II), advance(seen, t.ACT_III))


@rule
def mood(seen: Any, steps: int) -> float:
    """Steps of mood, given the purple elements on display (Rules M1)."""
    now = int(seen[at.MOOD]) - int(seen[at.DISPLAY + t.N_COLOURS + t.PURPLE])
    return spaces.mood(now + steps) - spaces.mood(now)


@rule
def quills(seen: Any, coloured: Any, white: int) -> float:
    """Coloured quills, int8[act], and white ones."""
    worth = white * best_advance(seen)
    for act in range(3):
        worth += coloured[act] * advance(seen, act)
    return worth


@rule
def elements_on_display(seen: Any, kind: int) -> int:
    """Elements a craftsman could take."""
    count = 0
    for colour in range(t.N_COLOURS):
        if t.CRAFT_COLOURS >> colour & 1:
            count += seen[at.DISPLAY + kind * t.N_COLOURS + colour]
    return count


@rule
def craft(seen: Any, card: int, extra_value: int) -> float:
    """A craftsman's work, with added value (Rules T9)."""
    value = int(t.VALUE[card]) + extra_value
    for other in range(t.N_CARDS):
        if t.KIND[other] == t.ASSISTANT:
            value += seen[at.CARDS + other]
    things = 0
    if t.KIND[card] != t.SET_DRESSER:
        things += elements_on_display(seen, t.COSTUME)
    if t.KIND[card] != t.COSTUME_MISTRESS:
        things += elements_on_display(seen, t.SET)
    return CRAFT * min(value, 3 * things)


@rule
def activation(seen: Any, card: int) -> float:
    """A character's power now (Rules T3)."""
    kind = t.KIND[card]
    if t.IS_CRAFTSMAN[card]:
        return craft(seen, card, 0)
    if kind == t.JEWELER:
        yellow = seen[at.DISPLAY + t.YELLOW] + seen[at.DISPLAY + t.N_COLOURS + t.YELLOW]
        return 1.4 if yellow > 0 else 0.0
    if kind == t.QUEEN:
        return max(t.QUEEN_POUNDS * pound(seen), objectives(seen))
    worth = quills(seen, t.QUILLS[card], t.WHITE[card])
    worth += mood(seen, t.MOOD[card]) - 0.2 * t.OTHERS_MOOD[card]
    worth += t.POUNDS[card] * pound(seen) + t.PRESTIGE[card]
    return worth + (1.0 if t.TAKE_KIND[card] >= 0 else 0.0)


@rule
def objectives(seen: Any) -> float:
    """Keeping one of three objectives (Rules T17)."""
    if seen[at.PILE] == 0:
        return 0.0
    return 1.5 if day_of(seen) <= 4 and seen[at.OBJECTIVES_HELD] < 3 else 0.8


@rule
def costume_power(seen: Any, wearer: int) -> float:
    """A complete costume over the rehearsals left (Rules R1)."""
    row = t.EXTRA
    for card in range(t.N_CARDS):
        if t.WEARER_OF_CARD[card] == wearer:
            row = card
    worth = quills(seen, t.COSTUME_QUILLS[row], t.COSTUME_WHITE[row])
    worth += rehearsals(seen) * (t.COSTUME_PRESTIGE[row] + t.COSTUME_POUNDS[row] * pound(seen))
    return worth


@rule
def costume(seen: Any, wearer: int, elements: int, value: int) -> float:
    """A costume in any state (Rules T12)."""
    if elements == 0:
        return 0.0
    missing = t.N_SLOTS - elements
    final = min(value + 3 * missing, t.GAIN_PRESTIGE.shape[0] - 1)
    worth = t.GAIN_PRESTIGE[final] + t.GAIN_POUNDS[final] * pound(seen)
    worth += costume_power(seen, wearer)
    if missing == 0:
        return worth
    hope = 0.55 if missing == 1 else 0.25
    return worth * (hope if day_of(seen) < t.N_DAYS else 0.4 * hope)


@rule
def character(seen: Any, card: int) -> float:
    """A new character, to the end of the game."""
    uses = 0.3 + 0.5 * (t.N_DAYS + 1 - day_of(seen))
    worth = -t.COST[card] * NEEDED_POUND
    if t.KIND[card] == t.ASSISTANT:
        for other in range(t.N_CARDS):
            if t.IS_CRAFTSMAN[other]:
                worth += 0.6 * CRAFT * uses * seen[at.CARDS + other]
        return worth
    # It replaces another character that would have been activated.
    worth += uses * max(activation(seen, card) - 0.5, 0.0)
    if t.WEARER_OF_CARD[card] >= 0:
        worth += 0.5 * costume_power(seen, t.WEARER_OF_CARD[card])
    return worth


@rule
def extra(seen: Any) -> float:
    """A new extra: free, one more to dress (Rules T2)."""
    makers = 0
    for card in range(t.N_CARDS):
        if t.KIND[card] == t.COSTUME_MISTRESS or t.KIND[card] == t.HANDYMAN:
            makers += seen[at.CARDS + card]
    return min(makers, 3) * 0.3 + 0.4 * costume_power(seen, t.N_ACTORS)


@rule
def savings(seen: Any) -> float:
    """Pounds against wages due (Rules F3)."""
    pounds, wages = int(seen[at.POUNDS]), int(seen[at.WAGES])
    return NEEDED_POUND * (min(pounds, wages) - wages) + SPARE_POUND * max(pounds - wages, 0)


@rule
def acts(seen: Any) -> float:
    """The seat's three discs."""
    worth = 0.0
    for act in range(3):
        worth += spaces.ACT_WORTH[act, seen[at.ACT_SPACE + act]]
    for place in range(len(t.ACT_II_PRESTIGE)):
        if seen[at.ACT_AHEAD + t.ACT_II] == place:
            worth += 0.6 * t.ACT_II_PRESTIGE[place]
    return worth * rehearsals(seen)


@rule
def wardrobe(seen: Any) -> float:
    """All costumes, begun and complete."""
    worth = 0.0
    for wearer in range(t.N_WEARERS):
        elements = int(seen[at.ELEMENTS + wearer])
        if elements == t.N_SLOTS:
            worth += costume_power(seen, wearer)
        elif elements > 0:
            worth += costume(seen, wearer, elements, int(seen[at.VALUES + wearer]))
    return worth


@rule
def troupe(seen: Any) -> float:
    """The characters' days to come."""
    uses = 0.5 * (t.N_DAYS - day_of(seen))
    worth = 0.4 * extra(seen) * seen[at.EXTRAS]
    for card in range(t.N_CARDS):
        if seen[at.CARDS + card] > 0:
            worth += uses * seen[at.CARDS + card] * max(activation(seen, card) - 0.5, 0.0)
            worth -= 0.5 * REST_PRICE * seen[at.ACTIVE + card]
    return worth


@rule
def day(seen: Any) -> float:
    """The rest of today, and what the current action has opened."""
    worth = 0.0
    if not seen[at.PASSED]:
        worth += CYLINDER * seen[at.CYLINDERS]
        if not seen[at.RECRUITED]:
            worth += 1.0
    if seen[at.TO_MOVE]:
        worth += seen[at.QUILLS] * best_advance(seen) + 0.8 * CRAFT * seen[at.CRAFT]
    return worth


@rule
def position(seen: Any) -> float:
    """A seat's standing."""
    worth = float(seen[at.PRESTIGE])
    if seen[at.PHASE + OVER]:
        return worth
    worth += seen[at.METRICS + YELLOW_METRIC] + TOKEN * seen[at.TOKENS]
    for space in range(t.N_SPACES):
        for colour in range(t.N_COLOURS):
            if seen[at.STAGE + space * t.N_COLOURS + colour]:
                worth += 0.3 * spaces.ENABLED[space] + 0.2
    for card in range(t.N_OBJECTIVES):
        if seen[at.OWN + card]:
            worth += 0.8 + seen[at.OWN_REWARD + card]
    purple = int(seen[at.DISPLAY + t.N_COLOURS + t.PURPLE])
    worth += spaces.mood(int(seen[at.MOOD]) - purple)
    worth += savings(seen) + acts(seen) + wardrobe(seen) + troupe(seen) + day(seen)
    return worth
