"""The games work in OpenSpiel. (test_recipes.py runs docs/libraries/openspiel_ismcts.py.)"""

import numpy as np
import pytest

from shakespeare_env import Batch, Position
from shakespeare_env.core import registry

pyspiel = pytest.importorskip("pyspiel")

from shakespeare_env.wrappers.openspiel import SEED_BYTES  # noqa: E402

TABLES = [(name, seats) for name in registry.names() for seats in registry.seats(name)]
every_table = pytest.mark.parametrize(("name", "seats"), TABLES)


def load(name, seats, **parameters):
    """Return a game as OpenSpiel loads it."""
    return pyspiel.load_game(f"python_{name}", {"players": seats, **parameters})


def dealt(game, seed):
    """Return the state after the chance nodes, which stand for the bytes of a seed."""
    state = game.new_initial_state()
    for byte in seed.to_bytes(SEED_BYTES, "big"):
        assert state.is_chance_node()
        state.apply_action(byte)
    return state


def played(state, rng, decisions):
    """Play some random decisions, at most to the end of the game, and return the state."""
    while decisions and not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
        decisions -= 1
    return state


@every_table
def test_the_game_passes_the_test_of_openspiel(name, seats):
    pyspiel.random_sim_test(load(name, seats), num_sims=1, serialize=True, verbose=False)


@every_table
@pytest.mark.parametrize("reward", ["win", "margin"])
def test_a_state_is_the_same_game_as_the_batch(name, seats, reward):
    seed = 0x01020304
    state = dealt(load(name, seats, reward=reward), seed)
    assert state.position == Position.new(name, players=seats, seed=seed)
    batch = Batch(name, n=1, players=seats, seed=seed, reward=reward, autoreset=False)
    rng = np.random.default_rng(0)
    while not state.is_terminal():
        seat = state.current_player()
        assert seat == batch.to_move[0]
        assert state.legal_actions() == np.flatnonzero(batch.mask[0]).tolist()
        assert (np.array(state.observation_tensor(seat)) == batch.obs[0]).all()
        assert state.returns() == [0.0] * seats
        action = int(rng.choice(state.legal_actions()))
        text = batch.actions.text(action, seat, seats)
        assert state.action_to_string(seat, action) == text
        state.apply_action(action)
        rewards, _ = batch.step([action])
    assert state.returns() == rewards[0, :seats].tolist()
    loaded = state.get_game()
    for value in state.returns():
        assert loaded.min_utility() <= value <= loaded.max_utility()


@every_table
def test_resampling_keeps_what_a_seat_knows_and_redraws_the_rest(name, seats):
    rng = np.random.default_rng(1)
    redrawn = 0
    for decisions in range(0, 60, 7):
        state = played(dealt(load(name, seats), 5), rng, decisions)
        if state.is_terminal():
            continue
        seat = state.current_player()
        for _ in range(3):
            possible = state.resample_from_infostate(seat, rng.random)
            # A clone keeps the state of the random generator. A resampled game has another one.
            generator = state.position.record()["random"]
            assert state.clone().position.record()["random"] == generator
            assert possible.position.record()["random"] != generator
            assert possible.current_player() == seat
            assert possible.legal_actions() == state.legal_actions()
            assert possible.information_state_string(seat) == state.information_state_string(seat)
            assert possible.observation_string(seat) == state.observation_string(seat)
            # The other seats have forgotten what they have seen.
            for other in set(range(seats)) - {seat}:
                assert possible.information_state_string(other).startswith(":")
            redrawn += possible.position != state.position
            played(possible, rng, 1000)
            assert possible.is_terminal()
        assert not state.is_terminal()
    assert redrawn or seats == 1


def test_a_seats_information_state_holds_all_it_has_seen_and_done():
    """Different moves lead to different information states, even with equal observations."""
    state = dealt(load("shakespeare", 2), 0)
    seat = state.current_player()
    information_states = []
    observations = []
    for action in state.legal_actions():
        other = state.clone()
        other.apply_action(action)
        information_states.append(other.information_state_string(seat))
        observations.append(other.observation_string(seat))
    assert len(set(information_states)) == len(information_states)
    assert len(set(observations)) <= len(information_states)
