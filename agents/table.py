"""Several agents at the tables of a batch: each is asked once for all games that wait for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import AnyAgent, decide
from shakespeare_env.batch import Batch
from shakespeare_env.batch_checks import as_actions


def decide_together(
    agents: Sequence[AnyAgent],
    generators: Sequence[np.random.Generator],
    batch: Batch,
    rows: NDArray[np.int64],
    who: NDArray[Any],
) -> NDArray[np.int64]:
    """What agents choose in some games.

    Args:
        agents: Whoever may decide.
        generators: What each of them draws from.
        batch: The games.
        rows: int[m], indices of games that wait for one of them.
        who: int[m], index of the agent each of them waits for.

    Returns:
        int64[m], one action for each.

    Raises:
        Exception: what an agent raised, with a note of which one it was.
    """
    actions = np.empty(len(rows), np.int64)
    for index in np.unique(who):
        agent = agents[index]
        asked = np.flatnonzero(who == index)
        try:
            chosen = decide(agent, batch, rows[asked], generators[index])
            actions[asked] = as_actions(chosen, len(asked))
        except Exception as fault:
            fault.add_note(f"The agent {agent!r} was to decide in {len(asked)} games.")
            raise
    return actions
