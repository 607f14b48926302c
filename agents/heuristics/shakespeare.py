"""A careful beginner at Shakespeare: every decision by what it is worth at once, and no further.

The strategy of the rule book's last page: wager by what there is to do, recruit what will be used,
finish costumes before rehearsals, build towards candles, save for the wages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.heuristics import worth as w
from shakespeare_env.compiled import digest_of, kernel, rule
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare import layout as at
from shakespeare_env.shakespeare import tables as t

# The machine code is kept under the engine's digest; these two files are no part of that.
_OWNER = "heuristic-" + digest_of([Path(__file__), Path(w.__file__)])
_DONE = 0.05
_TIE = 1e-9


@rule
def wager(seen: Any, cylinders: int) -> float:
    """As many cylinders as there are characters worth one (Rules W1)."""
    useful = 1  # the character still to be recruited
    for card in range(t.CARDS):
        free = int(seen[at.CARDS + card]) - int(seen[at.RESTING + card])
        if free > 0 and a.ACTIVATE_INDEX[card] >= 0 and w.activation(seen, card) > 0.8:
            useful += free
    return -abs(cylinders - min(max(useful, 2), t.WAGERS - 1))


@rule
def stage_set(seen: Any, colour: int, space: int) -> float:
    """A stage set element: the candle under it, those above it and what its colour does."""
    worth = 0.3 * w.ENABLED[space] - w.ELEMENT_PRICE * t.ELEMENT_VALUE[colour]
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
    """A costume element: what the costume is worth with it and without."""
    elements, value = int(seen[at.ELEMENTS + wearer]), int(seen[at.VALUES + wearer])
    worth = w.costume(seen, wearer, elements + 1, value + t.ELEMENT_VALUE[colour])
    worth -= w.costume(seen, wearer, elements, value)
    worth -= w.ELEMENT_PRICE * t.ELEMENT_VALUE[colour]
    return worth + (1.0 if colour == t.YELLOW else 0.0)


@rule
def score(seen: Any, action: int) -> float:
    """What an action is worth, against the others of the same decision."""
    if action < a.WAGER:
        return w.character(seen, t.BOARD + action)
    if action < a.RECRUIT:
        return wager(seen, action - a.WAGER + 1)
    if action < a.EXTRA:
        return 1.0 + w.character(seen, t.BOARD + action - a.RECRUIT)
    if action < a.ACTIVATE:
        return 1.0 + w.extra(seen)
    if action < a.ACTIVATE_PLUS_3:
        tired = w.REST_PRICE if seen[at.USED] > 0 else 0.0
        return w.activation(seen, a.ACTIVATE_CARD[action - a.ACTIVATE]) - tired
    if action < a.QUILL:
        tired = w.REST_PRICE if seen[at.USED] > 0 else 0.0
        return w.craft(seen, a.PLUS_3_CARD[action - a.ACTIVATE_PLUS_3], 3) - tired - w.TOKEN
    if action < a.BACK:
        return w.advance(seen, action - a.QUILL)
    if action < a.COSTUME:
        act = action - a.BACK
        space = int(seen[at.ACT_SPACE + act])
        return w.ACT_WORTH[act, space - 1] - w.ACT_WORTH[act, space]
    if action < a.SET:
        colour, wearer = divmod(action - a.COSTUME, t.WEARERS)
        return costume(seen, colour, wearer)
    if action < a.DONE:
        colour, space = divmod(action - a.SET, t.SPACES)
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


@rule
def best_score(seen: Any, mask: Any) -> float:
    """The score of the best legal action."""
    best = -np.inf
    for action in range(mask.size):
        if mask[action]:
            best = max(best, score(seen, action))
    return best


@kernel(_OWNER)
def choose(observations: Any, masks: Any, draws: Any, actions: Any) -> None:
    """Write the best action of every row; draws[i], from 0 to 1, picks one of equally good ones."""
    for i in range(len(masks)):
        least = best_score(observations[i], masks[i]) - _TIE
        equals = 0
        for action in range(masks.shape[1]):
            equals += masks[i, action] and score(observations[i], action) >= least
        left = int(draws[i] * equals)
        for action in range(masks.shape[1]):
            if masks[i, action] and score(observations[i], action) >= least:
                if left == 0:
                    actions[i] = action
                left -= 1


@kernel(_OWNER)
def write_worth(observations: Any, out: Any) -> None:
    """Write how each seat stands."""
    for i in range(len(out)):
        out[i] = w.position(observations[i])


def evaluate(observations: NDArray[np.int8]) -> NDArray[np.float64]:
    """How seats stand, in prestige: what `agents.greedy` looks for.

    Args:
        observations: int8[n, D], what each seat sees.

    Returns:
        float64[n].
    """
    worth = np.empty(len(observations))
    write_worth(np.ascontiguousarray(observations), worth)
    return worth


class HeuristicAgent:
    """Plays the action that is worth most at once."""

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Choose an action for each row.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].
            rng: One number a row is drawn from it, to choose between equally good actions.

        Returns:
            int64[n], legal action ids.
        """
        actions = np.empty(len(masks), np.int64)
        choose(
            np.ascontiguousarray(observations),
            np.ascontiguousarray(masks),
            rng.random(len(masks)),
            actions,
        )
        return actions
