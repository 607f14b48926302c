"""OpenSpiel's IS-MCTS with 20 simulations plays against random moves."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

# This import registers python_shakespeare and python_figaro.
import shakespeare_env.wrappers.openspiel  # noqa: F401

game = pyspiel.load_game("python_shakespeare(players=2,reward=margin)")
pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)

rng = np.random.RandomState(0)
bot = ISMCTSBot(
    game,
    RandomRolloutEvaluator(n_rollouts=1, random_state=rng),
    uct_c=2.0,
    max_simulations=20,
    random_state=rng,
)
# The bot resamples states that agree with the mover's information state.
# Draw them from `rng`, since the bot's own generator is seeded by the clock.
bot.set_resampler(
    lambda state, seat: state.resample_from_infostate(seat, rng.rand)
)
margins = []
for searcher in (0, 1):
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            # Chance chooses the four bytes of the seed before the game.
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            action = rng.choice(actions, p=chances)
        elif state.current_player() == searcher:
            action = bot.step(state)
        else:
            action = rng.choice(state.legal_actions())
        state.apply_action(action)
    # A return of 1 is 10 points.
    margins.append(10 * state.returns()[searcher])
print("margins of the search over random play:", *map(round, margins))
