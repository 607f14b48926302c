"""Work on a GPU that is recorded once and repeated: launching it takes longer than doing it."""

from __future__ import annotations

from collections.abc import Callable

import torch


class Recorded:
    """A function without arguments that launches the same work on the same tensors every time.

    The first calls do the work as it comes, which compiles what it needs; then it is recorded as a
    CUDA graph, without the Python around it, and repeated.

    Args:
        work: It must not wait for the GPU.
        chance: A generator that it draws from.
        before: Calls before it is recorded.
    """

    def __init__(
        self, work: Callable[[], None], chance: torch.Generator | None = None, before: int = 1
    ) -> None:
        self._work = work
        self._chance = chance
        self._before = before
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        """Do the work."""
        if self._before > 0 or not torch.cuda.is_available():
            self._before -= 1
            self._work()
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            if self._chance is not None:
                self._graph.register_generator_state(self._chance)
            with torch.cuda.graph(self._graph):
                self._work()
        self._graph.replay()
