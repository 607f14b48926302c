"""An arena: a field of agents meets in rounds until its order is settled."""

from __future__ import annotations

from shakespeare_agents.arena.tournament.running import Ending, OnProgress, Progress, run_arena

__all__ = ["Ending", "OnProgress", "Progress", "run_arena"]
