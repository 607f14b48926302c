"""What differs from Numba's own compiler.

Rules are compiled only as far as kernels need them: to LLVM's language, not to machine code. Numba
optimises every function and writes machine code for it, and again wherever it is called. Only
kernels call rules, so rules are optimised and written as part of a kernel alone, which halves the
time and yields the same speed.

In the debug build, SHAKESPEARE_BOUNDS=1, an index that misses its array is an IndexError; otherwise
it reads or writes elsewhere in memory.
"""

from __future__ import annotations

import os
from typing import Any

from numba import _dynfunc, types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

BOUNDS_VARIABLE = "SHAKESPEARE_BOUNDS"
_NO_ADDRESS = 0


class RuleCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's usual compiler, for functions that only compiled ones call."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's passes with the lowering replaced."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_RuleLowering if one is NativeLowering else one, purpose)
            for one, purpose in passes.passes
        ]
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(NativeLowering):  # type: ignore[misc]
    """Writes a rule in LLVM's language, for callers to include."""

    _name = "rule_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = RuleLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        lowered = state.cr
        # Numba knows a called function by its entry point, though nobody enters here.
        entry = _dynfunc.make_function(
            lowered.fndesc.lookup_module(),
            lowered.fndesc.qualname.rpartition(".")[2],
            f"for callers of {lowered.fndesc.qualname}",
            _NO_ADDRESS,
            lowered.env,
            (state.library,),
        )
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=entry)
        return True


class RuleLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A rule's code, which is only used inside its callers' code."""

    def _optimize_final_module(self) -> None:
        """Leave it to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def bounds_checked() -> bool:
    """Whether the environment asks for the debug build.

    From then on Numba's checks, where they are on, name the line and refuse negative indices: rules
    never count from the end, but a wrong one may arrive at -1.
    """
    if os.environ.get(BOUNDS_VARIABLE) != "1":
        return False
    Lower.lower_inst = _lower_noting_line
    arrayobj.fix_integer_index = _keep_negative_index
    cgutils.do_boundscheck = _check
    return True


_lower, _fix_integer_index = Lower.lower_inst, arrayobj.fix_integer_index


def _lower_noting_line(self: Any, instruction: Any) -> None:
    self.context.place = {"loc": instruction.loc, "func_name": self.func_ir.func_id.func_name}
    _lower(self, instruction)


def _keep_negative_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Leave it to the check instead of adding the array's size."""
    if context.enable_boundscheck:
        return context.cast(builder, index, kind, types.intp)
    return _fix_integer_index(context, builder, kind, index, size)


def _check(context: Any, builder: Any, index: Any, size: Any, axis: int | None = None) -> None:
    """Write code that raises an IndexError unless 0 <= index < size; without sign, -1 is huge."""
    outside = builder.icmp_unsigned(">=", index, size)
    with cgutils.if_unlikely(builder, outside):
        where = "" if axis is None else f" of axis {axis}"
        context.call_conv.return_user_exc(
            builder, IndexError, (f"index out of bounds{where}",), **context.place
        )
