"""Jobs that count, fail and lose their workers, in a module that workers can import."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from shakespeare_agents.workers import Progress


@dataclass(frozen=True)
class Squares:
    """Squares numbers. Files in `folder` say which numbers are slow, fail or kill the worker."""

    folder: Path

    def start(self):
        with (self.folder / "starts").open("a") as file:
            print(os.getpid(), file=file)
        return self._work

    def _work(self, number):
        yield Progress(number, 1)
        if (self.folder / f"slow {number}").exists():
            time.sleep(0.3)
        if (self.folder / f"fail {number}").exists():
            fault = ValueError(f"no square of {number}")
            fault.add_note("a note")
            raise fault
        if (self.folder / f"kill {number}").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        yield Progress(result=number * number)


@dataclass(frozen=True)
class Answered:
    """A shard that is over once the driver has answered its first result by making a file."""

    file: Path

    def start(self):
        return self._work

    def _work(self, _shard):
        yield Progress(1, 0, "first")
        for _ in range(200):
            if self.file.exists():
                yield Progress(1, 1, "last")
                return
            time.sleep(0.1)
            yield Progress()
        raise TimeoutError("no answer")


class UnpicklableError(Exception):
    """An exception that cannot be pickled."""

    def __reduce__(self):
        raise TypeError("not this one")


class RaisesUnpicklable:
    """A job whose shards raise an exception that cannot be pickled."""

    def start(self):
        return self._work

    def _work(self, _number):
        raise UnpicklableError("mine")
