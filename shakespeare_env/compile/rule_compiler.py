"""How Numba compiles rules: its options, and the parts of its compiler that are replaced."""

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
    # The debug build. Without the check a wrong index reads or writes elsewhere in memory.
    "boundscheck": os.environ.get("SHAKESPEARE_BOUNDS") == "1",
    # Compiled code allocates nothing, so its arrays need no reference counts. Counting would cost
    # atomic operations for every row of a batch, and threads would contend for them.
    "_nrt": False,
}
"""Options of Numba for every rule and kernel."""


class RuleCompiler(CompilerBase):  # type: ignore[misc]
    """A compiler that translates rules to LLVM's language and leaves the rest to their callers.

    Numba optimises every function and writes machine code for it, and does so again wherever the
    function is called. Only kernels call rules, so rules are optimised and written as parts of
    kernels alone. This halves the time of compilation and yields code of the same speed.
    """

    def define_pipelines(self) -> list[PassManager]:
        """Return Numba's passes with the lowering replaced."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_RuleLowering if step is NativeLowering else step, purpose)
            for step, purpose in passes.passes
        ]
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(NativeLowering):  # type: ignore[misc]
    """The pass that writes a rule in LLVM's language, for callers to include."""

    _name = "rule_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = RuleLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()

        # Numba knows a called function by its entry point, though nothing is entered here.
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
        """Leave the optimisation to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def _keep_negative_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an index as it is. Rules never count from the end, so the check refuses -1."""
    return context.cast(builder, index, kind, types.intp)


if COMPILER_OPTIONS["boundscheck"]:
    arrayobj.fix_integer_index = _keep_negative_index

# Numba counts closures that share a name in order to tell them apart. If two processes compile,
# both count from 1, and a third process that loads from both would take the code of one closure
# for that of another. Random numbers do not repeat.
FunctionIdentity._unique_ids = iter(partial(secrets.randbits, 64), None)
