"""What was made or read lately, kept by a key and shared by threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Kept = TypeVar("_Kept")


class Recent(Generic[_Kept]):
    """Keeps the latest values.

    Args:
        most: How many are kept; None keeps all.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._lock = threading.Lock()
        # A value is the only one of its list, which is empty while it is being made.
        self._kept: OrderedDict[Hashable, tuple[threading.Lock, list[_Kept]]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], _Kept]) -> _Kept:
        """The value of a key, made now if it is not kept; who wants it meanwhile waits."""
        with self._lock:
            making, made = self._kept.setdefault(key, (threading.Lock(), []))
            self._kept.move_to_end(key)
            if self._most is not None and len(self._kept) > self._most:
                self._kept.popitem(last=False)
        with making:
            if not made:
                try:
                    made.append(make())
                except BaseException:
                    with self._lock:
                        self._kept.pop(key, None)
                    raise
        return made[0]
