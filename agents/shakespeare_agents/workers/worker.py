"""The work of a worker: it starts jobs once, does shards and counts progress."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import cloudpickle

from shakespeare_agents.workers.jobs import Job, Work
from shakespeare_env.errors import FromElsewhere

_MOST_STARTED = 4
"""The most jobs kept; a match of checkpoints holds many weights."""
_started: OrderedDict[str, Work[Any, Any]] = OrderedDict()


class Done(NamedTuple):
    """A shard that is done, or that failed.

    Attributes:
        result: The result of its work.
        decisions: The decisions made in it.
        games: The games finished in it.
        fault: The pickled exception if it failed, with what pickling loses.
    """

    result: Any
    decisions: int
    games: int
    fault: tuple[bytes, FromElsewhere] | None = None

    def unpacked(self) -> Any:
        """The result; a failed shard's exception is raised."""
        if self.fault is None:
            return self.result
        content, elsewhere = self.fault
        raised = cloudpickle.loads(content)
        elsewhere.put_on(raised)
        raise raised


def do(key: str, load: Callable[[], Job[Any, Any]], shard: Any) -> Done:
    """Do a shard of a job, which is loaded and started when its key is first seen."""
    decisions = games = 0

    def count(more_decisions: int, more_games: int) -> None:
        nonlocal decisions, games
        decisions += more_decisions
        games += more_games

    try:
        if key not in _started:
            _started[key] = load().start()
            while len(_started) > _MOST_STARTED:
                _started.popitem(last=False)
        _started.move_to_end(key)
        result = _started[key](shard, count)
    except (Exception, SystemExit) as fault:  # an agent may be anybody's
        return failed(fault, decisions, games)
    return Done(result, decisions, games)


def failed(fault: BaseException, decisions: int = 0, games: int = 0) -> Done:
    """A shard in which an exception was raised."""
    return Done(None, decisions, games, (_pickled(fault), FromElsewhere.of(fault)))


def _pickled(fault: BaseException) -> bytes:
    """An exception as bytes, or one that says the same if it cannot be pickled.

    What would end the process that reads it becomes an ordinary one.
    """
    try:
        if not isinstance(fault, Exception):
            raise TypeError
        content: bytes = cloudpickle.dumps(fault)
        cloudpickle.loads(content)
    except Exception:  # an agent's may be anything
        content = cloudpickle.dumps(RuntimeError(f"{type(fault).__name__}: {fault}"))
    return content
