"""External programs as agents: started, asked for moves, held to limits."""

from shakespeare_agents.programs import Limits, Program, ProgramAgent, ProgramError, program_digest

__all__ = ["Limits", "Program", "ProgramAgent", "ProgramError", "program_digest"]
