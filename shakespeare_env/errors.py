"""Errors name the fault, the value and the remedy, and the agent whose fault they are."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import NamedTuple

_OURS = (
    *("shakespeare_env", "shakespeare_agents", "shakespeare_arena"),
    *("shakespeare_research", "shakespeare_table", "shakespeare_training"),
)
_LIBRARIES = [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "purelib", "platlib")]


class ShakespeareEnvError(Exception):
    """Base of all errors of this package."""


class BoxError(ShakespeareEnvError, ValueError):
    """An unusable component file (`box.toml`).

    Attributes:
        keys: The path from the file to the entry at fault; tables of a list go by their index.
        fault: The fault without the entry's name; the whole message where no entry is at fault.
        remedy: What to do about it, or nothing.
    """

    def __init__(
        self, message: str, keys: tuple[str | int, ...] = (), fault: str = "", remedy: str = ""
    ) -> None:
        super().__init__(message)
        self.keys = keys
        self.fault = fault or message
        self.remedy = remedy


class GameError(ShakespeareEnvError, ValueError):
    """A game of somebody else's that is named to this process and cannot be loaded."""


class PositionError(ShakespeareEnvError, ValueError):
    """A position in text that cannot occur."""


class CheckpointError(ShakespeareEnvError, ValueError):
    """A checkpoint that is damaged or made for something else."""


class TrainingError(ShakespeareEnvError, RuntimeError):
    """A training run that cannot continue, as when its weights are NaN."""


class DatasetError(ShakespeareEnvError, ValueError):
    """A folder that is no dataset, is damaged, or was begun with other settings."""


class ArenaError(ShakespeareEnvError, ValueError):
    """A field that cannot be played, or results that do not belong to it."""


class WorkerError(ShakespeareEnvError, RuntimeError):
    """Worker processes or machines that cannot be started, or are lost again and again."""


class DeviceError(ShakespeareEnvError, RuntimeError):
    """A GPU that is not there, or cannot be used."""


class MemoryLimitError(ShakespeareEnvError, MemoryError):
    """A request for more than this machine's memory; nothing has been allocated."""


class IllegalMove(ShakespeareEnvError, ValueError):  # noqa: N818 - as chess libraries say it
    """A move the rules do not allow; the position is unchanged.

    Attributes:
        move: A text or an action id.
        seat: The seat to decide, None when over.
        phase: As the notation names it.
        legal: Texts of the legal moves.
        game_index: The game's index in a batch, or None.
    """

    def __init__(
        self,
        move: str | int,
        *,
        seat: int | None,
        phase: str,
        legal: Sequence[str],
        game_index: int | None = None,
    ) -> None:
        self.move = move
        self.seat = seat
        self.phase = phase
        self.legal = list(legal)
        self.game_index = game_index
        where = "" if game_index is None else f" in game {game_index}"
        if seat is None:
            remedy = "the game is over; start a new one"
        else:
            shown = ", ".join(self.legal[:12]) + (", ..." if len(self.legal) > 12 else "")
            remedy = f"seat {seat} decides in phase {phase!r}; legal: {shown}"
        super().__init__(f"illegal move {move!r}{where}: {remedy}")

    def __reduce__(self) -> tuple[object, ...]:
        rebuild = partial(
            IllegalMove,
            seat=self.seat,
            phase=self.phase,
            legal=self.legal,
            game_index=self.game_index,
        )
        return rebuild, (self.move,)


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
    steps = extract_tb(fault.__traceback__)
    return [one for one in steps if not one.filename.startswith("<") and is_own_file(one.filename)]


def is_own_file(name: str) -> bool:
    """Whether a file of code is neither this project's nor a library's."""
    ours = [Path(sys.modules[one].__file__ or "").parent for one in _OURS if one in sys.modules]
    file = Path(name)
    is_installed = {"site-packages", "dist-packages"} & {*file.parts}
    return not is_installed and not any(map(file.is_relative_to, [*ours, *_LIBRARIES]))
