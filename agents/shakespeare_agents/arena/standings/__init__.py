"""What an arena's results say: ratings and everything beside them, with 95 % intervals."""

from shakespeare_env.extras import needing

with needing("arena", "the arena needs"):
    from shakespeare_agents.arena.standings.making import standings_of
    from shakespeare_agents.arena.standings.standings import Standings

__all__ = ["Standings", "standings_of"]
