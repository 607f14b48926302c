"""The compiler of rules: Numba's options, and replacements for parts of Numba's compiler."""

from __future__ import annotations

import os
import secrets
from functools import partial
from typing import Any

from numba import _dynfunc, types
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

COMPILER_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # SHAKESPEARE_BOUNDS=1 is for debugging: it checks indices. Without the check, a wrong index
    # reads or writes elsewhere in memory.
    "boundscheck": os.environ.get("SHAKESPEARE_BOUNDS") == "1",
    # Compiled code allocates nothing, so its arrays need no reference counts. Counting would cost
    # atomic operations for every row of a batch, and threads would contend for them.
    "_nrt": False,
}
"""Numba's options for every rule and kernel."""


class RuleCompiler(CompilerBase):  # type: ignore[misc]
    """A compiler that translates rules to LLVM IR only, and leaves the rest to their callers.

    Numba optimises every function and writes machine code for it, and does so again wherever the
    function is called. As only compiled code calls rules, they are optimised and written only as
    parts of kernels. This halves the time of compilation and yields code of the same speed.
    """

    def define_pipelines(self) -> list[PassManager]:
        """Return Numba's passes, with `_RuleLowering` in place of its lowering."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_RuleLowering if step is NativeLowering else step, purpose)
            for step, purpose in passes.passes
        ]
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(NativeLowering):  # type: ignore[misc]
    """The pass that writes a rule as LLVM IR, for callers to include."""

    _name = "rule_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = RuleLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()

        # Numba finds a called function by its entry point, so give it one that is never entered.
        lowered = state.cr
        entry = _dynfunc.make_function(
            lowered.fndesc.lookup_module(),
            lowered.fndesc.qualname.rpartition(".")[2],
            f"for callers of {lowered.fndesc.qualname}",
            0,  # no address
            lowered.env,
            (state.library,),
        )
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=entry)
        return True


class RuleLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a rule, which is used only inside the code of its callers."""

    def _optimize_final_module(self) -> None:
        """Do nothing, as the code is optimised inside its callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def _keep_negative_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an index without adding the size to a negative one, so that the check refuses -1."""
    return context.cast(builder, index, kind, types.intp)


if COMPILER_OPTIONS["boundscheck"]:
    arrayobj.fix_integer_index = _keep_negative_index

# Numba numbers closures that share a name in order to tell them apart. Each process counts from 1,
# so a process that loads code from two others could take one closure for another. Random numbers
# avoid this. The iterator never ends, since no number equals None.
FunctionIdentity._unique_ids = iter(partial(secrets.randbits, 64), None)
