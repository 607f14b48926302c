"""The debug build: SHAKESPEARE_BOUNDS=1 makes IndexErrors of indices that miss their array.

Without it such an index reads or writes elsewhere in memory.
"""

from __future__ import annotations

import os
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.lowering import Lower
from numba.np import arrayobj

BOUNDS_VARIABLE = "SHAKESPEARE_BOUNDS"


def bounds_checked() -> bool:
    """Whether the environment asks for the debug build; ValueError if it says neither yes nor no.

    From then on Numba's checks, where they are on, name the line and refuse negative indices: rules
    never count from the end, but a wrong one may arrive at -1.
    """
    value = os.environ.get(BOUNDS_VARIABLE) or "0"
    if value not in ("0", "1"):
        raise ValueError(
            f"{BOUNDS_VARIABLE}={value!r}: set it to 1 to check every index, to 0 for speed"
        )
    if value == "0":
        return False
    _note_lines()
    _keep_negative_indices()
    cgutils.do_boundscheck = _check
    return True


def _note_lines() -> None:
    """Have the context know the line and function for which it writes checks."""
    lower = Lower.lower_inst

    def lower_noting(self: Any, instruction: Any) -> None:
        self.context.place = {"loc": instruction.loc, "func_name": self.func_ir.func_id.func_name}
        lower(self, instruction)

    Lower.lower_inst = lower_noting


def _keep_negative_indices() -> None:
    """Leave them to the check instead of adding the array's size."""
    fix = arrayobj.fix_integer_index

    def keep(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if context.enable_boundscheck:
            return context.cast(builder, index, kind, types.intp)
        return fix(context, builder, kind, index, size)

    arrayobj.fix_integer_index = keep


def _check(context: Any, builder: Any, index: Any, size: Any, axis: int | None = None) -> None:
    """Write code that raises an IndexError unless 0 <= index < size; without sign, -1 is huge."""
    outside = builder.icmp_unsigned(">=", index, size)
    with cgutils.if_unlikely(builder, outside):
        where = "" if axis is None else f" of axis {axis}"
        context.call_conv.return_user_exc(
            builder, IndexError, (f"index out of bounds{where}",), **context.place
        )
