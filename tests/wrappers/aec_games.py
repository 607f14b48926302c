"""Games played in PettingZoo environments by a repeatable rule, and everything they show."""

from __future__ import annotations

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
    """Return the action that `actions_by_rule` picks, or None for an agent whose game is over.

    It is read from the batch, so that no wrapper sees the observation that it would remember.
    """
    if view.terminations[view.agent_selection] or view.truncations[view.agent_selection]:
        return None
    batch = view.unwrapped._batch
    return int(actions_by_rule(batch.mask, int(batch.obs.astype(int).sum()))[0])


def illegal_move(view):
    return int(view.unwrapped._batch.mask[0].argmin())


def begun(make, table, seed, steps=0, **arguments):
    """Return an environment some steps into the game of a seed."""
    view = make(**table.arguments, **arguments)
    view.reset(seed=seed)
    return advance(view, steps)


def advance(view, steps):
    for _ in range(steps):
        if view.agents:
            view.step(next_move(view))
    return view


def rest_of(view):
    """Return everything that is shown until all have left, and as the next game begins."""
    seen = [shown(view)]
    while view.agents:
        view.step(next_move(view))
        seen.append(shown(view))
    view.reset()
    return [*seen, shown(view)]
