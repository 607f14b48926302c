"""Agents that a server offers, checked before it begins."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from shakespeare_env import registry
from shakespeare_env.cli import choices
from shakespeare_env.errors import CheckpointError


def check_agents(games: Sequence[str], named: Sequence[str], option: str) -> None:
    """Give up unless every agent can play one of the games at least; errors name the option."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.registry import make

    for agent in named:
        faults: list[Exception] = []
        for game in games:
            try:
                make(agent, registry.game(game))
                break
            except (CheckpointError, TypeError, ValueError, ImportError) as fault:
                faults.append(fault)
        else:
            if isinstance(faults[0], CheckpointError):
                choices.give_up(str(faults[0]))
            raise typer.BadParameter(str(faults[0]), param_hint=option)
