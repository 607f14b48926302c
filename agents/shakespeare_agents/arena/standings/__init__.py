"""What an arena's results say: ratings and everything beside them, with 95 % intervals."""

from shakespeare_agents.arena.standings.standings import Standings

__all__ = ["Standings"]
