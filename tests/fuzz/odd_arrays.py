"""Arrays as they come from outside: of all types and shapes, lying anywhere, right or wrong."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_DTYPES = (
    *("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u8", "?"),
    *("f2", "f4", "f8", "f8", "c8", "c16", "O", "O", "U3", "S2", "M8[s]", "m8[s]", "V4"),
    *("i4,f4", "i8"),
)
_FAR = (-1, -2, -128, 127, 128, 255, 256, 32768, 2**31 - 1, 2**31, 2**32, 2**63 - 1, -(2**63))
_WIDER = (2**63, 2**64 - 1, 2**64, 10**30, -(10**30))


class BrokenError(Exception):
    """What an object of the user's raises when it is asked for an array."""


class _Refusing:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise BrokenError


class _Lying:
    """Says it is an array of another shape every time."""

    def __init__(self, case: random.Random, numbers: list[int]) -> None:
        self._case, self._numbers = case, numbers

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        length = self._case.randint(0, len(self._numbers) + 2)
        return np.resize(np.array(self._numbers, np.int64), length)

    def __len__(self) -> int:
        return len(self._numbers)


class _Subclass(np.ndarray[Any, Any]):
    """Compares as it likes."""

    def __lt__(self, other: Any) -> Any:
        return np.zeros(self.shape, bool)

    __ge__ = __lt__

    def any(self, *arguments: Any, **named: Any) -> Any:
        return False

    def min(self, *arguments: Any, **named: Any) -> Any:
        return 0

    max = min


def odd(case: random.Random, numbers: list[int]) -> Any:
    """Numbers that would do, as something like an array of them, or not quite."""
    drawn = case.random()
    if drawn < 0.15:
        return _object(case, numbers)
    numbers = list(numbers)
    if drawn < 0.6:
        _spoil(case, numbers)
    try:
        array = np.array(numbers).astype(case.choice(_DTYPES))
    except (ValueError, TypeError, OverflowError):  # no such array exists
        array = np.array(numbers, object)
    for _ in range(case.choice((0, 1, 1, 2))):
        array = case.choice(_LAYOUTS)(array)
    return array


def _spoil(case: random.Random, numbers: list[int]) -> None:
    change = case.randrange(4)
    if change == 0 and numbers:
        at = case.randrange(len(numbers))
        numbers[at] = case.choice((*_FAR, *_WIDER, numbers[at] + 1))
    elif change == 1:
        numbers[:] = numbers[: case.randint(0, len(numbers))]
    elif change == 2:
        numbers += [case.choice((0, 1, *_FAR))] * case.randint(1, 3)
    else:
        case.shuffle(numbers)


def _object(case: random.Random, numbers: list[int]) -> Any:
    first = numbers[0] if numbers else 0
    return case.choice(
        (
            *(None, True, first, float(first), np.int8(1), np.uint64(2**64 - 1), np.float64("nan")),
            *("", "12", b"12", [], [[]], [numbers], [*numbers, None], [*numbers, "x"]),
            *([float("nan")] * 2, [10**30] * len(numbers), [True] * len(numbers)),
            *({}, set(numbers), dict(enumerate(numbers)), range(len(numbers)), tuple(numbers)),
            *(numbers, iter(numbers), memoryview(bytes(len(numbers))), object(), Ellipsis),
            *(_Refusing(), _Lying(case, numbers), [_Refusing()], slice(None), slice(1, 0, -1)),
        )
    )


def _mapped(array: Any) -> Any:
    """Memory-mapped from a file, which must not be empty or hold objects."""
    if array.dtype.hasobject or not array.nbytes:
        return array
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "array")
        path.write_bytes(array.tobytes())
        return np.memmap(path, array.dtype, "r", shape=array.shape)


def _read_only(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


def _unaligned(array: Any) -> Any:
    if array.dtype.hasobject:
        return array
    data = b"\0" + array.tobytes()
    return np.frombuffer(data, np.uint8)[1:].view(array.dtype).reshape(array.shape)


_LAYOUTS: tuple[Callable[[Any], Any], ...] = (
    _mapped,
    _read_only,
    _unaligned,
    lambda array: np.repeat(array[..., None], 3, axis=-1)[..., 1],  # a column
    lambda array: array[::-1] if array.ndim else array,
    lambda array: np.broadcast_to(array.ravel()[:1], array.shape) if array.size > 1 else array,
    lambda array: array[None],
    lambda array: array[..., None],
    lambda array: array.reshape(-1)[:1].squeeze(),
    lambda array: np.ma.MaskedArray(array, mask=True),
    lambda array: np.ma.MaskedArray(array),
    *(lambda array: np.asarray(array).view(_Subclass),) * 2,
)
"""How it lies in memory."""
