"""The least strength of the agents at Shakespeare (see `tests/contract/knowledge.py`)."""

from tests.contract.knowledge import OverRandom

HEURISTIC_OVER_RANDOM = OverRandom(wins={2: 0.95, 4: 0.95}, lead=10)
GREEDY_OVER_RANDOM = OverRandom(wins={2: 0.9, 4: 0.9}, lead=8)
NETWORK_WINS = {"random": 0.9, "heuristic": 0.5}
FIRST_NETWORK = "c42c76ea7de56ef92a5f7db7a2c18a08d80880604c4857b9b240ae7a282f2277"
