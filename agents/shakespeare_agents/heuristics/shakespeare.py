"""A careful beginner at Shakespeare, who judges decisions by their immediate worth.

After the rule book's last page: wager for what there is to do, recruit who will be used, finish
costumes before rehearsals, build towards candles, save for wages.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from shakespeare_agents.heuristics import shakespeare_spaces as spaces
from shakespeare_agents.heuristics import shakespeare_worth as w
from shakespeare_agents.heuristics.best_action import BestAction, evaluation
from shakespeare_env.compile.decorators import rule
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.record import layout as at

_OWNER = "heuristic-shakespeare"
_DONE = 0.05


@rule
def wager(seen: Any, cylinders: int) -> float:
    """One cylinder per character worth it (Rules W1)."""
    useful = 1  # the character still to be recruited
    for card in range(t.N_CARDS):
        free = int(seen[at.CARDS + card]) - int(seen[at.RESTING + card])
        if free > 0 and a.ACTIVATE_INDEX[card] >= 0 and w.activation(seen, card) > 0.8:
            useful += free
    return -abs(cylinders - min(max(useful, 2), t.N_CYLINDERS - 1))


@rule
def stage_set(seen: Any, colour: int, space: int) -> float:
    """A set element: its candle, those above, its colour."""
    worth = 0.3 * spaces.ENABLED[space] - w.ELEMENT_PRICE * t.ELEMENT_VALUE[colour]
    if t.CANDLE[space]:
        worth += 1.0
    if colour == t.PINK:
        worth += w.pound(seen)
    elif colour == t.PURPLE:
        worth += 0.3
    elif colour == t.BLUE:
        worth += w.mood(seen, 2)
    elif colour == t.GREEN and seen[at.SUPPLY] > 0:
        worth += w.TOKEN
    elif colour == t.YELLOW:
        worth += 1.0
    return worth + 0.2


@rule
def costume(seen: Any, colour: int, wearer: int) -> float:
    """What an element adds to a costume."""
    elements, value = int(seen[at.ELEMENTS + wearer]), int(seen[at.VALUES + wearer])
    worth = w.costume(seen, wearer, elements + 1, value + t.ELEMENT_VALUE[colour])
    worth -= w.costume(seen, wearer, elements, value)
    worth -= w.ELEMENT_PRICE * t.ELEMENT_VALUE[colour]
    return worth + (1.0 if colour == t.YELLOW else 0.0)


@rule
def score(seen: Any, action: int) -> float:
    """An action's worth, comparable within a decision."""
    if action < a.WAGER:
        return w.character(seen, t.N_BOARD + action)
    if action < a.RECRUIT:
        return wager(seen, action - a.WAGER + 1)
    if action < a.EXTRA:
        return 1.0 + w.character(seen, t.N_BOARD + action - a.RECRUIT)
    if action < a.ACTIVATE:
        return 1.0 + w.extra(seen)
    if action < a.QUILL:
        tired = w.REST_PRICE if seen[at.USED] > 0 else 0.0
        if action < a.ACTIVATE_PLUS_3:
            return w.activation(seen, a.ACTIVATE_CARD[action - a.ACTIVATE]) - tired
        return w.craft(seen, a.PLUS_3_CARD[action - a.ACTIVATE_PLUS_3], 3) - tired - w.TOKEN
    if action < a.BACK:
        return w.advance(seen, action - a.QUILL)
    if action < a.COSTUME:
        act = action - a.BACK
        space = int(seen[at.ACT_SPACE + act])
        return spaces.ACT_WORTH[act, space - 1] - spaces.ACT_WORTH[act, space]
    if action < a.SET:
        colour, wearer = divmod(action - a.COSTUME, t.N_WEARERS)
        return costume(seen, colour, wearer)
    if action < a.DONE:
        colour, space = divmod(action - a.SET, t.N_SPACES)
        return stage_set(seen, colour, space)
    if action == a.DONE:
        return _DONE
    if action == a.QUEEN_MONEY:
        return t.QUEEN_POUNDS * w.pound(seen)
    if action == a.QUEEN_OBJECTIVES:
        return w.objectives(seen)
    if action < a.PASS:
        card = action - a.OBJECTIVE
        return seen[at.OWN_REWARD + card] + 1.0 / (1.0 + seen[at.OWN_TO_STEP + card])
    if action == a.PASS:
        return 0.0
    return w.activation(seen, a.ACTIVATE_CARD[action - a.KEEP])


evaluate = evaluation(_OWNER, w.position)
"""Standings in prestige: int8[n, D] -> float64[n]."""
HeuristicAgent = partial(BestAction, _OWNER, score)
"""Makes a careful beginner."""
