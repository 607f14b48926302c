"""The agents of a field, made and known by digest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.arena.field import Contender, Field
from shakespeare_agents.arena.programs import Limits, Program, ProgramAgent, program_digest
from shakespeare_agents.arena.programs.program import environment_of
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.registry import make
from shakespeare_env.errors import ArenaError, ShakespeareEnvError
from shakespeare_env.game import Game


@contextmanager
def contenders(field: Field, game: Game) -> Iterator[dict[str, Entrant]]:
    """The agents of a field under their labels, by digest; programs end with the block.

    Raises:
        ArenaError: one cannot be made, or two play alike.
    """
    found: dict[str, Entrant] = {}
    with ExitStack() as stack:
        for contender in field.agents:
            digest, agent = _made(contender, field, game)
            if digest in found:
                raise ArenaError(
                    f"{contender.label!r} is the same agent as {found[digest].name!r}; name one of "
                    "them"
                )
            stack.callback(getattr(agent, "close", lambda: None))
            given = None if contender.program is not None else contender.agent
            found[digest] = Entrant(contender.label, agent, given)
        yield found


def _made(contender: Contender, field: Field, game: Game) -> tuple[str, Any]:
    try:
        if contender.program is not None:
            limits = Limits(**contender.limits)
            program = Program(contender.program, limits, field.folder, contender.environment)
            _check_there(program)
            environment_of(program)  # refuses what no start of it could have
            return program_digest(program), ProgramAgent(program)
        agent = make(contender.agent, game)
        return agent_digest(contender.agent, agent, game), agent
    except (ShakespeareEnvError, ValueError, TypeError, ImportError) as fault:
        raise ArenaError(f"the agent {contender.label!r}: {fault}") from fault


def _check_there(program: Program) -> None:
    """Refuse a program that can never be started, before others play for nothing."""
    name = program.argv[0]
    found = (program.folder / name).exists() if os.path.dirname(name) else shutil.which(name)
    if not found:
        raise ValueError(f"there is no program {name!r}; give its path, or install it")
