"""A position as a Python object: copied, sent to another process, compared."""

import copy
import pickle

import pytest

from shakespeare_env import Batch, Position, registry
from tests.contract.random_games import chosen, differing_fields, record_of

TRAVELS = {
    "copy": Position.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda position: pickle.loads(pickle.dumps(position)),
}


games = pytest.mark.parametrize("game", registry.names())


def middle_of_a_game(game):
    position = Position.new(game, players=registry.seats(game)[-1], seed=5)
    for step in range(60):
        legal = position.moves()
        position.push(legal[step * 7 % len(legal)])
    return position


@games
@pytest.mark.parametrize("travel", TRAVELS.values(), ids=TRAVELS.keys())
def test_a_copy_is_equal_independent_and_goes_on_alike(game, travel):
    position = middle_of_a_game(game)
    before = position.to_dict()
    twin = travel(position)
    assert twin == position
    assert twin.moves() == position.moves()
    while twin.to_move is not None:
        twin.push(twin.moves()[-1])
    assert position.to_dict() == before
    while position.to_move is not None:
        position.push(position.moves()[-1])
    assert twin == position


@games
def test_a_record_and_its_position_are_one_game(game):
    """Chance to come included; the position is a copy that goes on alone."""
    batch = Batch(game, 3, players=registry.seats(game)[-1], seed=5, autoreset=False)
    for step in range(20):
        batch.step(chosen(batch.mask, step))
    before = batch.save(slice(None))
    position = Position.of_record(batch.game, before[1])
    step = 20
    while position.to_move is not None:
        assert position.to_move == batch.to_move[1]
        assert (position.action_mask() == batch.mask[1]).all()
        assert (position.observation(position.to_move) == batch.obs[1]).all()
        assert differing_fields(position.record(), record_of(batch, 1)) == []
        action = chosen(batch.mask, step)[[1]]
        position.push(position.move_text(int(action[0])))
        batch.step(action, [1])
        step += 1
    assert batch.to_move[1] == -1
    assert position.scores() == batch.final_scores[1].tolist()
    assert differing_fields(batch.save([0, 2]), before[[0, 2]]) == []


@games
def test_positions_are_compared_by_what_they_say(game):
    position = middle_of_a_game(game)
    reseeded = position.copy()
    reseeded.reseed(99)
    assert reseeded == position
    moved = position.copy()
    moved.push(moved.moves()[0])
    assert moved != position
    assert position != "a position"


@games
def test_a_position_cannot_be_hashed(game):
    with pytest.raises(TypeError):
        hash(middle_of_a_game(game))


@games
def test_an_unknown_move_or_action_is_refused_with_a_remedy(game):
    position = middle_of_a_game(game)
    with pytest.raises(ValueError, match="shakespeare actions"):
        position.action_id("castle:king")
    with pytest.raises(ValueError, match="out of range"):
        position.move_text(position.game.actions.size)


@games
def test_every_action_has_a_text_of_its_own(game):
    """Legal now or not; with the most seats at the table there is none that it is not for."""
    position = middle_of_a_game(game)
    texts = [position.move_text(action) for action in range(position.game.actions.size)]
    assert [position.action_id(text) for text in texts] == list(range(len(texts)))
    legal = [text for text, allowed in zip(texts, position.action_mask(), strict=True) if allowed]
    assert legal == position.moves()
