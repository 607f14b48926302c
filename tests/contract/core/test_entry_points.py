"""Every entry point of the rules is compiled once, for arguments of one kind."""

from shakespeare_env import Batch, Position
from shakespeare_env.core import kernels, registry
from shakespeare_env.core.position import compile_all
from tests.contract.compile.small_kernels import needs_compiler

pytestmark = needs_compiler


def test_all_that_is_played_uses_the_versions_that_compile_all_makes():
    """Arguments of another kind would compile an entry point again, in the middle of a game."""
    name = "figaro"
    game = registry.game(name)
    compile_all(game)
    compiled = vars(kernels.kernels_of(game))
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
