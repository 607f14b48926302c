"""External programs as agents: started, asked for moves, held to limits."""

from shakespeare_arena.programs.agent import ProgramAgent
from shakespeare_arena.programs.process import Limits, Program, ProgramError, program_digest

__all__ = ["Limits", "Program", "ProgramAgent", "ProgramError", "program_digest"]
