"""One game as a PettingZoo environment that takes an action of every agent (parallel)."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from shakespeare_env.wrappers.aec import Observation, env


def parallel_env(*positional: Any, **arguments: Any) -> ParallelEnv[str, Observation, int | None]:
    """`env` in PettingZoo's own conversion for games played in turns.

    `step` takes a dict of actions and plays that of the agent to decide, the only one with a legal
    action in its mask; the others' are ignored.  After a step every info names the next one
    as `active_agent`.  Arguments are those of `env`.
    """
    return turn_based_aec_to_parallel(env(*positional, **arguments))
