"""How good the agents are at Shakespeare at least (see `tests/contract/knowledge.py`)."""

from tests.contract.knowledge import OverRandom

HEURISTIC_OVER_RANDOM = OverRandom(wins={2: 0.95, 4: 0.95}, lead=10)
GREEDY_OVER_RANDOM = OverRandom(wins={2: 0.9, 4: 0.9}, lead=8)
NETWORK_WINS = {"random": 0.9, "heuristic": 0.5}
