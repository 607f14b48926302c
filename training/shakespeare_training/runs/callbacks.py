"""An adapter for callbacks of Stable-Baselines3 that users add to a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_env.errors import AgentNote
from shakespeare_training.learners.league import FinishedGames
from shakespeare_training.learners.learner import Learner
from shakespeare_training.stopping import Stop


class SB3Callbacks:
    """Calls callbacks of Stable-Baselines3 at the events of a training loop.

    If one fails, the error names it. If one returns False, the run is stopped as by Ctrl-C.
    """

    def __init__(self, callbacks: Sequence[BaseCallback], learner: Learner, stop: Stop) -> None:
        self._callbacks = callbacks
        self._learner = learner
        self._stop = stop

    def on_training_start(self) -> None:
        """Give the callbacks their learner, and tell them that the loop begins."""
        self._call("init_callback", self._learner)
        self._call("on_training_start", {}, {})  # no locals and no globals of the loop

    def on_rollout_start(self) -> None:
        """Tell the callbacks that a rollout begins."""
        self._call("on_rollout_start")

    def on_step(self, finished: FinishedGames) -> None:
        """Tell the callbacks about a step of play and the games that it finished."""
        self._call("update_locals", {"finished": finished})
        if not all(self._call("on_step")):
            self._stop.request()

    def on_rollout_end(self) -> None:
        """Tell the callbacks that a rollout is complete, before the learner learns from it."""
        self._call("on_rollout_end")

    def on_training_end(self) -> None:
        """Tell the callbacks that the loop has ended."""
        self._call("on_training_end")

    def _call(self, event: str, *arguments: Any) -> list[Any]:
        answers = []
        for callback in self._callbacks:
            try:
                answers.append(getattr(callback, event)(*arguments))
            except Exception as fault:
                name = type(callback).__name__
                fault.add_note(AgentNote(f"The callback {name} failed in {event}."))
                raise
        return answers
