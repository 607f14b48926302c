"""Compiles rules only as far as kernels need them: to LLVM's language, not to machine code.

Numba optimises every function and writes machine code for it, and again wherever it is called. Only
kernels call rules, so rules are optimised and written as part of a kernel alone, which halves the
time and yields the same speed.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba import _dynfunc
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

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

    def finalize(self) -> None:
        """Close the library: nothing is optimised, and no machine code written."""
        self._raise_if_finalized()
        if hasattr(self, "_reload_init"):  # Numba 0.60 has none
            for library in self._linking_libraries:
                self._reload_init.update(library._reload_init)
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> llvm.ModuleRef:
        """The rule and all that it calls, each function once."""
        if self._shared_module is None:
            whole = self._own_module().clone()
            for library in self._called():
                whole.link_in(_own_module_of(library), preserve=True)
            self._shared_module: llvm.ModuleRef | None = whole
        return self._shared_module

    def _own_module(self) -> llvm.ModuleRef:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # as Numba links: callers may define it, too
        return self._final_module

    def _called(self) -> list[CodeLibrary]:
        found: dict[CodeLibrary, None] = {self: None}
        waiting = list(self._linking_libraries)
        while waiting:
            library = waiting.pop(0)
            if library not in found:
                found[library] = None
                # Libraries of Numba's own functions hold what those call.
                waiting += library._linking_libraries if isinstance(library, RuleLibrary) else []
        return list(found)[1:]


def _own_module_of(library: CodeLibrary) -> llvm.ModuleRef:
    if isinstance(library, RuleLibrary):
        return library._own_module()
    return library._get_module_for_linking()
