"""What happens in a worker: jobs are started once, shards done, progress counted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import cloudpickle

from shakespeare_agents.workers.jobs import Shared

_MOST_STARTED = 4
"""Jobs at once: a match of checkpoints holds many weights."""
_started: OrderedDict[str, Callable[..., Any]] = OrderedDict()


class Done(NamedTuple):
    """A shard that is done, or that failed.

    Attributes:
        content: Its result, or the exception, pickled.
        failed: Whether it is an exception.
        decisions: Made in it.
        games: Finished in it.
    """

    content: bytes
    failed: bool
    decisions: int
    games: int

    def result(self) -> Any:
        """The result; a failed shard's exception is raised."""
        found = cloudpickle.loads(self.content)
        if self.failed:
            raise found
        return found


def do(job: Shared, shard: bytes) -> Done:
    """Do a pickled shard of a pickled job."""
    decisions = games = 0

    def count(more_decisions: int, more_games: int) -> None:
        nonlocal decisions, games
        decisions += more_decisions
        games += more_games

    try:
        result = cloudpickle.dumps(_work_of(job)(cloudpickle.loads(shard), count))
    except Exception as fault:
        return Done(_pickled(fault), True, decisions, games)
    return Done(result, False, decisions, games)


def _work_of(job: Shared) -> Callable[..., Any]:
    """The work of a job, started when it is first asked for."""
    if job.digest not in _started:
        _started[job.digest] = cloudpickle.loads(job.read()).start()
        while len(_started) > _MOST_STARTED:
            _started.popitem(last=False)
    _started.move_to_end(job.digest)
    return _started[job.digest]


def _pickled(fault: Exception) -> bytes:
    """An exception as bytes, or one that says the same if it cannot be pickled."""
    try:
        content: bytes = cloudpickle.dumps(fault)
        cloudpickle.loads(content)
    except Exception:
        told = RuntimeError(f"{type(fault).__name__}: {fault}")
        for note in getattr(fault, "__notes__", []):
            told.add_note(note)
        return cloudpickle.dumps(told)  # type: ignore[no-any-return]
    return content
