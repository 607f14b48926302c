"""The digest of compiled code covers everything that the code is made from, and nothing else."""

import builtins
import io
import os
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import ir
from numba.core.compiler import run_frontend
from numba.extending import register_jitable

from shakespeare_agents.heuristics import figaro
from shakespeare_agents.heuristics.best_action import BestAction
from shakespeare_agents.networks import inference
from shakespeare_agents.search import playouts
from shakespeare_env.compile import digest
from shakespeare_env.compile.cache import code_folder
from shakespeare_env.compile.decorators import rule
from shakespeare_env.compile.digest import code_digest
from shakespeare_env.core import kernels, registry
from shakespeare_env.core.row_rules import row_rules_of
from tests.contract.batches import games
from tests.contract.compile.small_kernels import needs_compiler

pytestmark = needs_compiler


def kernels_in_use():
    """Return an entry point of Figaro's rules, of playouts, a heuristic, networks and a GPU."""
    game = registry.game("figaro")
    step_row = row_rules_of(game).step

    def over_rows(rows: int, arguments: Any) -> None:
        step_row(rows, *arguments)

    return {
        "rules": kernels.kernels_of(game).step,
        "playouts": playouts.playout_kernel(game, playouts.by_network),
        "heuristics": BestAction("figaro", figaro.score).best,
        "networks": inference.write_policies,
        "device": over_rows,
    }


ADDED_BY_NUMBA = {"bool", "slice"}
"""The builtins that Numba itself adds for conditions and slices."""


class FunctionsOfNewProcess(dict[object, object]):
    """The functions that digests have read, in a process that has compiled none yet."""

    def __contains__(self, function):
        return True  # so that no function counts as compiled before it was read


@pytest.fixture
def functions_read(monkeypatch):
    """The functions that digests read during the test, as in a new process."""
    read = FunctionsOfNewProcess()
    monkeypatch.setattr(digest, "first_read", read)
    return read


@pytest.mark.parametrize("kind", ["rules", "playouts", "heuristics", "networks", "device"])
def test_no_file_is_read(kind, monkeypatch):
    """A file may have been edited since Python read it, so it may hold other code."""
    entry = kernels_in_use()[kind]
    before = code_digest(entry)

    def refuse(*_arguments: Any, **_more: Any) -> Any:
        raise AssertionError("a file is read")

    with monkeypatch.context() as patch:
        for module, name in ((builtins, "open"), (io, "open"), (os, "stat")):
            patch.setattr(module, name, refuse)
        digest.code_facts.cache_clear()
        again = code_digest(entry)
    assert again == before


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("rules", "shakespeare_env.figaro.box.tables.N_ROUNDS"),
        ("rules", "shakespeare_env.core.rng.GOLDEN"),
        ("playouts", "shakespeare_env.figaro.box.tables.N_ROUNDS"),
        ("playouts", "shakespeare_agents.search.playouts._TO_UNIT"),
        ("heuristics", "shakespeare_agents.heuristics.best_action._TIE"),
        ("heuristics", "shakespeare_agents.heuristics.figaro.RISK"),
        ("networks", "shakespeare_agents.networks.inference._EPSILON"),
        ("device", "shakespeare_env.figaro.box.tables.N_ROUNDS"),
    ],
)
def test_a_changed_value_is_refused_here_and_is_other_code_in_the_next_process(
    kind, changed, monkeypatch
):
    """The value may be in the kernel's module, in a module that it uses, or in a box."""
    entry = kernels_in_use()[kind]
    before = code_digest(entry)
    monkeypatch.setattr(changed, 77)
    with pytest.raises(TypeError, match="changed after it was first used"):
        code_digest(entry)
    monkeypatch.setattr(digest, "first_read", FunctionsOfNewProcess())
    assert code_digest(entry) != before


@games
def test_it_covers_exactly_the_names_that_the_compiler_finds(name, functions_read):
    """Numba itself says which names, and which attributes of modules, a function reads."""
    code_digest(kernels.kernels_of(registry.game(name)).step)
    assert len(functions_read) > 40
    for function in functions_read:
        covered = digest.code_facts(function.__code__).names_read
        names, attributes = names_that_the_compiler_finds(function)
        assert {path[0] for path in covered} | ADDED_BY_NUMBA == names | ADDED_BY_NUMBA, function
        assert {path[:2] for path in covered if len(path) > 1} == attributes, function


def names_that_the_compiler_finds(function):
    """Return the global names that Numba reads in a function, and the attributes read from them."""
    names: set[str] = set()
    attributes: set[tuple[str, str]] = set()
    name_of_variable: dict[str, str] = {}
    for block in run_frontend(function).blocks.values():
        for statement in block.find_insts(ir.Assign):
            value = statement.value
            if isinstance(value, ir.Global):
                name_of_variable[statement.target.name] = value.name
                names.add(value.name)
            elif isinstance(value, ir.Expr) and value.op == "getattr":
                holder = name_of_variable.get(value.value.name)
                if holder is not None:
                    attributes.add((holder, value.attr))
    return names, attributes


@games
def test_only_the_engine_and_the_rules_of_the_game_count(name, functions_read):
    """No edit of agents, of text or of drawings makes a game compile again."""
    for entry in vars(kernels.kernels_of(registry.game(name))).values():
        code_digest(entry)
    modules = {function.__module__ for function in functions_read}
    own = {module for module in modules if module.startswith(f"shakespeare_env.{name}.")}
    general = {module for module in modules - own if module.startswith("shakespeare_env.")}
    assert modules == own | general
    assert {module.split(".")[1] for module in general} <= {"core", "derived"}
    presentation = {"text", "drawing", "actions", "contract"}
    assert not presentation & {module.split(".")[2] for module in own}


def test_what_a_kernel_closes_over_counts_or_nothing_is_kept(cache_folder):
    def closing_over(value):
        def probe(values):
            values[0] = value

        return code_folder("probe", probe)

    assert closing_over(3) == closing_over(3) != closing_over(4)
    assert closing_over("3") != closing_over(3)
    assert closing_over(np.array([3])) == closing_over(np.array([3])) != closing_over(np.array([4]))
    with pytest.warns(RuntimeWarning, match="make it an argument"):
        assert closing_over([3]) is None


def test_code_that_was_typed_and_has_no_file_counts(cache_folder):
    """The code of a notebook is kept like any other."""

    def typed(number):
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(f"def probe(values):\n    values[0] = {number}", names)
        return code_folder("probe", names["probe"])

    assert typed(1) == typed(1) != typed(2)


def test_how_a_called_function_is_compiled_counts_or_nothing_is_kept(cache_folder):
    """Options, signatures and replacements decide what a called function does."""

    def calling(compiled):
        def probe(values):
            values[0] = compiled(values[0])

        return code_folder("probe", probe)

    def as_given(value):
        kept = value + 1
        return kept

    ways = [
        rule(as_given),
        numba.njit(as_given),
        numba.njit(as_given, locals={"kept": numba.int8}),
        numba.njit("int64(int64)")(as_given),
        numba.njit("int8(int8)")(as_given),
    ]
    assert len({calling(way) for way in ways}) == len(ways)
    with pytest.warns(RuntimeWarning, match="which is no rule"):
        assert calling(register_jitable(as_given)) is None
