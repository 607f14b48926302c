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
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], _Kept]) -> _Kept:
        """The value of a key, made now if it is not kept; nobody else makes one meanwhile."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
                if self._most is not None and len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]
