"""Stands between the arena and a program: ends it, with all that it started, when either ends.

A script of its own that imports little, so that it starts in some milliseconds, and lives on when
the arena is killed. It is given the program on a socket, whose descriptor is its only argument, and
answers there in lines: `pid N` or `errno N` once the program has been started or cannot be, and
`code N` when it has ended.

On Linux whatever a program starts becomes this process's child once its own parent has ended
(`PR_SET_CHILD_SUBREAPER`), in whichever session and with whatever environment, and is found here.
"""

from __future__ import annotations

import marshal  # json and pickle would take most of the time to start
import os
import select
import signal
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PR_SET_CHILD_SUBREAPER = 36
_IGNORED = [signal.SIGPIPE, signal.SIGXFSZ]
"""Signals that Python ignores but a program should receive."""
_LOOK_MS = 1000
"""Milliseconds between checks that the arena lives, as a fork of it may hold the socket open."""
_LONGEST_END = 5.0
"""Seconds after which a process that survives a kill, as on a broken disk, is left alone."""


def keep(arena: int) -> None:
    """Run a program until it ends, the arena closes the socket `arena`, or ends itself."""
    parent = os.getppid()
    woken = _woken_by_signals()
    os.set_inheritable(arena, False)
    try:
        with os.fdopen(os.dup(arena), "rb") as file:
            argv, folder, environment = marshal.load(file)
    except EOFError:
        return
    _adopt_orphans()
    try:
        os.chdir(folder)
        program = _started(argv, environment)
    except OSError as fault:
        _say(arena, f"errno {fault.errno}")
        return
    _let_go_of_its_pipes()
    _say(arena, f"pid {program}")
    code = _wait(program, parent, arena, woken)
    _end_all(program)
    if code is not None:
        _say(arena, f"code {code}")


def _started(argv: list[str], environment: Mapping[str, str]) -> int:
    """Start a program, looked up in its own PATH, in a session of its own."""
    name = argv[0]
    folders = [""] if "/" in name else os.get_exec_path(environment)
    fault: OSError = FileNotFoundError(2, os.strerror(2))
    for folder in folders:
        try:
            path = os.path.join(folder, name)
            return os.posix_spawn(path, argv, environment, setsid=True, setsigdef=_IGNORED)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as denied:  # another folder of PATH may have one
            fault = denied
    raise fault


def _wait(program: int, parent: int, arena: int, woken: int) -> int | None:
    """The program's exit code once it ends; None once the arena ends or asks for its end."""
    poll = select.poll()
    poll.register(arena, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while os.getppid() == parent:
        ready = {descriptor for descriptor, _ in poll.poll(_LOOK_MS)}
        if arena in ready:
            return None
        if woken in ready and set(os.read(woken, 4096)) - {signal.SIGCHLD}:
            return None
        if (code := _reaped().get(program)) is not None:
            return code
    return None


def _reaped() -> dict[int, int]:
    """Reap ended children, adopted orphans included; exit codes by process id."""
    codes = {}
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            codes[found[0]] = os.waitstatus_to_exitcode(found[1])
    return codes


def _end_all(program: int) -> None:
    """Kill the program's group and all descendants, until there are none."""
    with suppress(ProcessLookupError, PermissionError):  # only a zombie is left, on macOS
        os.killpg(program, signal.SIGKILL)
    until = time.monotonic() + _LONGEST_END
    while time.monotonic() < until:
        _reaped()
        found = _descendants()
        if not found:
            break
        for number in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.001)


def _descendants() -> list[int]:
    """The living descendants of this process."""
    children: dict[int, list[int]] = {}
    for number, parent in _processes():
        children.setdefault(parent, []).append(number)
    found, waiting = [], [os.getpid()]
    while waiting:
        more = children.pop(waiting.pop(), [])
        found += more
        waiting += more
    return found


def _processes() -> Iterator[tuple[int, int]]:
    """The ids of all living processes and of their parents."""
    if not sys.platform.startswith("linux"):
        with os.popen("ps -A -o pid=,ppid=,stat=") as lines:
            rows = [line.split() for line in lines]
        yield from ((int(row[0]), int(row[1])) for row in rows if not row[2].startswith("Z"))
        return
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            # A name may hold spaces and parentheses.
            state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state not in (b"Z", b"X"):
                yield int(name), int(parent)


def _adopt_orphans() -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _woken_by_signals() -> int:
    """A pipe that gets a byte for every signal; signal handlers are not inherited."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for name in ("SIGCHLD", "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: None)
    return woken


def _let_go_of_its_pipes() -> None:
    """Close our copies of the program's pipes, or they would not end with it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)


def _say(arena: int, line: str) -> None:
    with suppress(OSError):  # the arena has ended
        os.write(arena, f"{line}\n".encode())


if __name__ == "__main__":
    keep(int(sys.argv[1]))
