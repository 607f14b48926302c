"""What the fuzzer has found: the case, what happened and where."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

KINDS = CRASH, HANG, MEMORY, EXCEPTION = "crash", "hang", "memory", "exception"
_OURS = re.compile(r'File "[^"]*?/((?:shakespeare_\w+|tests/fuzz)[^"]*)", line (\d+),? in (\S+)')
_ANY = re.compile(r'File "([^"]*)", line (\d+),? in (\S+)')


@dataclass(frozen=True)
class Finding:
    """One case that went wrong.

    Attributes:
        kind: CRASH, HANG, MEMORY or EXCEPTION.
        what: The signal or the exception, and the innermost place in the project's code: equal
            for what is probably one fault.
        detail: The traceback.
        alone: Whether the case goes wrong in a fresh process, too; None if it was not tried.  One
            that does not was prepared by cases before it, as by memory they had overwritten.
    """

    target: str
    seed: int
    number: int
    kind: str
    what: str
    detail: str
    alone: bool | None = None

    @property
    def command(self) -> str:
        """How to run the case again."""
        return f"python -m tests.fuzz {self.target} --seed {self.seed} --case {self.number}"


def of_exception(target: str, seed: int, number: int, error: BaseException) -> Finding:
    """The finding that an exception is."""
    detail = "".join(traceback.format_exception(error))
    # The innermost frame comes last in a traceback.
    frames = _OURS.findall(detail) or _ANY.findall(detail)
    kind = MEMORY if isinstance(error, MemoryError) else EXCEPTION
    what = f"{type(error).__name__}{_place(frames[-1:])}: {_pattern(str(error))}"
    return Finding(target, seed, number, kind, what, detail, None)


def of_death(target: str, seed: int, number: int, kind: str, end: str, log: str) -> Finding:
    """The finding that a dead process is; the log holds the traceback of `faulthandler`."""
    # There the innermost frame comes first; other threads stand before the one that failed.
    dump = log[max(log.find("Current thread"), 0) :]
    frames = _OURS.findall(dump) or _ANY.findall(dump)
    return Finding(target, seed, number, kind, f"{end}{_place(frames[:1])}", log[-6000:])


def _place(frames: list[tuple[str, str, str]]) -> str:
    return "".join(f" in {path}:{line} {name}" for path, line, name in frames)


def _pattern(message: str) -> str:
    """A message's beginning without the values in it, which differ from case to case."""
    valueless = re.sub(r"/\S+|'[^']*'|\"[^\"]*\"|-?\d+", "…", message)
    return re.sub(r"…(,\s*…)+", "…", valueless)[:70]


def distinct(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """The first finding of every fault with its number of cases, most frequent first."""
    first: dict[tuple[str, str, str], Finding] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for finding in findings:
        fault = finding.target, finding.kind, finding.what
        counts[fault] += 1
        if fault not in first or finding.number < first[fault].number:
            first[fault] = finding
    return [(first[fault], count) for fault, count in counts.most_common()]
