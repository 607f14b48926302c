"""Worth of the acts', the stage's and the mood track's spaces, in prestige."""

from __future__ import annotations

import numpy as np

from shakespeare_env.compile.decorators import rule
from shakespeare_env.shakespeare.box import tables as t

MOOD = np.array([-1.0, -0.6, 0.0, 0.3, 0.6, 1.0])
"""float64[space], from the lowest mood up (Rules M2)."""


def _act_worth() -> np.ndarray:
    """float64[act, space]: a disc's worth in one rehearsal (Rules R2).

    Linear between the reward's steps: an advance that pays later is worth something now.
    """
    longest = int(t.ACT_LENGTH.max())
    worth = np.zeros((3, longest + 2))
    for act, steps in enumerate(t.BOX.pay):
        unit = 0.5 if act == t.ACT_I else 1.0
        known = [(1, -1.0), (t.GREY_SPACES + 1, 0.0), *((to, unit * gain) for to, gain in steps)]
        if act == t.ACT_II:
            known.append((int(t.ACT_LENGTH[act]), 1.5))
        spaces, values = zip(*sorted(dict(known).items()), strict=True)
        worth[act] = np.interp(np.arange(longest + 2), spaces, values)
    return worth


def _enabled() -> np.ndarray:
    """int64[space]: candles resting on a space, directly or not (Rules T13)."""
    rests_on = t.SUPPORTS[:, None] >> np.arange(t.N_SPACES) & 1
    for middle in range(t.N_SPACES):  # Warshall's transitive closure
        rests_on |= rests_on[:, middle, None] & rests_on[middle]
    return t.CANDLE.astype(np.int64) @ rests_on


ACT_WORTH = _act_worth()
ENABLED = _enabled()


@rule
def mood(now: int) -> float:
    """A mood's worth, clipped to the track's ends."""
    return MOOD[min(max(now, t.LOWEST_MOOD), t.HIGHEST_MOOD) - t.LOWEST_MOOD]
