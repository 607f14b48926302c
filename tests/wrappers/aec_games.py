"""Games played in PettingZoo environments by a repeatable rule, and everything they show."""

from __future__ import annotations

import numpy as np

from tests.contract.random_games import actions_by_rule


def shown(view):
    """Return everything that an environment shows in one position, without calling `last`."""
    return {
        "agents": list(view.agents),
        "selected": view.agent_selection,
        "rewards": dict(view.rewards),
        "received": dict(view._cumulative_rewards),
        "terminated": dict(view.terminations),
        "truncated": dict(view.truncations),
        "masks": {agent: info["action_mask"].tobytes() for agent, info in view.infos.items()},
        "state": view.state().tobytes(),
        "observations": {
            agent: {name: part.tobytes() for name, part in view.observe(agent).items()}
            for agent in view.possible_agents
        },
    }


def next_move(view):
    """Return the action that the rule picks, or None for an agent whose game is over."""
    agent = view.agent_selection
    if view.terminations[agent] or view.truncations[agent]:
        return None
    seen = view.observe(agent)
    mask = seen["action_mask"].astype(np.bool_)
    step = int(seen["observation"].astype(int).sum())
    return int(actions_by_rule(mask[None], step)[0])


def illegal_move(view):
    return int(view.observe(view.agent_selection)["action_mask"].argmin())


def begun(make, table, seed, steps=0, **arguments):
    """Return an environment some steps into the game of a seed."""
    view = make(**table.arguments, **arguments)
    view.reset(seed=seed)
    return advance(view, steps)


def advance(view, steps):
    """Play some steps, or until all agents have left, and return the environment."""
    for _ in range(steps):
        if view.agents:
            view.step(next_move(view))
    return view


def rest_of(view):
    """Play until all agents have left and the next game has begun; return all that is shown."""
    seen = [shown(view)]
    while view.agents:
        view.step(next_move(view))
        seen.append(shown(view))
    view.reset()
    return [*seen, shown(view)]
