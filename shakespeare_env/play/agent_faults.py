"""The agent that has failed, and the place in its author's code."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import NamedTuple

_OURS = ("shakespeare_env", "shakespeare_agents", "shakespeare_training")
_LIBRARIES = [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "purelib", "platlib")]


class AgentNote(str):
    """A note on an exception that names the agent whose fault it is."""

    __slots__ = ()


def agent_notes(fault: BaseException) -> list[str]:
    """The notes on an exception that name an agent; none if no agent has failed."""
    return [note for note in getattr(fault, "__notes__", []) if isinstance(note, AgentNote)]


class FromElsewhere(NamedTuple):
    """The parts of an exception that pickling loses on the way to another process.

    Attributes:
        notes: The notes on it.
        steps: See `own_steps`.
    """

    notes: list[str]
    steps: list[FrameSummary]

    @classmethod
    def of(cls, fault: BaseException) -> FromElsewhere:
        """These parts of an exception."""
        return cls(list(getattr(fault, "__notes__", [])), own_steps(fault))

    def put_on(self, fault: BaseException) -> None:
        """Attach them to the exception that has arrived."""
        fault.__notes__ = self.notes
        fault.own_steps = self.steps  # type: ignore[attr-defined]


def own_steps(fault: BaseException) -> list[FrameSummary]:
    """The steps of an exception's traceback through code that is neither ours nor a library's."""
    if (known := getattr(fault, "own_steps", None)) is not None:
        return list(known)
    ours = [Path(sys.modules[name].__file__ or "").parent for name in _OURS if name in sys.modules]
    return [
        step
        for step in extract_tb(fault.__traceback__)
        if not step.filename.startswith("<")
        and not any(map(Path(step.filename).is_relative_to, [*ours, *_LIBRARIES]))
    ]
