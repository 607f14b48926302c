"""Jobs that count, fail and lose their workers; in a module, so that workers find them."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Squares:
    """Squares numbers; what is in `folder` says what goes wrong."""

    folder: Path

    def start(self):
        with (self.folder / "starts").open("a") as file:
            print(os.getpid(), file=file)
        return self._work

    def _work(self, number, tell):
        tell(number, 1)
        if (self.folder / f"slow {number}").exists():
            time.sleep(0.3)
        if (self.folder / f"fail {number}").exists():
            fault = ValueError(f"no square of {number}")
            fault.add_note("a note")
            raise fault
        if (self.folder / f"kill {number}").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number


class Local(Exception):  # noqa: N818 - as somebody may call theirs
    """An exception that cannot be pickled."""

    def __reduce__(self):
        raise TypeError("not this one")


class RaisesLocal:
    def start(self):
        return self._work

    def _work(self, _number, _tell):
        raise Local("mine")
