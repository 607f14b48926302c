"""Errors name the fault, the value and the remedy, and the agent whose fault they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from traceback import FrameSummary, extract_tb

from shakespeare_env.sources import is_own_file


class ShakespeareEnvError(Exception):
    """Base of all errors of this package."""


class BoxError(ShakespeareEnvError, ValueError):
    """An unusable component file (`box.toml`)."""


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
        named = {name: vars(self)[name] for name in ("seat", "phase", "legal", "game_index")}
        return partial(IllegalMove, self.move, **named), ()


class AgentNote(str):
    """A note on an exception that names the agent, or other code of users, whose fault it is."""

    __slots__ = ()


def agent_notes(fault: BaseException) -> list[str]:
    """Return the notes on an exception that name an agent; none if no agent has failed."""
    return [note for note in getattr(fault, "__notes__", []) if isinstance(note, AgentNote)]


def own_steps(fault: BaseException) -> list[FrameSummary]:
    """The steps of a traceback through code that is neither ours nor a library's.

    Pickling loses tracebacks: whoever sends an exception sends them along, as its `own_steps`.
    """
    if (known := getattr(fault, "own_steps", None)) is not None:
        return list(known)
    files = [step for step in extract_tb(fault.__traceback__) if step.filename[:1] != "<"]
    return [step for step in files if is_own_file(step.filename)]
