"""Nothing is compiled before it is needed, or twice."""

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary

from shakespeare_env import Batch, Position, kernels, registry
from shakespeare_env.compiled import code_folder, kernel, rule

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
games = pytest.mark.parametrize("name", registry.names())


def test_a_kernel_and_its_rules_become_machine_code_once_and_together(tmp_path, monkeypatch):
    """Of rules that call each other; compiled, then loaded from its file."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))

    @rule
    def least(one, other):
        return min(one, other)

    @rule
    def left(value):
        return least(value, 5) + 10

    written, finalize = [], JITCodeLibrary._finalize_specific

    def noting(library):
        written.append(library.name)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", noting)
    for _ in range(2):

        @kernel("probe")
        def probe(values):
            values[0] = left(values[0]) * (left(values[0]) + least(values[0], 100))

        values = np.array([3])
        probe(values)
        assert values[0] == 13 * 16
    # Numba's own `min` is a kernel's business, too, but not ours.
    ours = [name.rpartition(".")[2] for name in written if name.startswith("test_a_kernel")]
    assert ours == ["probe", "probe"]


@games
def test_an_entry_point_is_compiled_when_it_is_first_called(name, tmp_path, monkeypatch):
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    game = registry.game(name)
    entries = kernels._build(game)
    folder = code_folder(game.name, kernels._build, *kernels._functions(game))
    assert folder is not None
    assert list(folder.iterdir()) == []
    no_rows, no_actions = np.zeros(0, np.int64), np.zeros(0, np.int32)
    mask = np.zeros((0, game.actions.size), np.bool_)
    assert entries.first_illegal(no_actions, no_rows, mask, np.zeros(0, np.int8)) == -1
    assert [path.name.partition("-")[0] for path in folder.iterdir()] == ["first_illegal"]


@games
def test_all_that_is_played_uses_the_versions_that_compile_all_makes(name):
    """Arguments of another kind would compile an entry point again, in the middle of a game."""
    game = registry.game(name)
    kernels.compile_all(game)
    entries = kernels.kernels_of(game)
    compiled = {field: getattr(entries, field) for field in entries.__dataclass_fields__}
    before = {field: list(entry.signatures) for field, entry in compiled.items()}
    assert {len(signatures) for signatures in before.values()} == {1}
    seats = game.max_seats
    for threads in (1, 2):
        batch = Batch(name, n=300, players=seats, seed=0, threads=threads, reward="score")
        batch.step(batch.random_actions())
        batch.step(batch.random_actions()[:7].tolist(), rows=range(7))
        batch.observe([0] * 300)
        batch.scores(rows=[3, 4])
        batch.load([5, 6], batch.save([1, 2]))
        batch.determinize(slice(0, 2), [0, 1], [8, 9])
        batch.restart([0])
        batch.copies([4, 4])
    position = Position.new(name, players=seats, seed=0)
    position.push(position.moves()[0])
    position.observation(0)
    position.determinize(0, 7).copy()
    Position.of_record(game, position.record())
    Position.from_dict(position.to_dict())
    assert {field: list(entry.signatures) for field, entry in compiled.items()} == before
