"""The errors of this project, and notes that name the agent or the user's code at fault."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from traceback import FrameSummary, extract_tb

from shakespeare_env.sources import is_own_file

_MOST_LISTED = 12
"""The most legal moves that an error lists."""


class ShakespeareEnvError(Exception):
    """The base of all errors of this project."""


class BoxError(ShakespeareEnvError, ValueError):
    """An unusable component file (`box.toml`)."""


class GameError(ShakespeareEnvError, ValueError):
    """A user's own game, or a game of an installed package, that cannot be loaded."""


class PositionError(ShakespeareEnvError, ValueError):
    """A position that cannot be read or cannot occur."""


class CheckpointError(ShakespeareEnvError, ValueError):
    """A checkpoint that is damaged or was made for something else."""


class TrainingError(ShakespeareEnvError, RuntimeError):
    """A training run that cannot continue, for example because its weights are NaN."""


class DatasetError(ShakespeareEnvError, ValueError):
    """A dataset's folder that holds no dataset, is damaged, or was begun with other settings."""


class ArenaError(ShakespeareEnvError, ValueError):
    """Agents that cannot play each other, or results that belong to other agents."""


class WorkerError(ShakespeareEnvError, RuntimeError):
    """Worker processes or machines that cannot be started, or that are lost again and again."""


class DeviceError(ShakespeareEnvError, RuntimeError):
    """A GPU that does not exist or cannot be used."""


class MemoryLimitError(ShakespeareEnvError, MemoryError):
    """A request for more memory than this machine has; nothing has been allocated."""


class IllegalMove(ShakespeareEnvError, ValueError):  # noqa: N818 - named as in chess libraries
    """A move that the rules do not allow; the position is unchanged.

    Attributes:
        move: The move's text, or the action id if no move has this id.
        seat: The seat to decide; None when the game is over.
        phase: The phase, as the notation names it.
        legal: The texts of the legal moves.
        game_index: The game's index in a batch; None for a single game.
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
            listed = ", ".join(self.legal[:_MOST_LISTED])
            if len(self.legal) > _MOST_LISTED:
                listed += ", ..."
            remedy = f"seat {seat} decides in phase {phase!r}; legal: {listed}"
        super().__init__(f"illegal move {move!r}{where}: {remedy}")

    def __reduce__(self) -> tuple[object, ...]:
        remake = partial(
            IllegalMove,
            self.move,
            seat=self.seat,
            phase=self.phase,
            legal=self.legal,
            game_index=self.game_index,
        )
        return remake, ()


class AgentNote(str):
    """A note on an exception that names the agent, or other code of a user, that is at fault."""

    __slots__ = ()


def agent_notes(fault: BaseException) -> list[str]:
    """Return the notes on an exception that name an agent; none if no agent has failed."""
    return [note for note in getattr(fault, "__notes__", []) if isinstance(note, AgentNote)]


def own_frames(fault: BaseException) -> list[FrameSummary]:
    """Return the frames of a traceback that are in users' own files.

    Pickling loses tracebacks. Code that sends an exception to another process therefore sends its
    frames along, in the attribute `own_frames`.
    """
    sent_along = getattr(fault, "own_frames", None)
    if sent_along is not None:
        return list(sent_along)

    return [
        frame
        for frame in extract_tb(fault.__traceback__)
        if not frame.filename.startswith("<") and is_own_file(frame.filename)
    ]
